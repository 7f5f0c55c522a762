// SPDX-License-Identifier: Apache-2.0
// Counts a tensor on the device, with the kernels of the suite `statistics`, and compares the
// counts with the host's. Decides nothing about which tensors are watched.
#pragma once

#include "reference/formats/tensor.hpp"
#include "suites/core/execute/execute.hpp"

namespace halfmark::tools::lab {

/// What watching tensors has shown and cost.
struct Observation {
  std::uint64_t tensors = 0, different = 0;  // tensors whose counts are not the host's
  /// Time of the kernels that count, and of those of the operators.
  std::uint64_t counting_ns = 0, operators_ns = 0;
};

/// Whether the kernels count numbers of this format.
[[nodiscard]] bool is_observable(const formats::Format& format);

/// Adds one tensor of the device. Nothing if the device cannot run the kernels.
void observe(suites::Session& session, const formats::Tensor& tensor, Observation& observation);

}  // namespace halfmark::tools::lab
