// SPDX-License-Identifier: Apache-2.0
// The naive twin of the matrix units: every rule from its definition (models/unit_rules.hpp), over
// exact fractions of whole values. It never sees a significand: an exponent is the logarithm of a
// value, a grid is a power of two, and truncation is division with remainder. It shares only the
// table rows with models/unit.cpp.
//
// It can also be wrong on purpose: a variation names one thing that a mutant of a model
// does differently.
#pragma once

#include <optional>
#include <vector>

#include "reference/models/unit.hpp"
#include "reference/slow/rational.hpp"

namespace halfmark::slow {

enum class Variation {
  kNone,
  kNormalisedProducts,  // exponents are those of the products' values
  kTrueExponents,       // exponents of subnormal operands are those of their values
  kAlignedNearest,      // terms aligned to nearest even instead of toward zero
  kAlignedDown,         // terms aligned toward minus infinity
  kLateC,               // c added last, to nearest even
  kEarlyC,              // c takes part in the first step (kThroughHalf), in the chains (kEvenOdd)
  kFirstC,              // c added to the first pair, not to their sum (kFlushedPairs)
  kReversed,            // k descending
  kHalves,              // kThroughHalf: k below 16, then the rest
  kEvenThenOdd,         // kThroughHalf: even k, then odd k
  kNoSplit,             // kFlooredSplit: one sum instead of two
  kUnflushed,           // no subnormal is flushed
  kFlushedInputs,       // subnormal operands are zeros
  kFlushedResult,       // subnormal results are zeros
  kBrainOperands,       // operands rounded to bf16
  kSequentialPairs,     // kFlushedPairs: one after the other
  kKeepC,               // kFlooredSplit: keeps a small c
  kTruncatedJoin,       // kFloored: toward zero wherever the rule rounds down
  kJoinNearest,         // kFloored: c and the sum rounded to nearest even when they are added
  kNoFinalFloor,        // kFloored: without the 31 bits before the last rounding
  kInfiniteProducts,    // products beyond fp32 are infinities
  kFiniteProducts,      // kFloored: products of any size stay finite
  kOpposites,           // infinities of both signs give the positive one
  kSaturated,           // overflow gives the largest finite number
  kGroupExponents,      // kGroupScaled: a group that cancels counts as zero
  kSignedScales,        // kGroupScaled: the signs of scales count
  kPositiveZero,        // a zero sum is +0
  kUnfused,             // kFmaChain: products rounded before they are added
};

struct UnitProblem {
  const formats::Format* a_format;
  const formats::Format* b_format;
  std::vector<formats::Bits> a, b;
  std::optional<models::Encoded> c;
  std::vector<formats::Bits> a_scales, b_scales;
};

[[nodiscard]] formats::Bits unit_dot(const models::Unit& unit, const UnitProblem& problem,
                                     Variation variation = Variation::kNone);

}  // namespace halfmark::slow
