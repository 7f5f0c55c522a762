// SPDX-License-Identifier: Apache-2.0
// The elementary functions of soft/functions.hpp by MPFR and the naive twin's rounding. Where MPFR
// has the function, its result is cut toward zero to more bits than any format has, with the word
// whether something was cut: enough for every direction and every subnormal policy. The sigmoid and
// both GELUs are composed from directed operations, with more precision until the cut is certain.
// Test only.
//
// Assumption: composed functions are never exact but at zero.
#pragma once

#include "reference/slow/exact.hpp"

namespace halfmark::slow::mpfr {

enum class Function {
  kExp,
  kExp2,
  kLog,
  kLog2,
  kRsqrt,
  kTanh,
  kErf,
  kSigmoid,
  kGelu,
  kGeluTanh,
  kSin,
  kCos,
  kTan,
  kAsin,
  kAcos,
  kAtan,
  kSinh,
  kCosh,
  kExp10,
  kExpm1,
  kLog10,
  kLog1p,
  kCbrt,
  kErfc,
  kSinpi,
  kCospi
};

// By the name that soft::kFunctions has for it; aborts on any other.
[[nodiscard]] Function find_function(std::string_view name);

struct FunctionValue {
  enum class Kind { kQuietNan, kInvalid, kZero, kInfinity, kPole, kFinite };
  Kind kind;
  Exact value;  // of zeros, infinities and poles the sign alone
};

// The exact value at an encoding: its leading bits, with a one behind them for all that follow.
[[nodiscard]] FunctionValue value_of(Function function, const Format& f, Bits a);

// At a zero of either sign: what a flushed operand becomes even where the format has one zero only.
[[nodiscard]] FunctionValue value_at_zero(Function function, bool negative);

[[nodiscard]] Result rounded(const FunctionValue& value, const Format& f, const Environment& env);

}  // namespace halfmark::slow::mpfr
