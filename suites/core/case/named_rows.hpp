// SPDX-License-Identifier: Apache-2.0
// Tables of suites whose rows have a name: the names, for an axis, and the row of a name. A list of
// words that a table holds as one text. Assumes: whoever asks for a row asks by one of the names.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <string_view>
#include <vector>

namespace halfmark::suites {

/// In the order of the table.
template <typename Row, std::size_t kCount>
[[nodiscard]] constexpr std::array<std::string_view, kCount> names_of(const Row (&rows)[kCount]) {
  std::array<std::string_view, kCount> names{};
  std::transform(std::begin(rows), std::end(rows), names.begin(),
                 [](const Row& row) { return row.name; });
  return names;
}

template <typename Row, std::size_t kCount>
[[nodiscard]] const Row& row_named(const Row (&rows)[kCount], std::string_view name) {
  return *std::find_if(std::begin(rows), std::end(rows),
                       [name](const Row& row) { return row.name == name; });
}

/// "fp16 bf16" as two words; one blank between words.
[[nodiscard]] inline std::vector<std::string_view> words_in(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    words.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

}  // namespace halfmark::suites
