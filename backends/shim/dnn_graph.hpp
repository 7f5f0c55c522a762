// SPDX-License-Identifier: Apache-2.0
//
// Layer and root mean square normalisation, and their gradients, by a library that takes them as a
// graph of descriptors with attributes. Decides how long plans (dnn_norm_plan.hpp) are kept: making
// one takes longer than most normalisations.
#pragma once

#include <memory>

#include "backends/shim/dnn.hpp"

namespace halfmark::backends::shim {

// Throws NotOffered or BackendError.
[[nodiscard]] std::shared_ptr<DnnOperation> prepared_norm(const Dnn& dnn,
                                                          const DriverOperatorCall& call,
                                                          const AddressOf& address_of);

}  // namespace halfmark::backends::shim
