// SPDX-License-Identifier: Apache-2.0
// Converts lists of rows to JSON and back. Decides nothing.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

namespace halfmark::reports {

template <typename Row, typename Function>
[[nodiscard]] nlohmann::json list_of(const std::vector<Row>& rows, Function to) {
  nlohmann::json list = nlohmann::json::array();
  for (const Row& row : rows) list.push_back(to(row));
  return list;
}

template <typename Row, typename Function>
[[nodiscard]] std::vector<Row> rows_of(const nlohmann::json& list, Function from) {
  std::vector<Row> rows;
  for (const nlohmann::json& entry : list) rows.push_back(from(entry));
  return rows;
}

}  // namespace halfmark::reports
