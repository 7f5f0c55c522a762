// SPDX-License-Identifier: Apache-2.0
// The elementary functions of fp32 by the host's double precision library, for tests of hundreds of
// millions of operands. It answers only if the library's error, generously bounded, cannot change
// the rounded result; MPFR decides the rest.
//
// Assumptions: (1) every library function is within 8 last places (the GNU library documents at
// most 2 for all but erfc, which has 5); (2) the host rounds to nearest and keeps subnormals.
#pragma once

#include <optional>

#include "reference/slow/mpfr_functions.hpp"

namespace halfmark::slow {

// Returns nothing if an operand is special, if the result is beyond 2^126 or about as large as the
// smallest normal number, or if the library cannot decide.
[[nodiscard]] std::optional<Result> libm_function(mpfr::Function function, Bits fp32,
                                                  soft::Rounding rounding);

}  // namespace halfmark::slow
