// SPDX-License-Identifier: Apache-2.0
// The functions of soft/binary_functions.hpp by MPFR, in the manner of mpfr_functions.hpp. MPFR
// knows the special values of ISO C by itself; those of powr, which it has not, are written out
// here. Test only.
#pragma once

#include "reference/slow/mpfr_functions.hpp"

namespace halfmark::slow::mpfr {

// Of one name in soft::kBinaryFunctions; aborts on any other.
[[nodiscard]] FunctionValue value_of(std::string_view name, const Format& f, Bits a, Bits b,
                                     const Environment& env);

}  // namespace halfmark::slow::mpfr
