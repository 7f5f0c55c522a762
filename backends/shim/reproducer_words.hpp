// SPDX-License-Identifier: Apache-2.0
//
// Turns the rows of a vendor's names.hpp, blas_names.hpp, blas_lt_names.hpp and dnn_names.hpp into
// words of a program's text. Included once, by the vendor's reproducer.cpp, after those headers
// that it has.
#pragma once

#include "backends/shim/reproducer.hpp"

#ifdef HM_BLAS_CALLS  // without it there are no words
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
      {"mode." word, (mode_value) == 0 ? "" : #mode},  // 0 is the default of a new handle

#define HM_WORD_LT(role, symbol) {"lt." #role, #symbol},
#define HM_WORD_LT_NUMBER(word, enumerator, value) {"lt." #word, #enumerator},
#define HM_WORD_LT_COMPUTE(word, enumerator, value, reductions, scalars) \
  {"compute." word, #enumerator}, {"scalars." word, scalars}, {"lt.reductions." word, #reductions},
#define HM_WORD_LT_EPILOGUE(activation, has_bias, enumerator, value) \
  {(has_bias) ? "epilogue." activation ".bias" : "epilogue." activation, #enumerator},

#define HM_WORD_DNN(role, symbol) {"dnn." #role, #symbol},
#define HM_WORD_DNN_NUMBER(word, enumerator, value) {"dnn." #word, #enumerator},
#define HM_WORD_DNN_TYPE(word, enumerator, value, scalars) {"type." #word, #enumerator},

constexpr Word kDriverWords[] = {HM_NAMES_DRIVER(HM_WORD_DRIVER) HM_NAMES_COMPILER(HM_WORD_COMPILER)
                                     HM_NAMES_ATTRIBUTES(HM_WORD_ATTRIBUTE)};
constexpr Word kBlasWords[] = {HM_BLAS_CALLS(HM_WORD_BLAS) HM_BLAS_CALLS_OPTIONAL(HM_WORD_BLAS)
                                   HM_BLAS_OPERATIONS(HM_WORD_OPERATION) HM_BLAS_TYPES(HM_WORD_TYPE)
                                       HM_BLAS_ALGORITHM(HM_WORD_ALGORITHM)
                                           HM_BLAS_COMPUTES(HM_WORD_COMPUTE)};
#ifdef HM_LT_CALLS
constexpr Word kLtWords[] = {HM_LT_CALLS(HM_WORD_LT) HM_LT_NUMBERS(HM_WORD_LT_NUMBER) HM_LT_TYPES(
    HM_WORD_TYPE) HM_LT_COMPUTES(HM_WORD_LT_COMPUTE) HM_LT_EPILOGUES(HM_WORD_LT_EPILOGUE)};
#else
constexpr std::span<const Word> kLtWords;
#endif
#ifdef HM_DNN_CALLS
#ifndef HM_DNN_LAYER_NORM
#define HM_DNN_LAYER_NORM(X)
#endif
constexpr Word kDnnWords[] = {HM_DNN_CALLS(HM_WORD_DNN) HM_DNN_CALLS_OPTIONAL(HM_WORD_DNN)
                                  HM_DNN_TYPES(HM_WORD_DNN_TYPE) HM_DNN_SOFTMAX(HM_WORD_DNN_NUMBER)
                                      HM_DNN_LAYER_NORM(HM_WORD_DNN_NUMBER)};
#else
constexpr std::span<const Word> kDnnWords;
#endif
constexpr WordTables kTableWords = {
    .driver = kDriverWords, .blas = kBlasWords, .lt = kLtWords, .dnn = kDnnWords};

}  // namespace
}  // namespace halfmark::backends::shim
#endif
