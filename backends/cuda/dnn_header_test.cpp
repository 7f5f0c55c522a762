// SPDX-License-Identifier: Apache-2.0
//
// Compares dnn_names.hpp with cuDNN's own header at compile time.
#include <cudnn.h>
#include <gtest/gtest.h>

#include "backends/cuda/dnn_names.hpp"
#include "backends/shim/dnn_calls.hpp"
#include "backends/shim/header_check.hpp"

namespace halfmark::backends::cuda {
namespace {

#define HM_CHECK_DNN_CALL(role, symbol) HM_CHECK_CALL(DnnCalls, role, symbol, #symbol)
#define HM_CHECK_DNN_TYPE(word, enumerator, value, scalars) HM_CHECK_NUMBER(word, enumerator, value)
#define HM_CHECK_DNN_ANSWERS(word, enumerator, value, last) HM_CHECK_NUMBER(word, enumerator, value)

HM_DNN_CALLS(HM_CHECK_DNN_CALL)
HM_DNN_TYPES(HM_CHECK_DNN_TYPE)
HM_DNN_SOFTMAX(HM_CHECK_NUMBER)
static_assert(MAJOR_VERSION == 0 && MINOR_VERSION == 1 && PATCH_LEVEL == 2);
#if CUDNN_MAJOR >= 9
HM_DNN_GRAPH(HM_CHECK_NUMBER)
HM_DNN_CALLS_OPTIONAL(HM_CHECK_DNN_CALL)
#undef HM_DNN_DECLINES_BEFORE_9
#define HM_DNN_DECLINES_BEFORE_9(X)
HM_DNN_DECLINES(HM_CHECK_DNN_ANSWERS)
HM_DNN_INVALID(HM_CHECK_NUMBER)
static_assert(CUDNN_STATUS_INTERNAL_ERROR == 4000);
#else
HM_DNN_DECLINES_BEFORE_9(HM_CHECK_DNN_ANSWERS)
#endif

TEST(CudnnHeader, IsOneThatTheRowsWereComparedWith) { EXPECT_GE(CUDNN_MAJOR, 8); }

}  // namespace
}  // namespace halfmark::backends::cuda
