// SPDX-License-Identifier: Apache-2.0
// The report of an experiment as text, from its JSON. Decides what a person sees first: per mode
// the course of the training, what it died of, and what its gradients look like.
#pragma once

#include <nlohmann/json.hpp>
#include <ostream>

namespace halfmark::tools::lab {

/// Of a sweep's modes: {"least_log2","largest_log2"} of the scales whose loss after the last step
/// is within 0.1 % of fp32's; null if there are none.
[[nodiscard]] nlohmann::json scales_that_keep_up(const nlohmann::json& modes);

void print_report(const nlohmann::json& report, std::ostream& out);

}  // namespace halfmark::tools::lab
