// SPDX-License-Identifier: Apache-2.0
//
// Softmax, log-softmax and their gradients by a library that takes four axes. Decides which of them
// is which axis of a view, and which mode that is.
#pragma once

#include <memory>

#include "backends/shim/dnn.hpp"

namespace halfmark::backends::shim {

// Throws NotOffered or BackendError.
[[nodiscard]] std::shared_ptr<DnnOperation> prepared_softmax(const Dnn& dnn,
                                                             const DriverOperatorCall& call,
                                                             const AddressOf& address_of);

}  // namespace halfmark::backends::shim
