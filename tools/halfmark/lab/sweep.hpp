// SPDX-License-Identifier: Apache-2.0
// What the modes of a sweep, which differ in a constant scale alone, say together: which scales
// keep up with fp32, and over which of them the whole training is the same bit for bit, as the
// backward pass is linear in powers of two. Decides both ranges; courses come from the report's
// JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>

namespace halfmark::tools::lab {

/// Of the loss after the last step, relative to that of the mode "fp32", which `modes` must have;
/// nothing where either is not finite.
[[nodiscard]] std::optional<double> gap_to_fp32(const nlohmann::json& modes,
                                                const nlohmann::json& mode);

/// {"least_log2","largest_log2"} of the scales whose loss after the last step is within 0.1 % of
/// fp32's; null if there are none.
[[nodiscard]] nlohmann::json scales_that_keep_up(const nlohmann::json& modes);

/// Of each layer's weights {"name","least_log2","largest_log2"}: the longest row of neighbouring
/// fp16 modes that end with the same bits; null instead of numbers if no two neighbours do.
[[nodiscard]] nlohmann::json scales_of_equal_weights(const nlohmann::json& modes);

void print_scales(const char* where, const nlohmann::json& modes, std::ostream& out);

}  // namespace halfmark::tools::lab
