// SPDX-License-Identifier: Apache-2.0
//
// Softmax, log-softmax and their gradients by a library that takes four axes. Decides how a view's
// axes map to those four, and the mode.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "backends/shim/dnn.hpp"

namespace halfmark::backends::shim {

// A call in the library's terms; operands in the order of its parameters.
struct SoftmaxCall {
  bool is_backward, is_logarithm;
  bool is_plain;  // rows have contiguous elements and one common stride
  const DnnType* type;
  std::vector<const DriverTensorView*> operands;
  std::array<std::int64_t, 4> sizes;
  std::vector<std::array<std::int64_t, 4>> strides;  // one per operand
};
// Throws NotOffered or BackendError.
[[nodiscard]] SoftmaxCall softmax_call(const DnnVendor& vendor, const DriverOperatorCall& call);

// Throws NotOffered or BackendError.
[[nodiscard]] std::shared_ptr<DnnOperation> prepared_softmax(const Dnn& dnn,
                                                             const DriverOperatorCall& call,
                                                             const AddressOf& address_of);

}  // namespace halfmark::backends::shim
