// SPDX-License-Identifier: Apache-2.0
//
// Softmax, log-softmax and their gradients by a library that takes four axes. Decides which of them
// is which axis of a view, and which mode that is.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "backends/shim/dnn.hpp"

namespace halfmark::backends::shim {

// A call as the library takes it; operands in the order of its parameters.
struct SoftmaxCall {
  bool is_backward, is_logarithm;
  bool is_plain;  // elements of rows lie side by side, and rows a fixed step apart
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
