// SPDX-License-Identifier: Apache-2.0
// How numbers and foreign texts appear in every report, with one helper for each. Knows nothing of
// scorecards. Assumes that texts are valid UTF-8 (`tally` ensures that).
#pragma once

#include <cstdint>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace halfmark::reports {

/// For HTML and XML, in text and in quoted attributes; control characters are made visible
/// (reference/text/visible.hpp). Noncharacters, which XML cannot hold, become U+FFFD.
[[nodiscard]] std::string escape_markup(std::string_view text);

/// For a Markdown table cell or line: no markup in the text survives.
[[nodiscard]] std::string escape_markdown(std::string_view text);

[[nodiscard]] std::string grouped(std::uint64_t number);  // "12,345"
[[nodiscard]] std::string plural(std::uint64_t number,
                                 std::string_view noun);  // "1 case", "2 cases"
[[nodiscard]] std::string significant(double number);     // three digits: "1.23", "12,346"
/// "12.3 %" of a whole that is not zero. Only all is 100 %: "over 99.9 %", "under 0.01 %".
[[nodiscard]] std::string percent_of(std::uint64_t part, std::uint64_t whole);
[[nodiscard]] std::string duration(double elapsed_ns);    // "1.23 ms"
[[nodiscard]] std::string ulps_text(std::uint64_t ulps);  // "1 ulp", "no distance (NaN)"
[[nodiscard]] std::string joined(std::span<const std::string> parts, std::string_view separator);
[[nodiscard]] std::string short_digest(
    std::string_view digest);  // enough to distinguish two by eye

/// A plain table: columns as wide as their widest cell; columns of numbers, except the first,
/// are right-aligned.
class TextTable {
 public:
  explicit TextTable(std::vector<std::string> header) : rows_{std::move(header)} {}
  /// Cells that the header lacks are dropped, and missing ones are empty.
  void add(std::vector<std::string> row) {
    row.resize(rows_.front().size());
    rows_.push_back(std::move(row));
  }
  void print(std::ostream& out, std::string_view indent) const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

/// Breaks a paragraph at spaces; continuation lines start with `indent` blanks. Words longer than a
/// line stay whole.
[[nodiscard]] std::string wrapped(std::string_view text, std::size_t indent,
                                  std::size_t width = 110);

}  // namespace halfmark::reports
