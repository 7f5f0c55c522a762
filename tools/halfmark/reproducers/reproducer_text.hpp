// SPDX-License-Identifier: Apache-2.0
// Pieces of C that all stand-alone programs share: arrays of encodings, one result and when it
// differs from what is allowed. Decides spelling only.
#pragma once

#include <string>
#include <vector>

#include "backends/reproducers.hpp"
#include "reference/formats/tensor.hpp"
#include "suites/core/case/case.hpp"
#include "suites/core/execute/plan.hpp"
#include "suites/core/judge/result.hpp"

namespace halfmark::tools {

/// One element that came out wrong, and what may stand there.
struct WrongResult {
  const formats::Format* format = nullptr;
  std::string expected;                   // hex
  std::string least = {}, greatest = {};  // hex: what is allowed, where it is more than that
};

/// `inputs` are those of the case; the range comes from its suite, where a row promises a bound.
[[nodiscard]] WrongResult wrong_result(const suites::Case& c, const suites::Element& wrong,
                                       const formats::Format& format,
                                       const suites::TensorSet& inputs, std::size_t index);

/// The unsigned type of an element.
[[nodiscard]] std::string element_type(const formats::Format& f);
/// "static const T expected = 0x...;" and the range as a comment.
[[nodiscard]] std::string expected_line(const WrongResult& result);
/// As printf() takes an element.
[[nodiscard]] std::string print_format(const formats::Format& f);
/// A C expression over `got`: whether it is not allowed.
[[nodiscard]] std::string difference(const WrongResult& result);
/// Joined by `separator`, with a line break before what would pass `columns`.
[[nodiscard]] std::string packed(const std::vector<std::string>& items, const char* separator,
                                 std::size_t columns);
/// `text` with what stands in its places, where there is a word; other places stay.
[[nodiscard]] std::string partly_filled(std::string text, const backends::Words& words);
/// A comment must end where its line ends, and hold no place, whatever a driver calls itself.
[[nodiscard]] std::string one_line(std::string text);
/// As a string literal.
[[nodiscard]] std::string quoted(const std::string& text);

}  // namespace halfmark::tools
