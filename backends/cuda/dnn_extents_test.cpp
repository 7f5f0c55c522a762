// SPDX-License-Identifier: Apache-2.0
//
// Operands beyond the limit that the vendor's documents name are refused before the library sees
// them: it may fail there in any way.
#include <gtest/gtest.h>

#include "backends/cuda/vendor.hpp"
#include "backends/shim/dnn.hpp"

namespace halfmark::backends::cuda {
namespace {

constexpr std::int64_t kFar = std::int64_t{1} << 29;

DriverOperatorCall softmax_of(std::int64_t rows) {
  DriverOperatorCall call;
  call.name = "softmax";
  for (const char* role : {"x", "y"}) {
    DriverTensorView view;
    view.role = role;
    view.format = "fp16";
    view.sizes = {rows, 16};
    view.strides = {role == std::string_view("x") ? kFar : 16, 1};
    call.tensors.push_back(view);
  }
  return call;
}

TEST(DnnExtents, GapsCount) {
  EXPECT_NO_THROW(shim::refuse_extents(kDnn, softmax_of(4)));
  try {
    shim::refuse_extents(kDnn, softmax_of(5));
    FAIL() << "accepted";
  } catch (const NotOffered& answer) {
    EXPECT_STREQ(
        "cuDNN takes tensors that extend over 2147483647 elements at most; 'x' has 2147483664",
        answer.what());
  }
}

TEST(DnnExtents, TheLastElementCounts) {
  DriverOperatorCall call = softmax_of(1);
  call.tensors[0].sizes = {(std::int64_t{1} << 31) - 1};
  call.tensors[0].strides = {1};
  EXPECT_NO_THROW(shim::refuse_extents(kDnn, call));
  ++call.tensors[0].sizes[0];
  EXPECT_THROW(shim::refuse_extents(kDnn, call), NotOffered);
}

}  // namespace
}  // namespace halfmark::backends::cuda
