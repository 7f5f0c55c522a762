// SPDX-License-Identifier: Apache-2.0
#include "reference/inference/directed.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <initializer_list>
#include <optional>
#include <utility>

#include "reference/formats/classify.hpp"
#include "reference/inference/scale.hpp"
#include "reference/models/exact_sum.hpp"

namespace halfmark::inference {
namespace {

enum class Role : std::uint8_t { kZero, kTop, kMinusTop, kSmall, kTie, kHalf };
using Layout = std::vector<Role>;  // of each product

// The exponents of top products: one within the range of every accumulator, and one whose sums are
// within that of fp32.
constexpr int kCautious = 13;
constexpr int kFar = 60;
// The most powers of two of one operand.
constexpr int kMostPowers = 40;

struct Operands {
  Bits a = 0, b = 0;

  [[nodiscard]] bool operator==(const Operands&) const = default;
};

// The powers of two of a format, subnormal ones included, from the cautious exponent downwards.
struct Powers {
  const Format& format;
  int most = std::min(format.max_exponent(), kCautious);
  int least = std::max(format.min_place(), most - kMostPowers + 1);

  [[nodiscard]] Bits at(int exponent) const {
    return exponent >= format.min_exponent() ? power_of_two(format, exponent)
                                             : Bits{1} << (exponent - format.min_place());
  }
  [[nodiscard]] int count() const { return most - least + 1; }
};

// The largest number with this exponent, or with the nearest that the format has.
Bits largest(const Format& f, int exponent) {
  if (exponent >= f.max_exponent()) return formats::max_finite(f);
  return power_of_two(f, std::max(exponent, f.min_exponent())) | f.fraction_mask();
}

// A product below 2^(exponent + 2), as large as the operands allow.
Operands top_product(const Subject& subject, int exponent) {
  const int a = std::clamp(exponent, subject.a->min_exponent(), subject.a->max_exponent());
  return {largest(*subject.a, a), largest(*subject.b, exponent - a)};
}

soft::Value sum_of(const Subject& subject, const Operands& product, std::size_t count) {
  models::ExactSum sum;
  for (; count > 0; --count) sum.add_product(*subject.a, product.a, *subject.b, product.b);
  return sum.unpacked();
}

int precision_of(const soft::Value& x) { return soft::kLead + 1 - std::countr_zero(x.significand); }

struct Run {
  Role role;
  std::size_t count;
};

Layout in_turn(std::initializer_list<Run> runs) {
  Layout layout;
  for (const Run& run : runs) layout.insert(layout.end(), run.count, run.role);
  return layout;
}

// Far apart, so that few are in one block of a unit.
template <std::size_t kCount>
Layout spread(const std::array<Role, kCount>& roles, std::size_t k) {
  Layout layout(k, Role::kZero);
  for (std::size_t i = 0; i < kCount; ++i) layout[i * (k - 1) / (kCount - 1)] = roles[i];
  return layout;
}

// How many of k products are top ones.
std::vector<std::size_t> shares(std::size_t k, std::size_t most) {
  std::vector<std::size_t> list{1};
  for (const std::size_t share : {k / 4, most}) {
    if (share > list.back() && share <= most) list.push_back(share);
  }
  return list;
}

// What the roles of a question are, apart from the small products.
struct Products {
  Operands top;
  Operands tie = {};
  Operands half = {};
  std::optional<int> addend = {};  // the exponent of c; none: c is zero
};

// Builds the questions of one subject.
class Director {
 public:
  explicit Director(const Laboratory& laboratory)
      : laboratory_(laboratory), subject_(laboratory.subject()) {
    for (int b = b_.least; b < b_.most; b += a_.count()) columns_.push_back(b);
    columns_.push_back(b_.most);
  }

  std::vector<Question> questions() {
    swallow();
    const Operands cautious = top_product(subject_, kCautious);
    const Operands far = top_product(subject_, kFar);
    cancel(cautious);
    break_ties(cautious);
    if (far != cautious) {
      cancel(far);
      break_ties(far);
    }
    return std::move(questions_);
  }

 private:
  // Top products, then small ones whose sum shows in D, also behind half of D's last place.
  void swallow() {
    const std::size_t k = subject_.k;
    for (const std::size_t tops : shares(k, k / 2)) {
      const Run top{Role::kTop, tops};
      Operands product = fitting(tops, false);
      ask_both_ways(in_turn({top, {Role::kSmall, k - tops}}), {.top = product});
      const int precision = subject_.d->precision();
      if (precision_of(sum_of(subject_, product, tops)) > precision) product = fitting(tops, true);
      const soft::Value sum = sum_of(subject_, product, tops);
      const auto half = power(sum.exponent - precision);
      if (!half || precision_of(sum) > precision) continue;
      ask_both_ways(in_turn({top, {Role::kHalf, 1}, {Role::kSmall, k - tops - 1}}),
                    {.top = product, .half = *half});
    }
  }

  // The largest product, or power of two, of which `count` are in the range of D.
  [[nodiscard]] Operands fitting(std::size_t count, bool power_of_two) const {
    for (int exponent = kCautious;; --exponent) {
      Operands product = top_product(subject_, exponent);
      if (power_of_two) {
        product.a &= ~subject_.a->fraction_mask();
        product.b &= ~subject_.b->fraction_mask();
      }
      const bool fits = sum_of(subject_, product, count).exponent < subject_.d->max_exponent();
      if (fits || exponent <= subject_.a->min_exponent() + subject_.b->min_exponent())
        return product;
    }
  }

  // Top products that cancel, and what is left of the small ones before, between or after them.
  void cancel(const Operands& product) {
    const std::size_t k = subject_.k;
    for (const std::size_t tops : shares(k, (k - 1) / 2)) {
      const Run top{Role::kTop, tops};
      const Run small{Role::kSmall, k - 2 * tops};
      const Run opposite{Role::kMinusTop, tops};
      ask(in_turn({top, small, opposite}), {.top = product});
      ask_both_ways(in_turn({small, top, opposite}), {.top = product});
    }
  }

  // The same with one of each, and a tie of D that the small product breaks: the smallest tie that
  // one can.
  void break_ties(const Operands& top) {
    using enum Role;
    const Format& d = *subject_.d;
    const int exponent = std::max(d.min_exponent(), a_.least + b_.least + d.precision() + 2);
    const auto tie = power(exponent);
    const auto half = power(exponent - d.precision());
    if (!tie || !half || exponent >= d.max_exponent()) return;
    for (const auto& roles : {std::array{kSmall, kTop, kMinusTop, kTie, kHalf},
                              std::array{kTop, kSmall, kMinusTop, kTie, kHalf},
                              std::array{kTie, kHalf, kSmall, kTop, kMinusTop},
                              std::array{kTie, kHalf, kTop, kSmall, kMinusTop}}) {
      if (subject_.k < roles.size()) return;
      const Layout layout = spread(roles, subject_.k);
      ask_both_ways(layout, {.top = top, .tie = *tie, .half = *half});
      if (subject_.c != nullptr && exponent >= subject_.c->min_exponent() &&
          exponent <= subject_.c->max_exponent())
        ask_both_ways(layout, {.top = top, .half = *half, .addend = exponent});
    }
  }

  [[nodiscard]] std::optional<Operands> power(int exponent) const {
    if (exponent < a_.least + b_.least || exponent > a_.most + b_.most) return std::nullopt;
    const int a = std::clamp(exponent - b_.most, a_.least, a_.most);
    return Operands{a_.at(a), b_.at(exponent - a)};
  }

  [[nodiscard]] Operands operands(Role role, const Products& products,
                                  const Operands& small) const {
    switch (role) {
      case Role::kZero:
        return {};
      case Role::kTop:
        return products.top;
      case Role::kMinusTop:
        return {products.top.a | subject_.a->sign_mask(), products.top.b};
      case Role::kSmall:
        return small;
      case Role::kTie:
        return products.tie;
      case Role::kHalf:
        return products.half;
    }
    return {};
  }

  void ask_both_ways(Layout layout, const Products& products) {
    ask(layout, products);
    std::ranges::reverse(layout);
    ask(layout, products);
  }

  // A row for each power of A and either sign, with all small products and with the first alone; a
  // column for each of columns_ and either sign of the whole.
  void ask(const Layout& layout, const Products& products) {
    const std::size_t k = layout.size();
    const std::size_t n = 2 * columns_.size();
    Question q = laboratory_.blank(4 * static_cast<std::size_t>(a_.count()), n);
    const auto first = std::ranges::find(layout, Role::kSmall) - layout.begin();
    for (std::size_t i = 0; i < q.problem.m; ++i) {
      const Bits small = a_.at(a_.least + static_cast<int>(i / 4));
      const Bits sign = i % 2 == 0 ? 0 : subject_.a->sign_mask();
      for (std::size_t x = 0; x < k; ++x) {
        const bool later = layout[x] == Role::kSmall && std::cmp_not_equal(x, first);
        if (i % 4 >= 2 && later) continue;
        q.a.set(i * k + x, operands(layout[x], products, {small | sign, 0}).a);
      }
    }
    for (std::size_t j = 0; j < n; ++j) {
      const Operands small{0, b_.at(columns_[j / 2])};
      const Bits sign = j % 2 == 0 ? 0 : subject_.b->sign_mask();
      for (std::size_t x = 0; x < k; ++x) {
        const Bits b = operands(layout[x], products, small).b;
        if (b != 0) q.b.set(x * n + j, b | sign);
      }
    }
    for (std::size_t i = 0; products.addend && i < q.c.count(); ++i)
      q.c.set(i, power_of_two(*subject_.c, *products.addend, i % 2 != 0));
    questions_.push_back(std::move(q));
  }

  const Laboratory& laboratory_;
  const Subject& subject_;
  Powers a_{*subject_.a};
  Powers b_{*subject_.b};
  // Exponents of B, so far apart that together with A's they give every small product.
  std::vector<int> columns_;
  std::vector<Question> questions_;
};

}  // namespace

std::vector<Question> directed_questions(const Laboratory& laboratory) {
  return Director(laboratory).questions();
}

}  // namespace halfmark::inference
