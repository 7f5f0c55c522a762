// SPDX-License-Identifier: Apache-2.0
// The report of an experiment as text, from its JSON. Decides what a person sees first: per mode
// the course of the training, what it died of, and what its gradients look like.
#pragma once

#include <nlohmann/json.hpp>
#include <ostream>

namespace halfmark::tools::lab {

void print_report(const nlohmann::json& report, std::ostream& out);

}  // namespace halfmark::tools::lab
