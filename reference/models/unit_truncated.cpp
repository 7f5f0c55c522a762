// SPDX-License-Identifier: Apache-2.0
// The rules that truncate all terms, including c, to one grid: kTruncated, kScaledTruncated,
// kGroupScaled, and kThroughHalf, which uses the first.
#include "reference/models/unit_terms.hpp"
#include "reference/soft/soft.hpp"

namespace halfmark::models::rules {
namespace {

// The terms and c, which has its own places, on the grid of the largest exponent.
Bits truncated_sum(const Unit& unit, std::span<const Term> terms, int places, const Term& c,
                   bool all_negative) {
  const int c_places = unit.output->fraction_bits;
  const int largest = largest_exponent({&c, 1}, largest_exponent(terms, unit.zero_exponent));
  const int grid = largest - unit.fraction_bits;
  const std::int64_t total = sum_on_grid(terms, places, grid) + on_grid(c, c_places, grid);
  return round_total(unit, total, grid, all_negative && c.negative);
}

// The exponents of scales that have no fraction; a NaN is recorded in `specials`.
int scale_exponent(const Unit& unit, Bits bits, Specials& specials) {
  return decode(*unit.scale, bits, specials).exponent;
}

// The sum of one group times its scales, whose signs are ignored.
Term group_term(const Unit& unit, std::span<const Term> products, Bits a_scale, Bits b_scale,
                Specials& specials) {
  // An fp4 operand spans few exponents, so all products fit one grid without loss.
  const int least = 2 * formats::kE2m1.min_exponent();
  std::int64_t sum = 0;
  bool all_zero = true;
  bool all_negative = true;
  for (const Term& term : products) {
    const auto size = static_cast<std::int64_t>(term.significand << (term.exponent - least));
    sum += term.negative ? -size : size;
    all_zero = all_zero && size == 0;
    all_negative = all_negative && term.negative;
  }
  const Format& f = *unit.scale;
  const Term x = decode(f, a_scale, specials);
  const Term y = decode(f, b_scale, specials);
  const std::uint64_t scale = x.significand * y.significand;
  const auto size = static_cast<std::uint64_t>(sum < 0 ? -sum : sum);
  const bool zero = all_zero || scale == 0;
  return {sum < 0 || (sum == 0 && all_negative),
          zero ? unit.zero_exponent : x.exponent + y.exponent, size * scale};
}

}  // namespace

Bits truncated(const Unit& unit, const Block& block, Bits c) {
  Products products;
  multiply(block, products);
  if (!block.a_scales.empty()) {
    const int scale = scale_exponent(unit, block.a_scales[0], products.specials) +
                      scale_exponent(unit, block.b_scales[0], products.specials);
    for (std::size_t k = 0; k < products.count; ++k) products.terms[k].exponent += scale;
  }
  const Term addend = decode(*unit.output, c, products.specials);
  if (products.specials.any()) return special_result(unit, products.specials);
  return truncated_sum(unit, products.span(), products.places, addend, products.all_negative);
}

Bits group_scaled(const Unit& unit, const Block& block, Bits c) {
  Products products;
  multiply(block, products);
  std::array<Term, kMostProducts / kGroup> groups;
  std::size_t count = 0;
  bool all_negative = true;
  for (std::size_t k = 0; k < products.count; k += kGroup, ++count) {
    const std::size_t scale = k / static_cast<std::size_t>(unit.scale_block);
    const std::size_t size = std::min<std::size_t>(kGroup, products.count - k);
    groups[count] = group_term(unit, products.span().subspan(k, size), block.a_scales[scale],
                               block.b_scales[scale], products.specials);
    all_negative = all_negative && groups[count].negative;
  }
  const Term addend = decode(*unit.output, c, products.specials);
  if (products.specials.any()) return special_result(unit, products.specials);
  // The places of the products, of the scales, and of the grid on which the group was summed.
  const int places =
      products.places + 2 * unit.scale->fraction_bits - 2 * formats::kE2m1.min_exponent();
  // A group that cancels to zero still raises the largest exponent.
  int largest = largest_exponent({&addend, 1}, unit.zero_exponent);
  for (std::size_t g = 0; g < count; ++g) largest = std::max(largest, groups[g].exponent);
  const int grid = largest - unit.fraction_bits;
  const std::int64_t total = sum_on_grid({groups.data(), count}, places, grid) +
                             on_grid(addend, unit.output->fraction_bits, grid);
  return round_total(unit, total, grid, all_negative && addend.negative);
}

Bits through_half(const Unit& unit, const Block& block, Bits c) {
  std::array<Bits, kMostProducts> a;
  std::array<Bits, kMostProducts> b;
  Bits sum = formats::zero(*unit.output);
  for (const std::size_t first : {std::size_t{0}, std::size_t{2}}) {
    std::size_t count = 0;
    for (std::size_t k = 0; k < block.a.size(); ++k) {
      if ((k & 2) != first) continue;
      a[count] = soft::convert(*block.a_format, formats::kFp16, block.a[k]).bits;
      b[count] = soft::convert(*block.b_format, formats::kFp16, block.b[k]).bits;
      ++count;
    }
    const Block half{
        &formats::kFp16, &formats::kFp16, {a.data(), count}, {b.data(), count}, {}, {}};
    if (count != 0) sum = truncated(unit, half, sum);
  }
  const Bits d = soft::add(*unit.output, c, sum).bits;
  return formats::is_nan(*unit.output, d) ? unit.nan() : d;
}

}  // namespace halfmark::models::rules
