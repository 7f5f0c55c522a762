// SPDX-License-Identifier: Apache-2.0
#include "reference/slow/dot.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "reference/formats/classify.hpp"

namespace halfmark::slow {
namespace {

std::vector<std::string> split(std::string_view text, char at) {
  std::vector<std::string> parts(1);
  for (const char letter : text) {
    if (letter == at) {
      parts.emplace_back();
    } else {
      parts.back() += letter;
    }
  }
  return parts;
}

bool has(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// The operand at one place of a name's tree: a product not yet rounded, c, or a value.
struct Operand {
  enum { kProduct, kAddend, kValue } kind;
  std::size_t k = 0;
  Bits bits = 0;
};

class Evaluation {
 public:
  Evaluation(std::string_view name, const Products& p, const std::optional<Number>& c,
             const Environment& env)
      : p_(p), c_(c), convert_(env), env_(env), words_(split(name, '.')) {
    acc_ = total_ = formats::find_format(words_[0]);
    for (const soft::Named<soft::Rounding>& row : soft::kRoundings) {
      if (has(words_, std::string(row.name))) env_.rounding = row.value;
    }
    for (const soft::Named<soft::Subnormals>& row : soft::kSubnormalPolicies) {
      if (has(words_, std::string(row.name))) env_.subnormals = row.value;
    }
    for (const std::string& word : words_) {
      if (word.starts_with("product-")) product_ = formats::find_format(word.substr(8));
      if (word.starts_with("parts-")) parts_ = formats::find_format(word.substr(6));
      if (word.starts_with("total-")) total_ = formats::find_format(word.substr(6));
      if (word.starts_with("early-")) early_ = formats::find_format(word.substr(6));
    }
  }

  Number answer() {
    // Without products the result is c, in the format of the result.
    Number sum{total_, p_.a.empty() ? c_in(*total_) : whole()};
    if (has(words_, "zero_last") && !c_) sum.bits = slow::add(*total_, sum.bits, 0, env_).bits;
    if (early_ != nullptr) {
      sum = {early_, convert(*sum.format, *early_, sum.bits, convert_).bits};
    }
    return sum;
  }

 private:
  static Result convert(const Format& from, const Format& to, Bits bits, const Environment& env) {
    return slow::convert(from, to, bits, env);
  }
  Bits c_in(const Format& f) const {
    return c_ ? convert(*c_->format, f, c_->bits, convert_).bits : 0;
  }
  Bits alone(std::size_t k) const {
    if (product_ == nullptr) return slow::mul(*p_.format, p_.a[k], p_.b[k], *acc_, env_).bits;
    const Bits narrow = slow::mul(*p_.format, p_.a[k], p_.b[k], *product_, env_).bits;
    return convert(*product_, *acc_, narrow, env_).bits;
  }
  Bits stepped(std::size_t k, Bits sum) const {
    if (words_[2] == "fma") return slow::fma(*p_.format, p_.a[k], p_.b[k], *acc_, sum, env_).bits;
    return slow::add(*acc_, sum, alone(k), env_).bits;
  }
  Bits chain(const std::vector<std::size_t>& order, Bits sum) const {
    for (const std::size_t k : order) sum = stepped(k, sum);
    return sum;
  }
  Bits plus_c(Bits sum) const {
    return c_ ? slow::add(*total_, sum, c_in(*total_), env_).bits : sum;
  }

  Bits whole() {
    const std::string& order = words_[1];
    const std::size_t n = p_.a.size();
    if (order == "pairwise") return plus_c(pairs(0, n));
    if (order.starts_with("tree-")) return tree(order.substr(5));
    if (order.starts_with("vectors-")) return plus_c(by_vectors(split(order, '-')));
    if (order != "sequential" && order != "reversed") return parted(split(order, '-'));
    std::vector<std::size_t> all(n);
    for (std::size_t k = 0; k < n; ++k) all[k] = order == "reversed" ? n - 1 - k : k;
    return has(words_, "c_last") ? plus_c(chain(all, 0)) : chain(all, c_in(*acc_));
  }

  Bits pairs(std::size_t begin, std::size_t end) const {
    if (end - begin == 1) return alone(begin);
    if (end - begin == 2) return stepped(begin + 1, alone(begin));
    std::size_t half = 1;
    while (half * 2 < end - begin) half *= 2;
    return slow::add(*acc_, pairs(begin, begin + half), pairs(begin + half, end), env_).bits;
  }

  // A loop over registers of several lanes, as its source would have it.
  Bits by_vectors(const std::vector<std::string>& order) const {
    const std::size_t n = p_.a.size();
    const std::size_t lanes = std::stoul(order[1]);
    const auto x = order[1].find('x');
    const std::size_t unroll = x == std::string::npos ? 1 : std::stoul(order[1].substr(x + 1));
    std::vector<std::vector<Bits>> registers(unroll, std::vector<Bits>(lanes, 0));
    const auto load_and_step = [&](std::vector<Bits>& into, std::size_t k) {
      for (std::size_t lane = 0; lane < lanes; ++lane) into[lane] = stepped(k + lane, into[lane]);
    };
    std::size_t k = 0;
    const bool turns = n >= lanes * unroll;
    for (; k + lanes * unroll <= n; k += lanes * unroll) {
      for (std::size_t u = 0; u < unroll; ++u) load_and_step(registers[u], k + u * lanes);
    }
    std::vector<Bits> left = registers[0];
    for (std::size_t lane = 0; turns && lane < lanes; ++lane) {
      std::vector<Bits> of_lane;
      for (const std::vector<Bits>& one : registers) of_lane.push_back(one[lane]);
      left[lane] = combined(of_lane, unroll == 1 ? "halves" : order[2]);
    }
    for (; k + lanes <= n; k += lanes) load_and_step(left, k);
    Bits sum = k == 0 ? 0 : combined(left, order.back());
    for (; k < n; ++k) sum = stepped(k, sum);
    return sum;
  }

  // The products of each partial sum.
  std::vector<std::vector<std::size_t>> members(const std::vector<std::string>& order) const {
    const std::size_t n = p_.a.size();
    const std::size_t size = std::stoul(order[1]);
    const auto x = order[1].find('x');
    const std::size_t run = x == std::string::npos ? 1 : std::stoul(order[1].substr(x + 1));
    std::vector<std::vector<std::size_t>> parts;
    for (std::size_t k = 0; k < n; ++k) {
      std::size_t part = k / size;
      if (order[0] == "strided") part = k / run % size;
      if (order[0] == "unrolled") part = k < n - n % (size * run) ? k % size : 0;
      if (order[0] == "splitk") part = k / (n / size + (n % size != 0 ? 1 : 0));
      if (part >= parts.size()) parts.resize(part + 1);
      parts[part].push_back(k);
    }
    return parts;
  }

  Bits parted(const std::vector<std::string>& order) const {
    std::vector<Bits> sums;
    for (const std::vector<std::size_t>& part : members(order)) {
      const bool from_c = sums.empty() && has(words_, "c_first");
      Bits sum = chain(part, from_c ? c_in(*acc_) : 0);
      const Format* format = acc_;
      if (parts_ != nullptr) {
        sum = convert(*format, *parts_, sum, convert_).bits;
        format = parts_;
      }
      sums.push_back(format == total_ ? sum : convert(*format, *total_, sum, convert_).bits);
    }
    std::string how = order[0] == "strided" || order[0] == "unrolled" ? "pairwise" : "sequential";
    if (order.size() > 2) how = order.back();
    if (order.size() > 3) sums = in_groups(sums, order[2]);
    const bool c_begins =
        order[0] == "blocked" && order.size() < 4 && how == "sequential" && !has(words_, "c_last");
    if (c_begins) sums.insert(sums.begin(), c_in(*total_));
    const Bits root = combined(sums, how);
    return c_begins || has(words_, "c_first") ? root : plus_c(root);
  }

  // "halves32": combines each 32 sums by halves.
  std::vector<Bits> in_groups(const std::vector<Bits>& sums, const std::string& word) const {
    const std::size_t digits = word.find_first_of("0123456789");
    const std::size_t group = std::stoul(word.substr(digits));
    std::vector<Bits> left;
    for (std::size_t i = 0; i < sums.size(); i += group) {
      std::vector<Bits> some;
      for (std::size_t x = i; x < sums.size() && x < i + group; ++x) some.push_back(sums[x]);
      left.push_back(combined(some, word.substr(0, digits)));
    }
    return left;
  }

  Bits combined(std::vector<Bits> sums, const std::string& how) const {
    if (sums.size() == 1) return sums[0];
    std::size_t half = 1;
    while (half * 2 < sums.size()) half *= 2;
    if (how == "halves" || (how == "folded" && sums.size() > 4)) {
      for (std::size_t i = half; i < sums.size(); ++i) {
        sums[i - half] = slow::add(*total_, sums[i - half], sums[i], env_).bits;
      }
      sums.resize(half);
      return combined(sums, how);
    }
    if (how == "sequential") half = sums.size() - 1;
    const auto middle = sums.begin() + static_cast<std::ptrdiff_t>(half);
    const Bits left = combined({sums.begin(), middle}, how);
    return slow::add(*total_, left, combined({middle, sums.end()}, how), env_).bits;
  }

  Bits tree(const std::string& text) {
    const Bits root = value(operand(text));
    return text.find('c') == std::string::npos ? plus_c(root) : root;
  }

  Bits value(const Operand& x) const {
    if (x.kind == Operand::kProduct) return alone(x.k);
    return x.kind == Operand::kAddend ? c_in(*acc_) : x.bits;
  }

  Operand operand(const std::string& text) const {
    if (text == "c") return {Operand::kAddend};
    if (text[0] != '(' && text[0] != '[') return {Operand::kProduct, std::stoul(text)};
    std::vector<Operand> operands;
    std::string inner;
    int depth = 0;
    for (std::size_t i = 1; i < text.size(); ++i) {
      const bool ends = depth == 0 && (text[i] == '+' || i + 1 == text.size());
      if (ends) operands.push_back(operand(inner));
      inner = ends ? "" : inner + text[i];
      depth += text[i] == '(' || text[i] == '[' ? 1 : text[i] == ')' || text[i] == ']' ? -1 : 0;
    }
    return {Operand::kValue, 0, text[0] == '[' ? fused(operands) : joined(operands)};
  }

  Bits joined(const std::vector<Operand>& x) const {
    if (x[1].kind == Operand::kProduct) return stepped(x[1].k, value(x[0]));
    if (x[0].kind == Operand::kProduct) return stepped(x[0].k, value(x[1]));
    return slow::add(*acc_, value(x[0]), value(x[1]), env_).bits;
  }

  // An operand as the operations see it: below both normal ranges it may count as zero.
  Exact seen(const Format& f, Bits bits) const {
    const bool flushes = env_.subnormals == soft::Subnormals::kFlush ||
                         env_.subnormals == soft::Subnormals::kFlushIn;
    const bool tiny = formats::is_subnormal(f, bits);
    const Exact exact = exact_value(f, bits);
    Natural limit(1);
    const int least = std::min(f.min_exponent(), acc_->min_exponent());
    return flushes && tiny && compare_magnitude(limit, least, exact) > 0 ? Exact{} : exact;
  }

  // A term of a fused node: a finite value with its sign (zeros have one too), or an infinity
  // or NaN.
  struct Term {
    bool nan = false;
    bool infinite = false;
    Exact value;
  };
  Term term(const Operand& x) const {
    if (x.kind != Operand::kProduct || words_[2] != "fma") return number(*acc_, value(x));
    const Term a = number(*p_.format, p_.a[x.k]);
    const Term b = number(*p_.format, p_.b[x.k]);
    Term product;
    product.infinite = a.infinite || b.infinite;
    const bool zero = (!a.infinite && a.value.numerator.is_zero()) ||
                      (!b.infinite && b.value.numerator.is_zero());
    product.nan = a.nan || b.nan || (product.infinite && zero);
    if (!product.infinite && !product.nan) product.value = times(a.value, b.value);
    product.value.negative = a.value.negative != b.value.negative;
    return product;
  }
  Term number(const Format& f, Bits bits) const {
    Term result{formats::is_nan(f, bits), formats::is_infinity(f, bits), {}};
    if (!result.nan && !result.infinite) result.value = seen(f, bits);
    result.value.negative = formats::sign(f, bits);
    return result;
  }

  Bits fused(const std::vector<Operand>& operands) const {
    Exact sum;
    bool nan = false;
    bool seen_infinite[2] = {false, false};
    bool seen_sign[2] = {false, false};
    for (const Operand& operand : operands) {
      const Term x = term(operand);
      nan = nan || x.nan;
      seen_sign[x.value.negative ? 1 : 0] = true;
      if (x.infinite) seen_infinite[x.value.negative ? 1 : 0] = true;
      if (!x.infinite && !x.nan) sum = plus(sum, x.value);
    }
    if (nan || (seen_infinite[0] && seen_infinite[1])) return formats::quiet_nan(*acc_);
    if (seen_infinite[0] || seen_infinite[1]) return formats::infinity(*acc_, seen_infinite[1]);
    if (!sum.numerator.is_zero()) return round_exact(*acc_, sum, env_).bits;
    const bool down = env_.rounding == soft::Rounding::kDown;
    return formats::zero(*acc_, seen_sign[1] && (!seen_sign[0] || down));
  }

  const Products& p_;
  const std::optional<Number>& c_;
  Environment convert_;
  Environment env_;
  std::vector<std::string> words_;
  const Format* acc_ = nullptr;
  const Format* product_ = nullptr;
  const Format* parts_ = nullptr;
  const Format* total_ = nullptr;
  const Format* early_ = nullptr;
};

}  // namespace

Number dot(std::string_view name, const Products& products, const std::optional<Number>& c,
           const Environment& env) {
  return Evaluation(name, products, c, env).answer();
}

}  // namespace halfmark::slow
