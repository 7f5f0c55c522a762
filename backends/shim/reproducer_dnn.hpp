// SPDX-License-Identifier: Apache-2.0
//
// Writes a call of a library for neural networks as words of a program's text: the decisions of its
// operators' adapters (dnn_softmax.hpp, dnn_layer_norm.hpp) as text instead of calls.
#pragma once

#include "backends/reproducers.hpp"
#include "backends/shim/dnn_vendor.hpp"

namespace halfmark::backends::shim {

/// The words common to all calls, from those of the vendor's table.
[[nodiscard]] Words dnn_steps(Words words);
/// Throws NotOffered or BackendError.
[[nodiscard]] Words dnn_words(const DnnVendor& vendor, const DriverOperatorCall& call);

}  // namespace halfmark::backends::shim
