// SPDX-License-Identifier: Apache-2.0
// How fast a device trains in each mode, and in how much memory: the time of its operators' kernels
// in one step, and the bytes that the step's tensors take at a time, against fp32's. Decides which
// modes are compared: those of which every operator is right and that live.
#pragma once

#include <nlohmann/json.hpp>
#include <ostream>

namespace halfmark::tools::lab {

/// One row for each compared mode: {"name","times","memory","loss_gap","accuracy","fp32_accuracy"},
/// null where a number is not finite, the network is no classifier, or the memory is not known.
/// `modes` are those of a device, as to_json() gives them. The step is the second one, in which no
/// driver compiles any more; without it, without fp32 or with a deviation there, the list is empty.
[[nodiscard]] nlohmann::json gains_of(const nlohmann::json& modes);

void print_gains(const nlohmann::json& modes, std::ostream& out);

}  // namespace halfmark::tools::lab
