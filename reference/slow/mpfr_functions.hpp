// SPDX-License-Identifier: Apache-2.0
// The elementary functions of soft/functions.hpp by MPFR and the naive twin's rounding. Where MPFR
// has the function, its result is truncated to more bits than any format has, with a flag that says
// whether anything was lost; this is enough for every direction and every subnormal policy. The
// sigmoid and both GELUs are composed from directed operations, with more precision until the
// truncation is certain. Tests only.
//
// Assumption: composed functions are exact only at zero.
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

// By the name in soft::kFunctions; aborts on any other.
[[nodiscard]] Function find_function(std::string_view name);

struct FunctionValue {
  enum class Kind { kQuietNan, kInvalid, kZero, kInfinity, kPole, kFinite };
  Kind kind;
  Exact value;  // only the sign for zeros, infinities and poles
};

// The exact value at an encoding: its leading bits, followed by a one for all lower bits if any.
[[nodiscard]] FunctionValue value_of(Function function, const Format& f, Bits a);

// The value at a zero of either sign: a flushed operand becomes one even in formats with a
// single zero.
[[nodiscard]] FunctionValue value_at_zero(Function function, bool negative);

[[nodiscard]] Result rounded(const FunctionValue& value, const Format& f, const Environment& env);

}  // namespace halfmark::slow::mpfr
