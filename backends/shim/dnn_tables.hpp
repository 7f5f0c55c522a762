// SPDX-License-Identifier: Apache-2.0
//
// Turns the rows of a vendor's dnn_names.hpp into tables. Included once, by the vendor's dnn.cpp,
// after its dnn_names.hpp.
#pragma once

#include "backends/shim/dnn_vendor.hpp"

#ifdef HM_DNN_CALLS  // without it there are no tables
namespace halfmark::backends::shim {
namespace {

#define HM_TABLE_DNN(role, symbol) {#symbol, offsetof(DnnCalls, role), true},
#define HM_TABLE_DNN_OPTIONAL(role, symbol) {#symbol, offsetof(DnnCalls, role), false},
#define HM_TABLE_DNN_TYPE(word, enumerator, value, scalars) {#word, value, scalars},
#define HM_TABLE_DNN_FIELD(word, enumerator, value) .word = value,
#define HM_TABLE_DNN_ANSWERS(word, enumerator, value, last) {#enumerator, value, last},
#define HM_TABLE_DNN_VALUE(word, enumerator, value) value
#define HM_TABLE_DNN_NAME(word, enumerator, value) #enumerator

struct DnnSoftmaxNumbers {
  int accurate, logarithm, instance, channel;
};

constexpr Symbol kDnnSymbols[] = {HM_DNN_CALLS(HM_TABLE_DNN)
                                      HM_DNN_CALLS_OPTIONAL(HM_TABLE_DNN_OPTIONAL)};
constexpr DnnType kDnnTypes[] = {HM_DNN_TYPES(HM_TABLE_DNN_TYPE)};
constexpr DnnSoftmaxNumbers kDnnSoftmax = {HM_DNN_SOFTMAX(HM_TABLE_DNN_FIELD)};
constexpr DnnAnswers kDnnDeclines[] = {HM_DNN_DECLINES(HM_TABLE_DNN_ANSWERS)};
#ifdef HM_DNN_GRAPH
constexpr DnnGraph kDnnGraph = {HM_DNN_GRAPH(HM_TABLE_DNN_FIELD)};
#endif
#ifdef HM_DNN_LAYER_NORM
constexpr DnnLayerNorm kDnnLayerNorm = {HM_DNN_LAYER_NORM(HM_TABLE_DNN_FIELD)};
#endif
constexpr Status kDnnInvalid = HM_DNN_INVALID(HM_TABLE_DNN_VALUE);
constexpr std::string_view kDnnInvalidName = HM_DNN_INVALID(HM_TABLE_DNN_NAME);

}  // namespace
}  // namespace halfmark::backends::shim
#endif
