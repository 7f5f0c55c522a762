// SPDX-License-Identifier: Apache-2.0
// What a library's D may be when its order of summation is unspecified: an enclosure of
// every output.
//
// With n roundings of unit roundoff u that any term passes through, in any order, fused or not, in
// parts or not (Higham, "Accuracy and Stability of Numerical Algorithms", 2nd edition, lemma 3.1
// and section 4.2),
//
//     |computed - exact| <= gamma * S + underflow,   gamma = (1 + u)^n - 1,
//
// since roundings multiply and none divides; gamma is at most n u / (1 - n u), and still meaningful
// where n u is 1 or more, as in half precision. S sums the magnitudes of alpha a_k b_k, of beta c
// and of the bias. A term passes through at most k roundings in the sum and four after it: alpha,
// C, the bias, the addition to it. The store rounds once more, to nearest; that is monotone, so the
// allowed results are those between the rounded ends. Underflow: each of the n roundings may lose a
// number below the smallest normal one.
//
// The sums of products and S come from the fast engine, each rounded to fp64 once, with an error of
// at most 2^-53 S; gamma is rounded up by more than 2^-31. Everything else is evaluated without
// error. Plain sums are summed in fp64 first, which mostly decides the same bits (plain_ends.hpp).
//
// A matrix unit sums differently: it aligns the products of a block, and c, to the largest exponent
// among them, or flushes subnormal operands. The results of the providers `unit` and `unit2` may
// therefore also be as far from the exact value as models/unit_error.hpp allows any unit in the
// table that accepts these formats. Their c is part of the sum, and they accept no other scalars.
// With subnormal operands such a bound is weak: one of the units loses their products.
//
// A smooth activation is applied to the number before the store, anywhere between those ends, and
// may return anything that gelu.cpp allows for it.
//
// Assumptions: u belongs to the accumulator that the case names; the sums stay within its range
// (refusals.cpp), with a margin for units. Wider accumulators are more exact and therefore inside.
#include <algorithm>
#include <bit>
#include <optional>
#include <vector>

#include "reference/fast/double_sums.hpp"
#include "reference/fast/gemm.hpp"
#include "reference/fast/parallel.hpp"
#include "reference/formats/classify.hpp"
#include "reference/models/exact_sum.hpp"
#include "reference/models/unit_error.hpp"
#include "reference/soft/soft.hpp"
#include "suites/core/case/fills.hpp"
#include "suites/core/execute/provider.hpp"
#include "suites/gemm/binding.hpp"
#include "suites/gemm/plain_ends.hpp"

namespace halfmark::suites::gemm {
namespace {

using formats::Bits;
using formats::Format;
using formats::kFp32;
using models::ExactSum;
using models::Unit;

constexpr std::size_t kRoundingsBehind = 4;
constexpr std::size_t kPart = 1 << 14;  // elements that one thread takes at a time

Bits negative(const Format& f, Bits x) { return x | f.sign_mask(); }

// (1 + u)^n - 1, rounded up, with a margin of 2^-31.
Bits growth_above(std::size_t n, int precision) {
  constexpr soft::Environment kUp{.rounding = soft::Rounding::kUp};
  constexpr const Format& f = formats::kFp64;
  const Bits one = formats::one(f);
  Bits factor = soft::add(f, one, scaled(f, 1, -precision), kUp).bits;
  Bits power = one;
  for (; n > 0; n /= 2) {
    if (n % 2 != 0) power = soft::mul(f, power, factor, kUp).bits;
    factor = soft::mul(f, factor, factor, kUp).bits;
  }
  const Bits growth = soft::sub(f, power, one, kUp).bits;
  return soft::convert(f, kFp32, soft::add(f, growth, scaled(f, 1, -31), kUp).bits, kUp).bits;
}

// Rounded up, so that bounds stay bounds.
Bits product_above(Bits x, Bits y) {
  return soft::mul(kFp32, x, y, {.rounding = soft::Rounding::kUp}).bits;
}

// Whether no sum of the one is farther off than one of the other may be, of the same products.
bool is_within(const Unit& x, const Unit& y) {
  return x.rule == y.rule && x.step() == y.step() && x.fraction_bits >= y.fraction_bits &&
         x.kept_bits >= y.kept_bits && x.rounding == y.rounding &&
         x.zero_exponent <= y.zero_exponent;
}

// One row of each kind of unit that the case may run on; none if the case names no unit. Libraries
// multiply operands of 8 bits by units alone, and their sums are no fp32 sums.
std::vector<const Unit*> units_of(const Binding& bound) {
  std::vector<const Unit*> rows;
  if (!is_unit(bound.provider) && bound.operands->storage_bytes() > 1) return rows;
  for (const Unit& unit : models::all_units()) {
    const bool matches = *unit.output == *bound.accumulator &&
                         models::has_error_limit(unit, *bound.operands, *bound.operands_of_b);
    const bool is_new = std::none_of(rows.begin(), rows.end(),
                                     [&](const Unit* row) { return is_within(unit, *row); });
    if (!matches || !is_new) continue;
    std::erase_if(rows, [&](const Unit* row) { return is_within(*row, unit); });
    rows.push_back(&unit);
  }
  return rows;
}

formats::Tensor magnitudes(formats::Tensor tensor) {
  for (std::size_t i = 0; i < tensor.count(); ++i)
    tensor.set(i, formats::magnitude(*tensor.format, tensor.at(i)));
  return tensor;
}

// Exact sums of products, each rounded to fp64 once.
formats::Tensor sums_of_products(operators::GemmProblem problem, const formats::Tensor& a,
                                 const formats::Tensor& b) {
  problem.alpha.reset();
  problem.beta.reset();
  problem.d_format = &formats::kFp64;
  return fast::gemm(problem, a, b, nullptr, models::Arithmetic{}, models::Machine{});
}

class Enclosing {
 public:
  Enclosing(const Binding& bound, const Operands& operands)
      : bound_(bound), p_(bound.problem), operands_(operands), units_(units_of(bound)) {
    alpha_ = p_.alpha.value_or(formats::one(kFp32));
    sum_up();
    const std::size_t n = p_.k + kRoundingsBehind;
    gamma_ = growth_above(n, bound.accumulator->precision());
    underflow_ = scaled(kFp32, static_cast<std::int64_t>(n), bound.accumulator->min_exponent());
  }

  // Without scalars, bias, activation or a unit.
  [[nodiscard]] bool is_plain() const {
    return alpha_ == formats::one(kFp32) && !has_beta() && !bound_.variant->bias &&
           bound_.variant->activation == Activation::kNone && units_.empty();
  }

  [[nodiscard]] std::optional<Ends> plain(std::size_t i) const {
    const auto number = [](Bits fp64) { return std::bit_cast<double>(fp64); };
    const auto wide = [](Bits fp32) {
      return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(fp32)));
    };
    return plain_ends(*bound_.output, number(products_.at(i)), number(sizes_.at(i)), error_,
                      wide(gamma_), 2 * wide(underflow_));
  }

  [[nodiscard]] Ends at(std::size_t i) const {
    ExactSum exact;
    ExactSum size;
    exact.add(formats::kFp64, error_ == 0 ? products_.at(i) : sum_at(i, false));
    size.add(formats::kFp64, error_ == 0 ? sizes_.at(i) : sum_at(i, true));
    exact.scale(kFp32, alpha_);
    add_rest(i, exact);
    const Bits middle = exact.round(kFp32).bits;
    if (!formats::is_finite(kFp32, middle)) {
      const Bits special = finished(exact);
      return {special, special};
    }
    const ExactSum low = end(i, exact, size, true);
    const ExactSum high = end(i, exact, size, false);
    if (is_smooth(bound_.variant->activation)) return smooth(low, high);
    const Ends sums{finished(low), finished(high)};
    if (units_.empty()) return sums;
    const Bits off = off_by_units(i);
    const Format& f = *bound_.output;
    return {soft::minimum(f, sums.low, end_off(exact, negative(kFp32, off))).bits,
            soft::maximum(f, sums.high, end_off(exact, off)).bits};
  }

 private:
  // In fp64 where that is enough to decide nearly all ends, else exactly.
  void sum_up() {
    using fast::Terms;
    if (is_plain()) {
      auto products = fast::double_sums(p_, operands_.a, operands_.b, Terms::kProducts);
      auto sizes = fast::double_sums(p_, operands_.a, operands_.b, Terms::kMagnitudes);
      if (products && sizes) {
        products_ = std::move(*products);
        sizes_ = std::move(*sizes);
        error_ = static_cast<double>(p_.k + 1) * 0x1.1p-53;
        return;
      }
    }
    products_ = sums_of_products(p_, operands_.a, operands_.b);
    sizes_ = sums_of_products(p_, magnitudes(operands_.a), magnitudes(operands_.b));
  }

  // The exact sum of an output's products or of their magnitudes, rounded to fp64 once.
  [[nodiscard]] Bits sum_at(std::size_t i, bool of_magnitudes) const {
    const Format &of_a = *bound_.operands, &of_b = *bound_.operands_of_b;
    const std::size_t item = i / (p_.m * p_.n);
    ExactSum sum;
    for (std::size_t x = 0; x < p_.k; ++x) {
      const Bits a = operands_.a.at(p_.a_index(item, i / p_.n % p_.m, x));
      const Bits b = operands_.b.at(p_.b_index(item, x, i % p_.n));
      sum.add_product(of_a, of_magnitudes ? formats::magnitude(of_a, a) : a, of_b,
                      of_magnitudes ? formats::magnitude(of_b, b) : b);
    }
    return sum.round(formats::kFp64).bits;
  }

  [[nodiscard]] bool has_beta() const {
    return bound_.has_c() && !formats::is_zero(kFp32, *p_.beta);
  }

  void add_rest(std::size_t i, ExactSum& sum) const {
    const Format& f = *bound_.output;
    if (has_beta()) sum.add_product(kFp32, *p_.beta, f, operands_.c.at(i));
    if (bound_.variant->bias) sum.add(f, operands_.bias.at(i % p_.n));
  }

  [[nodiscard]] ExactSum size_of_rest(std::size_t i) const {
    const Format& f = *bound_.output;
    ExactSum sum;
    if (has_beta()) {
      sum.add_product(kFp32, formats::magnitude(kFp32, *p_.beta), f,
                      formats::magnitude(f, operands_.c.at(i)));
    }
    if (bound_.variant->bias) sum.add(f, formats::magnitude(f, operands_.bias.at(i % p_.n)));
    return sum;
  }

  // exact -+ gamma * size -+ underflow, stored.
  [[nodiscard]] ExactSum end(std::size_t i, const ExactSum& exact, ExactSum size,
                             bool below) const {
    const auto signed_as = [below](Bits x) { return below ? negative(kFp32, x) : x; };
    const Bits alpha = formats::magnitude(kFp32, alpha_);
    size.scale(kFp32, signed_as(product_above(gamma_, alpha)));
    ExactSum rest = size_of_rest(i);
    rest.scale(kFp32, signed_as(gamma_));
    ExactSum lost;
    lost.add(kFp32, signed_as(underflow_));
    lost.add_product(kFp32, signed_as(underflow_), kFp32, alpha);
    ExactSum sum = exact;
    for (const ExactSum* part : {&size, &rest, &lost}) sum.add(*part);
    return sum;
  }

  // The largest error of any unit's sum, rounded up.
  [[nodiscard]] Bits off_by_units(std::size_t i) const {
    std::vector<Bits> row(p_.k), column(p_.k);
    for (std::size_t x = 0; x < p_.k; ++x) {
      row[x] = operands_.a.at(i / p_.n * p_.k + x);
      column[x] = operands_.b.at((i / p_.n / p_.m * p_.k + x) * p_.n + i % p_.n);
    }
    std::optional<models::Encoded> c;
    if (has_beta()) c = models::Encoded{bound_.output, operands_.c.at(i)};
    Bits most = formats::zero(kFp32);
    for (const Unit* unit : units_) {
      const auto limit =
          models::unit_error_limit(*unit, {bound_.operands, row.data()},
                                   {bound_.operands_of_b, column.data()}, p_.k, c, *unit->output);
      if (limit) most = soft::maximum(kFp32, most, models::number_above(kFp32, *limit)).bits;
    }
    return most;
  }

  [[nodiscard]] Bits end_off(ExactSum exact, Bits off) const {
    exact.add(kFp32, off);
    return finished(exact);
  }

  [[nodiscard]] Bits finished(const ExactSum& sum) const {
    const Format& f = *bound_.output;
    const Bits x = sum.round(f).bits;
    const bool is_relu = bound_.variant->activation == Activation::kRelu;
    return is_relu ? soft::maximum(f, x, formats::zero(f)).bits : x;
  }

  // Its ends in fp64, rounded outwards.
  [[nodiscard]] Ends smooth(const ExactSum& low, const ExactSum& high) const {
    const auto real = [](const ExactSum& sum, soft::Rounding rounding) {
      return std::bit_cast<double>(sum.round(formats::kFp64, {.rounding = rounding}).bits);
    };
    const Interval sums{real(low, soft::Rounding::kDown), real(high, soft::Rounding::kUp)};
    const Variant& variant = *bound_.variant;
    const Interval image = variant.departure != nullptr ? gelu_tanh_with(*variant.departure, sums)
                                                        : activated(variant.activation, sums);
    return {nearest(*bound_.output, image.low), nearest(*bound_.output, image.high)};
  }

  const Binding& bound_;
  const operators::GemmProblem& p_;
  const Operands& operands_;
  formats::Tensor products_, sizes_;
  std::vector<const Unit*> units_;
  double error_ = 0;  // of products_ and sizes_, relative to the latter
  Bits gamma_ = 0, underflow_ = 0, alpha_ = 0;
};

}  // namespace

std::optional<Enclosure> enclose(const Case& c, const TensorSet& inputs) {
  if (contract_row(c, {}).tier != Tier::kBounded) return std::nullopt;
  return enclose(bind(c), inputs);
}

Enclosure enclose(const Binding& bound, const TensorSet& inputs) {
  const Operands operands = operands_of(bound, inputs);
  const Enclosing enclosing(bound, operands);
  formats::Tensor low = formats::Tensor::zeros(*bound.output, bound.problem.d_count());
  formats::Tensor high = low;
  const bool is_plain = enclosing.is_plain();
  const auto set_part = [&](std::size_t part) {
    for (std::size_t i = part * kPart; i < std::min(low.count(), (part + 1) * kPart); ++i) {
      const std::optional<Ends> decided = is_plain ? enclosing.plain(i) : std::nullopt;
      const auto [least, greatest] = decided ? *decided : enclosing.at(i);
      low.set(i, least);
      high.set(i, greatest);
    }
  };
  const unsigned threads = is_plain ? 0 : 1;
  fast::for_each_part((low.count() + kPart - 1) / kPart, threads, fast::Direction::kNearEven,
                      set_part);
  return Enclosure{stored_output(bound, inputs, low), stored_output(bound, inputs, high)};
}

}  // namespace halfmark::suites::gemm
