// SPDX-License-Identifier: Apache-2.0
// A device whose gemm has any arithmetic that a test plants: the software device, with a library
// and a matrix unit that are the reference itself. For tests.
//
// The environment variable HALFMARK_PLANTED, read at every call, selects the arithmetic: a name of
// models::parse_arithmetic, or
// clang-format off
//   data-order        the terms of a row in the order of their magnitudes
//   near-hopper-F     a unit of the Hopper kind that aligns to F bits, which is in no list
//   plain:A|scaled:B  A for products without C, B for those with C
//   long:A|short:B    A for products of 48 terms, B for all others
//   A/alpha-fma       A, followed by fma(alpha, sum, beta * c)
//   A/mul             A, followed by alpha * sum + beta * c with every step rounded
//   A/narrow          A, all in D's format including the scalars; fma(beta, c, alpha * sum)
//   A/narrow-alpha-fma, A/narrow-mul  A/alpha-fma and A/mul in D's format
//   A/near-alpha-fma  A/alpha-fma, but beta * c is rounded toward zero: a scaling without a name
// clang-format on
#pragma once

#include "backends/abi.h"

namespace halfmark::suites::gemm {

inline constexpr const char* kPlantedVariable = "HALFMARK_PLANTED";

}  // namespace halfmark::suites::gemm

extern "C" const HmBackendApi* hm_fixture_api();
