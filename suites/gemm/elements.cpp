// SPDX-License-Identifier: Apache-2.0
#include "suites/gemm/elements.hpp"

#include <algorithm>

#include "reference/formats/classify.hpp"
#include "reference/soft/codec.hpp"
#include "suites/core/case/named_rows.hpp"

namespace halfmark::suites::gemm {
namespace {

using formats::Bits;
using formats::Format;

std::int64_t between(const Context& x, std::uint64_t index, std::int64_t low, std::int64_t high) {
  return low + static_cast<std::int64_t>(
                   x.random.below(index, static_cast<std::uint64_t>(high - low + 1)));
}

Bits as_base(const Context& x, const Place& at) { return x.base.at(at.index); }

// Uniform between low and 1 in the format's own precision, times 2^exponent.
Bits fraction(const Context& x, std::uint64_t index, std::int64_t low, int exponent) {
  const int bits = x.format().precision();
  const std::int64_t one = std::int64_t{1} << bits;
  return scaled(x.format(), between(x, index, low * one + 1, one - 1), exponent - bits);
}

// Never zero, so that every zero sum comes from cancellation and is +0 in any order.
Bits integer(const Context& x, const Place& at) {
  const std::int64_t value = between(x, at.index, 1, 8);
  return scaled(x.format(), value > 4 ? 4 - value : value, 0);
}

// positive: of one sign, so that long sums outgrow their terms by many bits.
Bits positive(const Context& x, const Place& at) {
  return scaled(x.format(), between(x, at.index, 1, 4), 0);
}

Bits power_of_two(const Format& f, int exponent) { return scaled(f, 1, exponent); }

// zeros: all but one element of each row of A and of each column of B, so that nearly all products
// are zero and a kernel that writes zeros is still wrong. No element is negative, so every zero sum
// is +0.
Bits seldom(const Context& x, const Place& at, bool here) {
  return here ? scaled(x.format(), between(x, at.index, 1, 8), 0) : formats::zero(x.format());
}
Bits zeros_a(const Context& x, const Place& at) {
  return seldom(x, at, at.column == at.row % x.k());
}
Bits zeros_b(const Context& x, const Place& at) {
  return seldom(x, at, at.row == at.column % x.k());
}

// wide: whole numbers whose sums need more bits than fp16 has but are exact in fp32.
Bits wide(const Context& x, const Place& at) {
  const std::int64_t value = between(x, at.index, 1, 62);
  return scaled(x.format(), value > 31 ? 31 - value : value, 0);
}

// large: the same around the largest fp16 number: a narrow sum overflows, a narrow D sometimes.
Bits large(const Context& x, const Place& at) {
  const std::int64_t value = between(x, at.index, 0, 127);
  return scaled(x.format(), value < 64 ? value + 64 : -value, 0);
}

// ones: every product of a row and a column is the same signed power of two.
Bits ones_a(const Context& x, const Place& at) {
  return power_of_two(x.format(), static_cast<int>(at.row % 3));
}
Bits ones_b(const Context& x, const Place& at) {
  const Bits size = power_of_two(x.format(), -static_cast<int>(at.column % 3));
  return at.column % 2 == 0 ? size : size ^ x.format().sign_mask();
}

// permutation: d[i,j] is a[i, j+1]. A has no zero: the sign of a zero sum is not what this
// fill tests.
Bits permutation_a(const Context& x, const Place& at) {
  const Bits bits = x.base.at(at.index);
  return formats::is_zero(x.format(), bits) ? formats::min_subnormal(x.format()) : bits;
}
Bits permutation_b(const Context& x, const Place& at) {
  return at.row == (at.column + 1) % x.k() ? formats::one(x.format()) : formats::zero(x.format());
}

// shrunk: the same, with products that are subnormal in D's format. Where D is narrower than the
// sum, some underflow to zero and keep their sign: the sum itself is exact.
int shrunk_exponent(const Binding& bound) {
  const int smallest = bound.output->min_exponent() - bound.output->fraction_bits;
  return bound.output->precision() < bound.accumulator->precision() ? smallest - 4 : smallest;
}
Bits shrunk_a(const Context& x, const Place& at) {
  const std::int64_t value = between(x, at.index, 1, 127);
  const bool negative = x.random.derived(3).below(at.index, 2) != 0;
  const int exponent = shrunk_exponent(x.bound);
  return scaled(x.format(), negative ? -value : value, exponent - exponent / 2);
}
Bits shrunk_b(const Context& x, const Place& at) {
  if (at.row != (at.column + 1) % x.k()) return formats::zero(x.format());
  return power_of_two(x.format(), shrunk_exponent(x.bound) / 2);
}

// cancel: the second half of each sum cancels the first half, term by term from the middle; every
// fourth term is small and remains. The result consists of the small terms and the rounding errors
// of the specified order.
bool stays(std::size_t k, std::size_t x) {
  return x % 4 == 3 || k - 1 - x == x || (k - 1 - x) % 4 == 3;
}
Bits cancel_a(const Context& x, const Place& at) {
  const std::size_t mirror = x.k() - 1 - at.column;
  if (stays(x.k(), at.column)) return fraction(x, at.index, -1, -8);
  const bool second = at.column > mirror;
  const Bits bits = fraction(x, second ? at.index - at.column + mirror : at.index, -1, 6);
  return second ? bits ^ x.format().sign_mask() : bits;
}
Bits cancel_b(const Context& x, const Place& at) {
  const std::size_t mirror = x.k() - 1 - at.row;
  const std::size_t columns = x.bound.problem.n;
  const bool second = at.row > mirror && !stays(x.k(), at.row);
  return fraction(x, second ? at.index - at.row * columns + mirror * columns : at.index, 0, 0);
}

// splitk: the first half of each sum builds up to S, the second half reduces it to about 2^-11
// of S.
Bits splitk_a(const Context& x, const Place& at) {
  const std::size_t half = x.k() / 2;
  const std::size_t start = at.index - at.column;
  if (at.column >= 2 * half) return scaled(x.format(), between(x, at.index, 1, 255), -8);
  const bool second = at.column >= half;
  const std::int64_t value =
      between(x, start + at.column % std::max<std::size_t>(half, 1), 512, 1023);
  const std::int64_t change = second ? between(x, at.index, 0, 1) : 0;
  return scaled(x.format(), second ? change - value : value, -9);
}
Bits splitk_b(const Context& x, const Place& at) {
  return power_of_two(x.format(), -static_cast<int>(at.column % 4));
}

// The format in which a `ties` result is rounded: the narrower of accumulator and output.
const Format& rounded_in(const Binding& bound) {
  return bound.output->precision() < bound.accumulator->precision() ? *bound.output
                                                                    : *bound.accumulator;
}

// How many places below half a last place the third term of `ties` may reach: what an operand can
// hold and, where the sum is rounded only when it is stored, what the accumulator holds exactly.
int spare_bits(const Binding& bound, const Format& target) {
  const int held = bound.accumulator->precision() - target.precision() - 2;
  return held > 0 ? std::min(held, bound.operands->fraction_bits) : bound.operands->fraction_bits;
}

// ties: a sum of three terms, a number v of the rounding format, one of its last places or none,
// and half of a last place, exactly or slightly more or less. Rows are random walks over exponents
// at which all three are representable.
Bits ties_a(const Context& x, const Place& at) {
  const Format& f = x.format();
  const Format& target = rounded_in(x.bound);
  const int lowest = std::max(f.min_exponent(), target.min_exponent()) + target.precision();
  const int highest = std::min({f.max_exponent(), target.max_exponent(), 100}) - 2;
  const int low = std::min(std::max(lowest, -100), highest);
  const std::uint64_t triple = at.index - at.column % 3;
  const int exponent = static_cast<int>(between(x, triple, low, highest));
  const bool negative = x.random.derived(7).below(triple, 2) != 0;
  const int last_place = exponent - target.fraction_bits;
  const int bits = std::min(f.fraction_bits, target.fraction_bits);
  const int spare = spare_bits(x.bound, target);
  std::int64_t value = 0;
  int scale = 0;
  switch (at.column % 3) {
    case 0:
      value = (std::int64_t{1} << bits) + between(x, triple + 1, 0, (std::int64_t{1} << bits) - 1);
      scale = exponent - bits;
      break;
    case 1:
      value = between(x, at.index, -1, 1);
      scale = last_place;
      break;
    default:
      value = (std::int64_t{1} << spare) + between(x, at.index, -1, 1);
      scale = last_place - 1 - spare;
      break;
  }
  return scaled(f, negative ? -value : value, scale);
}
Bits ties_b(const Context& x, const Place& at) {
  const std::size_t triples = std::max<std::size_t>(x.k() / 3, 1);
  return at.row / 3 == at.column % triples ? formats::one(x.format()) : formats::zero(x.format());
}

// border: sums around the largest number of the narrowest range among operands and output; the sign
// alternates by row.
int border_exponent(const Binding& bound) {
  return std::min({bound.operands->max_exponent(), bound.operands_of_b->max_exponent(),
                   bound.output->max_exponent()}) +
         1;
}
Bits border_a(const Context& x, const Place& at) {
  const std::int64_t value = between(x, at.index, 768, 1279) * (at.row % 2 == 0 ? 1 : -1);
  return scaled(x.format(), value, border_exponent(x.bound) / 2 - 10);
}
Bits border_b(const Context& x, const Place& at) {
  const int exponent = border_exponent(x.bound) - border_exponent(x.bound) / 2;
  const std::int64_t share =
      (std::int64_t{1} << 20) / static_cast<std::int64_t>(std::max<std::size_t>(x.k(), 1));
  return scaled(x.format(), between(x, at.index, 768, 1279) * share, exponent - 30);
}

// special: NaN (quiet, and with a low payload), infinities, zeros and the largest number, so rare
// that about half of the sums contain none.
Bits special(const Context& x, const Place& at) {
  const Format& f = x.format();
  if (x.random.derived(1).below(at.index, 3 * x.k()) != 0) return x.base.at(at.index);
  const Bits infinity = formats::infinity(f);
  const Bits choices[] = {formats::quiet_nan(f),
                          infinity | 1,
                          infinity,
                          infinity | f.sign_mask(),
                          formats::max_finite(f),
                          formats::zero(f),
                          formats::zero(f, true),
                          formats::max_finite(f, true)};
  return choices[x.random.derived(2).below(at.index, std::size(choices))];
}

// nonfinite: whole numbers with the special values of special(); a sum without NaN or infinity is
// exact. Zeros meet the infinities of the other operand.
Bits nonfinite(const Context& x, const Place& at) {
  const Format& f = x.format();
  if (x.random.derived(1).below(at.index, 3 * x.k()) != 0) return integer(x, at);
  const Bits infinity = formats::infinity(f);
  const Bits choices[] = {formats::quiet_nan(f),    infinity | 1,     infinity,
                          infinity | f.sign_mask(), formats::zero(f), formats::zero(f, true)};
  return choices[x.random.derived(2).below(at.index, std::size(choices))];
}
// Every third term of A is zero, wherever B has no zero of its own; in every eighth row whole
// blocks are zero, and nothing else is special.
Bits nonfinite_a(const Context& x, const Place& at) {
  const Bits zero = formats::zero(x.format(), at.row % 4 == 1);
  if (at.row % 8 == 2) return at.column >= 16 && at.column < 64 ? zero : integer(x, at);
  return at.column % 3 == 1 && at.row % 2 == 1 ? zero : nonfinite(x, at);
}

// Infinities are multiplied by those blocks.
Bits nonfinite_b(const Context& x, const Place& at) {
  const bool meets = (at.row == 24 && at.column % 8 == 6) || (at.row == 40 && at.column % 8 == 3);
  return meets ? formats::infinity(x.format(), at.column % 16 >= 8) : nonfinite(x, at);
}

// related: no sum is subnormal, and none overflows when multiplied by eight.
Bits related(const Context& x, const Place& at) {
  return scaled(x.format(), between(x, at.index, 1024, 2047), -11);
}

constexpr FillRow kFills[] = {
    {"integer", {integer}, {integer}},
    {"positive", {positive}, {positive}},
    {"wide", {wide}, {wide}},
    {"large", {large}, {large}},
    {"ones", {ones_a}, {ones_b}},
    {"zeros", {zeros_a}, {zeros_b}},
    {"permutation", {permutation_a, "finite"}, {permutation_b}},
    {"shrunk", {shrunk_a}, {shrunk_b}},
    {"ties", {ties_a}, {ties_b}},
    {"uniform", {as_base, "uniform"}, {as_base, "uniform"}},
    {"normal", {as_base, "normal"}, {as_base, "normal"}},
    {"cancel", {cancel_a}, {cancel_b}},
    {"splitk", {splitk_a}, {splitk_b}},
    {"subnormal", {as_base, "subnormal"}, {as_base, "normal"}},
    {"tiny", {as_base, "tiny"}, {as_base, "tiny"}},
    {"border", {border_a}, {border_b}},
    {"finite", {as_base, "finite"}, {as_base, "finite"}},
    {"special", {special, "normal"}, {special, "normal"}},
    {"nonfinite", {nonfinite_a}, {nonfinite_b}},
    {"related", {related}, {related}},
};

}  // namespace

const FillRow& find_fill(std::string_view name) { return row_named(kFills, name); }

bool products_can_shrink(const Binding& bound) {
  const Format& f = *bound.operands;
  return shrunk_exponent(bound) / 2 >= f.min_exponent() - f.fraction_bits;
}

std::span<const std::string_view> fill_names() {
  static const auto kNames = names_of(kFills);
  return kNames;
}

}  // namespace halfmark::suites::gemm
