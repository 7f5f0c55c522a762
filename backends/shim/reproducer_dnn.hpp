// SPDX-License-Identifier: Apache-2.0
//
// A call of a library for neural networks as words of a program's text: what the adapters of its
// operators decide (dnn_softmax.hpp, dnn_layer_norm.hpp), written down instead of done.
#pragma once

#include "backends/reproducers.hpp"
#include "backends/shim/dnn_vendor.hpp"

namespace halfmark::backends::shim {

/// The same for every call: `words` are those of the vendor's table.
[[nodiscard]] Words dnn_steps(Words words);
/// Throws NotOffered or BackendError.
[[nodiscard]] Words dnn_words(const DnnVendor& vendor, const DriverOperatorCall& call);

}  // namespace halfmark::backends::shim
