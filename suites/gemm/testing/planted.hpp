// SPDX-License-Identifier: Apache-2.0
// A device whose gemm has whatever arithmetic a test plants: the software device, with a library
// and a matrix unit that are the reference itself. For tests.
//
// The variable HALFMARK_PLANTED says which, at every call: a name of models::parse_arithmetic, or
//   data-order        the terms of a row in the order of their magnitudes
//   near-hopper-F     a unit of the Hopper kind that aligns to F bits, which is in no list
//   plain:A|scaled:B  A for products without C, B for those with
//   A/alpha-fma       A, and fma(alpha, sum, beta * c) behind it
//   A/mul             A, and alpha * sum + beta * c behind it, every step rounded
//   A/narrow          A, and both in D's format, scalars and all; fma(beta, c, alpha * sum)
//   A/narrow-alpha-fma, A/narrow-mul  the same of the two above
//   A/near-alpha-fma  the first, but beta * c is rounded toward zero: no scaling of a name
#pragma once

#include "backends/abi.h"

namespace halfmark::suites::gemm {

inline constexpr const char* kPlantedVariable = "HALFMARK_PLANTED";

}  // namespace halfmark::suites::gemm

extern "C" const HmBackendApi* hm_fixture_api();
