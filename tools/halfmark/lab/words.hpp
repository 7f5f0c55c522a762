// SPDX-License-Identifier: Apache-2.0
// Numbers as the text of an experiment has them.
#pragma once

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>

#include "reference/text/visible.hpp"

namespace halfmark::tools::lab {

/// JSON has words for numbers that are not finite.
[[nodiscard]] inline std::string word(const nlohmann::json& value) {
  if (value.is_string()) return text::visible_line(value.get<std::string>());
  return fmt::format("{:.5g}", value.get<double>());
}

[[nodiscard]] inline std::string percent(double share) {
  return fmt::format("{:.4g} %", 100 * share);
}

[[nodiscard]] inline std::string percent(const nlohmann::json& part, const nlohmann::json& whole) {
  const auto count = whole.get<double>();
  return count == 0 ? "-" : percent(part.get<double>() / count);
}

[[nodiscard]] inline std::string power(int log2) {
  return log2 == 0 ? "1" : fmt::format("2^{}", log2);
}

}  // namespace halfmark::tools::lab
