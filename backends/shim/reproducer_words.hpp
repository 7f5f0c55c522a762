// SPDX-License-Identifier: Apache-2.0
//
// The rows of a vendor's names.hpp and blas_names.hpp as words of a program's text. Included once,
// by the vendor's reproducer.cpp, after both.
#pragma once

#include "backends/shim/reproducer.hpp"

#ifdef HM_BLAS_CALLS  // else there is nothing to make words of
namespace halfmark::backends::shim {
namespace {

#define HM_WORD_DRIVER(role, symbol) {"driver." #role, #symbol},
#define HM_WORD_COMPILER(role, symbol) {"compiler." #role, #symbol},
#define HM_WORD_ATTRIBUTE(role, enumerator, value) {"attribute." #role, #enumerator},
#define HM_WORD_BLAS(role, symbol) {"blas." #role, #symbol},
#define HM_WORD_OPERATION(word, enumerator, value) {"operation." #word, #enumerator},
#define HM_WORD_TYPE(word, enumerator, value) {"type." #word, #enumerator},
#define HM_WORD_ALGORITHM(word, enumerator, value) {"algorithm", #enumerator},
#define HM_WORD_COMPUTE(word, enumerator, value, mode, mode_value, scalars) \
  {"compute." word, #enumerator}, {"scalars." word, scalars},               \
      {"mode." word, (mode_value) == 0 ? "" : #mode},  // 0 is what a new handle has

constexpr Word kTableWords[] = {
    HM_NAMES_DRIVER(HM_WORD_DRIVER) HM_NAMES_COMPILER(HM_WORD_COMPILER)
        HM_NAMES_ATTRIBUTES(HM_WORD_ATTRIBUTE) HM_BLAS_CALLS(HM_WORD_BLAS)
            HM_BLAS_CALLS_OPTIONAL(HM_WORD_BLAS) HM_BLAS_OPERATIONS(HM_WORD_OPERATION)
                HM_BLAS_TYPES(HM_WORD_TYPE) HM_BLAS_ALGORITHM(HM_WORD_ALGORITHM)
                    HM_BLAS_COMPUTES(HM_WORD_COMPUTE)};

}  // namespace
}  // namespace halfmark::backends::shim
#endif
