// SPDX-License-Identifier: Apache-2.0
// The rules by which matrix units evaluate a block: for the evaluator (unit.cpp) and tests only.
//
// A product is the exact product of two significands with the sum of two exponents, taken directly
// from the operands: subnormals are not normalised (|s| < 1 at the least exponent of their format),
// and the product is not renormalised (|s| < 4). L, F and the rest are fields of the row.
//
//   kTruncated     Terms: L products and c. A term that is zero has the exponent zero_exponent. M
//                  is the largest exponent; every term is truncated toward zero to a multiple of
//                  2^(M - F); the terms are added exactly; the sum is rounded once.
//   kScaledTruncated  The same; the exponents of the two scales are added to those of a product.
//   kGroupScaled   Terms: c, and for every 16 products their exact sum times the significands of
//                  their two scales; its exponent is the sum of the exponents of the scales only. A
//                  group has zero_exponent when all its products or its scales are zero, not when
//                  it cancels. The signs of scales are ignored.
//   kThroughHalf   a and b are converted to fp16. From +0, two kTruncated steps of 16 products:
//                  those with k mod 4 in {0, 1}, then {2, 3}. Then c is added, to nearest even.
//   kExact         The exact sum of L products and c, rounded once.
//   kFlushedPairs  Subnormals and zeros of a, b and c count as +0. Products are rounded to fp32;
//                  p0 + p1, p2 + p3, their sum, c + that; every result is rounded to nearest even,
//                  and if then subnormal becomes a zero of its sign.
//   kFloored       A product that reaches 2^128 is infinite. Products, without c, are truncated
//                  toward zero to F bits below their largest exponent M, and added. At E, the
//                  larger of M and c's exponent, the sum is rounded down to 32 and c to F fraction
//                  bits; their sum is rounded down to 31 fraction bits of its own exponent (at
//                  least -126) and then to the nearest fp32.
//   kFlooredSplit  Products of even and of odd k form such sums with separate exponents; both are
//                  rounded down to F bits at the larger exponent and added. Then as kFloored, but c
//                  counts as zero when its exponent is below E - F - 1.
//   kEvenOdd       From +0, two chains of fma, over even and over odd k, within one instruction;
//                  then c + (even + odd). Every operation flushes subnormal operands and results to
//                  zero by the rules of `soft`; subnormals of narrower operands are fp32 numbers.
//   kFmaChain      c = fma(a_k, b_k, c), k ascending, to nearest even.
//   kFlushedChain  The same, k descending within a block, flushing as kEvenOdd does.
//   kOddPairs      The products of a block are added, then c; each result is rounded to odd (toward
//                  zero, and the last bit is set if it is inexact), flushing as kEvenOdd does.
//
// In all of them a NaN among operands or scales, infinity times zero, and infinities of both signs
// give the unit's NaN; otherwise an infinity is the result. A sum of zero is -0 if every term of it
// is negative (terms truncated to zero keep their signs) and the unit keeps that sign
// (Unit::zero_is_positive), else +0. A result that overflows is an infinity, even when rounding
// toward zero. The rules built from operations of `soft` (kFmaChain, kFlushedChain, kOddPairs,
// kFlushedPairs, kEvenOdd) follow IEEE 754 there, which differs only for zeros.
#pragma once

#include "reference/models/unit.hpp"

namespace halfmark::models::rules {

// The largest number of products between two uses of c.
inline constexpr std::size_t kMostProducts = 64;
inline constexpr int kGroup = 16;

// The operands of one step, with the scales that it needs: one per scale_block products.
struct Block {
  const Format* a_format;
  const Format* b_format;
  std::span<const Bits> a, b;
  std::span<const Bits> a_scales, b_scales;
};

// Each function computes the block's d from its c, both in unit.output.
[[nodiscard]] Bits fma_chain(const Unit& unit, const Block& block, Bits c);
[[nodiscard]] Bits truncated(const Unit& unit, const Block& block, Bits c);
[[nodiscard]] Bits group_scaled(const Unit& unit, const Block& block, Bits c);
[[nodiscard]] Bits through_half(const Unit& unit, const Block& block, Bits c);
[[nodiscard]] Bits exact(const Unit& unit, const Block& block, Bits c);
[[nodiscard]] Bits flushed_pairs(const Unit& unit, const Block& block, Bits c);
[[nodiscard]] Bits floored(const Unit& unit, const Block& block, Bits c);
[[nodiscard]] Bits even_odd(const Unit& unit, const Block& block, Bits c);
[[nodiscard]] Bits flushed_chain(const Unit& unit, const Block& block, Bits c);
[[nodiscard]] Bits odd_pairs(const Unit& unit, const Block& block, Bits c);

}  // namespace halfmark::models::rules
