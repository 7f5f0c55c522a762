// SPDX-License-Identifier: Apache-2.0
//
// Turns the rows of a vendor's blas_lt_names.hpp into tables. Included once, by the vendor's
// blas_lt.cpp, after its blas_lt_names.hpp.
#pragma once

#include "backends/shim/blas_lt_vendor.hpp"

#ifdef HM_LT_CALLS  // without it there are no tables
namespace halfmark::backends::shim {
namespace {

#define HM_TABLE_LT(role, symbol) {#symbol, offsetof(LtCalls, role), true},
#define HM_TABLE_LT_OPTIONAL(role, symbol) {#symbol, offsetof(LtCalls, role), false},
#define HM_TABLE_LT_TYPE(word, enumerator, value) {#word, value},
#define HM_TABLE_LT_FIELD(word, enumerator, value) .word = value,
#define HM_TABLE_LT_VALUE(word, enumerator, value) value
#define HM_TABLE_LT_ANSWER(word, enumerator, value) {#enumerator, value},
#define HM_TABLE_LT_EPILOGUE(activation, has_bias, enumerator, value) {activation, has_bias, value},
#define HM_TABLE_LT_COMPUTE(word, enumerator, value, reductions, scalars) \
  {word, value, reductions, scalars},

constexpr Symbol kLtSymbols[] = {HM_LT_CALLS(HM_TABLE_LT)
                                     HM_LT_CALLS_OPTIONAL(HM_TABLE_LT_OPTIONAL)};
constexpr LtNumbers kLtNumbers = {HM_LT_NUMBERS(HM_TABLE_LT_FIELD)};
constexpr BlasNumber kLtTypes[] = {HM_LT_TYPES(HM_TABLE_LT_TYPE)};
constexpr LtCompute kLtComputes[] = {HM_LT_COMPUTES(HM_TABLE_LT_COMPUTE)};
constexpr LtEpilogue kLtEpilogues[] = {HM_LT_EPILOGUES(HM_TABLE_LT_EPILOGUE)};
constexpr std::size_t kLtAlgorithmBytes = HM_LT_ALGORITHM(HM_TABLE_LT_VALUE);
constexpr Status kLtInvalid = HM_LT_INVALID(HM_TABLE_LT_VALUE);
constexpr BlasNumber kLtDeclines[] = {HM_LT_DECLINES(HM_TABLE_LT_ANSWER)};

}  // namespace
}  // namespace halfmark::backends::shim
#endif
