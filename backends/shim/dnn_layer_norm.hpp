// SPDX-License-Identifier: Apache-2.0
//
// Layer normalisation by a library that has a single call for it. Decides what such a call can
// express: packed tensors of one format, which is also the format of the statistics.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "backends/shim/dnn.hpp"

namespace halfmark::backends::shim {

// A tensor's shape for the library: rows first.
struct LayerNormShape {
  std::vector<std::int64_t> sizes, strides;
  std::int64_t count;
};

// A call in the library's terms; operands in the order of its parameters.
struct LayerNormCall {
  static constexpr std::int32_t kFirstAxisOfARow = 1;
  float eps;
  std::vector<const DriverTensorView*> operands;  // x, gamma, beta, y, mean, rstd
  std::vector<LayerNormShape> shapes;
};
// Throws NotOffered or BackendError.
[[nodiscard]] LayerNormCall layer_norm_call(const DnnVendor& vendor,
                                            const DriverOperatorCall& call);

// Throws NotOffered or BackendError.
[[nodiscard]] std::shared_ptr<DnnOperation> prepared_layer_norm(const Dnn& dnn,
                                                                const DriverOperatorCall& call,
                                                                const AddressOf& address_of);

}  // namespace halfmark::backends::shim
