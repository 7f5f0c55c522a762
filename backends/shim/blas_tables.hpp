// SPDX-License-Identifier: Apache-2.0
//
// Turns the rows of a vendor's blas_names.hpp into tables. Included once, by the vendor's blas.cpp,
// after its blas_names.hpp.
#pragma once

#include "backends/shim/blas_vendor.hpp"

#ifdef HM_BLAS_CALLS  // without it there are no tables
namespace halfmark::backends::shim {
namespace {

#define HM_TABLE_BLAS(role, symbol) {#symbol, offsetof(BlasCalls, role), true},
#define HM_TABLE_BLAS_OPTIONAL(role, symbol) {#symbol, offsetof(BlasCalls, role), false},
#define HM_TABLE_BLAS_NUMBER(word, enumerator, value) {#word, value},
#define HM_TABLE_BLAS_VALUE(word, enumerator, value) value
#define HM_TABLE_BLAS_FIELD(word, enumerator, value) .word = value,
#define HM_TABLE_BLAS_ANSWER(word, enumerator, value) {#enumerator, value},
#define HM_TABLE_BLAS_COMPUTE(word, enumerator, value, mode, mode_value, scalars) \
  {word, value, mode_value, scalars},

struct BlasOperations {
  int none, transpose;
};

constexpr Symbol kBlasSymbols[] = {HM_BLAS_CALLS(HM_TABLE_BLAS)
                                       HM_BLAS_CALLS_OPTIONAL(HM_TABLE_BLAS_OPTIONAL)};
constexpr BlasOperations kBlasOperations = {HM_BLAS_OPERATIONS(HM_TABLE_BLAS_FIELD)};
constexpr BlasNumber kBlasTypes[] = {HM_BLAS_TYPES(HM_TABLE_BLAS_NUMBER)};
constexpr BlasCompute kBlasComputes[] = {HM_BLAS_COMPUTES(HM_TABLE_BLAS_COMPUTE)};
constexpr int kBlasAlgorithm = HM_BLAS_ALGORITHM(HM_TABLE_BLAS_VALUE);
constexpr Status kBlasInvalid = HM_BLAS_INVALID(HM_TABLE_BLAS_VALUE);
constexpr BlasNumber kBlasDeclines[] = {HM_BLAS_DECLINES(HM_TABLE_BLAS_ANSWER)};

// The vendor's table: what its blas_names.hpp lists, and what it does not.
constexpr BlasVendor blas_of(const char* name, const Library& library,
                             std::span<const std::span<const BlasCompute>> computes,
                             const char* internal_precision = "") {
  return {.name = name,
          .library = library,
          .none = kBlasOperations.none,
          .transpose = kBlasOperations.transpose,
          .types = kBlasTypes,
          .computes = computes,
          .algorithm = kBlasAlgorithm,
          .declines = kBlasDeclines,
          .invalid = kBlasInvalid,
          .internal_precision = internal_precision};
}

}  // namespace
}  // namespace halfmark::backends::shim
#endif
