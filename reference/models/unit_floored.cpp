// SPDX-License-Identifier: Apache-2.0
// The rules that sum products on their own grid and add c with rounding down: kFloored
// and kFlooredSplit.
#include "reference/models/unit_terms.hpp"

namespace halfmark::models::rules {
namespace {

// Fraction bits kept where c is added to the sum of products, and where that total is rounded
// to nearest.
constexpr int kJoinBits = 32;
constexpr int kFinalBits = 31;

// sum * 2^(exponent - F); an empty or zero sum has kNoExponent.
struct GridSum {
  std::int64_t sum;
  int exponent;
};

GridSum grid_sum(const Unit& unit, std::span<const Term> terms, int places) {
  const int largest = largest_exponent(terms, kNoExponent);
  if (largest == kNoExponent) return {0, kNoExponent};
  return {sum_on_grid(terms, places, largest - unit.fraction_bits), largest};
}

// Products that reach 2^128 become infinities before anything is added.
void overflow_products(const Unit& unit, Products& products) {
  for (const Term& term : products.span()) {
    const bool carry = term.significand >> (products.places + 1) != 0;
    if (term.significand != 0 && term.exponent + (carry ? 1 : 0) > unit.output->max_exponent()) {
      products.specials.infinity(term.negative);
    }
  }
}

GridSum split_sum(const Unit& unit, const Products& products) {
  std::array<std::array<Term, kMostProducts>, 2> halves;
  std::array<std::size_t, 2> counts{};
  for (std::size_t k = 0; k < products.count; ++k)
    halves[k & 1][counts[k & 1]++] = products.terms[k];
  const GridSum even = grid_sum(unit, {halves[0].data(), counts[0]}, products.places);
  const GridSum odd = grid_sum(unit, {halves[1].data(), counts[1]}, products.places);
  const int exponent = std::max(even.exponent, odd.exponent);
  return {floored_shift(even.sum, even.exponent - exponent) +
              floored_shift(odd.sum, odd.exponent - exponent),
          exponent};
}

// Floors total * 2^grid to kFinalBits below its own exponent, which is at least the smallest normal
// one; the grid does not change.
std::int64_t floor_to_final(const Unit& unit, std::int64_t total, int grid) {
  const auto size = static_cast<std::uint64_t>(total < 0 ? -total : total);
  const int exponent =
      std::max(unit.output->min_exponent(), grid + 63 - std::countl_zero(size | 1));
  const int dropped = std::min(exponent - kFinalBits - grid, 62);
  if (dropped <= 0) return total;
  return (total >> dropped) * (std::int64_t{1} << dropped);
}

Bits join(const Unit& unit, const GridSum& dot, Term c, bool all_negative) {
  const int exponent = std::max(dot.exponent, c.exponent);
  const int grid = exponent - kJoinBits;
  if (unit.rule == Rule::kFlooredSplit && c.exponent < exponent - unit.fraction_bits - 1) {
    c.significand = 0;
  }
  const std::int64_t sum =
      floored_shift(dot.sum, std::max(dot.exponent - unit.fraction_bits - grid, -63));
  const auto size = static_cast<std::int64_t>(c.significand);
  const int c_grid = exponent - unit.fraction_bits;
  const std::int64_t addend =
      floored_shift(c.negative ? -size : size, c.exponent - unit.output->fraction_bits - c_grid);
  const std::int64_t total = sum + addend * (std::int64_t{1} << (kJoinBits - unit.fraction_bits));
  return round_total(unit, floor_to_final(unit, total, grid), grid, all_negative);
}

}  // namespace

Bits floored(const Unit& unit, const Block& block, Bits c) {
  Products products;
  multiply(block, products);
  overflow_products(unit, products);
  const Term addend = decode(*unit.output, c, products.specials);
  if (products.specials.any()) return special_result(unit, products.specials);
  const GridSum dot = unit.rule == Rule::kFlooredSplit
                          ? split_sum(unit, products)
                          : grid_sum(unit, products.span(), products.places);
  return join(unit, dot, addend, products.all_negative && addend.negative);
}

}  // namespace halfmark::models::rules
