// SPDX-License-Identifier: Apache-2.0
// What modes of one training, of which the first is in fp32, have reached at its end. Decides which
// columns are shown; courses come from the report's JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <ostream>

namespace halfmark::tools::lab {

/// How much of fp32's progress each mode makes, and what its last step loses.
void print_left_progress(const char* where, const nlohmann::json& modes, std::ostream& out);

/// The scale of each mode but the first at every step, as a power of two, and what the steps have
/// reached.
void print_scalers(const char* where, const nlohmann::json& modes, std::ostream& out);

}  // namespace halfmark::tools::lab
