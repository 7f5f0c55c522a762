// SPDX-License-Identifier: Apache-2.0
// Pieces of C that all stand-alone programs share: arrays of encodings, one result, and the test
// whether it is allowed. Decides spelling only.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "backends/reproducers.hpp"
#include "reference/formats/tensor.hpp"
#include "suites/core/case/case.hpp"
#include "suites/core/execute/plan.hpp"
#include "suites/core/judge/result.hpp"

namespace halfmark::tools {

/// One wrong element and its allowed values.
struct WrongResult {
  const formats::Format* format = nullptr;
  std::string expected;  // in hex
  std::string least = {},
              greatest = {};  // in hex: the allowed range, if more than one value is allowed
};

/// `inputs` are those of the case; the suite gives the range where a row promises a bound.
[[nodiscard]] WrongResult wrong_result(const suites::Case& c, const suites::Element& wrong,
                                       const formats::Format& format,
                                       const suites::TensorSet& inputs, std::size_t index);

/// The unsigned type of an element.
[[nodiscard]] std::string element_type(const formats::Format& f);
/// "static const T expected = 0x...;" and the range as a comment.
[[nodiscard]] std::string expected_line(const WrongResult& result);
/// The printf() conversion for an element.
[[nodiscard]] std::string print_format(const formats::Format& f);
/// A C expression over `got`: true if the value is not allowed.
[[nodiscard]] std::string difference(const WrongResult& result);
/// Joins the items with `separator`, and breaks lines before they exceed `columns`.
[[nodiscard]] std::string packed(const std::vector<std::string>& items, const char* separator,
                                 std::size_t columns);
/// Fills those places of `text` for which there is a word; other places stay.
[[nodiscard]] std::string partly_filled(std::string text, const backends::Words& words);
/// Makes a text safe for a comment, whatever a driver calls itself: one line, without places
/// to fill.
[[nodiscard]] std::string one_line(std::string text);
/// The text as a string literal.
[[nodiscard]] std::string quoted(const std::string& text);
/// {"name", "value"}, for each, the beginning of a list in C.
[[nodiscard]] std::string quoted_pairs(
    const std::vector<std::pair<std::string, std::string>>& pairs);

}  // namespace halfmark::tools
