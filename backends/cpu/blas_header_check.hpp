// SPDX-License-Identifier: Apache-2.0
//
// Compares rows of blas_names.hpp with a vendor's header, which is included before this one.
#pragma once

#include <cstddef>

#include "backends/cpu/blas_names.hpp"
#include "backends/shim/header_check.hpp"

namespace halfmark::backends::cpu {

#define HM_BLAS_INPUT(format, type) using Of_##format = BlasGemm<type>;
HM_BLAS_INPUTS(HM_BLAS_INPUT)
#undef HM_BLAS_INPUT

}  // namespace halfmark::backends::cpu

#define HM_BLAS_CHECK_CALL(symbol, type)                                                    \
  static_assert(halfmark::backends::shim::header_check::kSameCall<type, decltype(&symbol)>, \
                #symbol " is another call");
#define HM_BLAS_CHECK_GEMM(format, symbol, required) HM_BLAS_CHECK_CALL(symbol, Of_##format)
#define HM_BLAS_CHECK_NUMBER(enumerator, value) HM_CHECK_NUMBER(enumerator, enumerator, value)
