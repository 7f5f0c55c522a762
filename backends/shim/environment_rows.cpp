// SPDX-License-Identifier: Apache-2.0
#include "backends/shim/environment_rows.hpp"

#include <unistd.h>

#include <algorithm>
#include <string_view>

namespace halfmark::backends::shim {

std::vector<std::string> environment_rows(std::span<const char* const> beginnings) {
  std::vector<std::string> rows;
  for (char** row = environ; *row != nullptr; ++row) {
    const std::string_view text = *row;
    if (std::ranges::any_of(
            beginnings, [&](std::string_view beginning) { return text.starts_with(beginning); }))
      rows.emplace_back(text);
  }
  std::ranges::sort(rows);
  return rows;
}

nlohmann::json environment_object(std::span<const char* const> beginnings) {
  nlohmann::json values = nlohmann::json::object();
  for (const std::string& row : environment_rows(beginnings)) {
    const std::size_t equals = row.find('=');
    values[row.substr(0, equals)] = row.substr(equals + 1);
  }
  return values;
}

}  // namespace halfmark::backends::shim
