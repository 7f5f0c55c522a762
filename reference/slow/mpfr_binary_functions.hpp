// SPDX-License-Identifier: Apache-2.0
// The functions of soft/binary_functions.hpp by MPFR, in the manner of mpfr_functions.hpp. MPFR
// handles the special values of ISO C; those of powr, which MPFR lacks, are written out here.
// Tests only.
#pragma once

#include "reference/slow/mpfr_functions.hpp"

namespace halfmark::slow::mpfr {

// For a name in soft::kBinaryFunctions; aborts on any other.
[[nodiscard]] FunctionValue value_of(std::string_view name, const Format& f, Bits a, Bits b,
                                     const Environment& env);

}  // namespace halfmark::slow::mpfr
