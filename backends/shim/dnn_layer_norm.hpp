// SPDX-License-Identifier: Apache-2.0
//
// Layer normalisation by a library that has one call for it. Decides what such a call can be told:
// packed tensors of one format, whose statistics have that format, too.
#pragma once

#include <memory>

#include "backends/shim/dnn.hpp"

namespace halfmark::backends::shim {

// Throws NotOffered or BackendError.
[[nodiscard]] std::shared_ptr<DnnOperation> prepared_layer_norm(const Dnn& dnn,
                                                                const DriverOperatorCall& call,
                                                                const AddressOf& address_of);

}  // namespace halfmark::backends::shim
