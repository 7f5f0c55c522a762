// SPDX-License-Identifier: Apache-2.0
// How a number may change on its way: when an operand is read, or when a result is stored. Decides
// which changes deserve a name; knows no place and no operator.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "reference/formats/format.hpp"
#include "suites/core/case/finding_classes.hpp"

namespace halfmark::suites {

using NumberMap = std::function<formats::Bits(const formats::Format&, formats::Bits)>;

/// A change of numbers; `words` follows the name of a tensor: "NaN counts as zero".
struct NumberChange {
  std::string name;
  FindingClassName finding_class;
  std::string words;
  NumberMap map;
  std::vector<std::string> freedoms = {};        // as in Hypothesis
  const formats::Format* substituted = nullptr;  // as in Hypothesis
};

/// Changes to operands that are read.
[[nodiscard]] std::vector<NumberChange> readings();
/// Changes to results that are stored.
[[nodiscard]] std::vector<NumberChange> stores();
/// Operands clamped to a power of two, or to the largest number of a format.
[[nodiscard]] std::vector<NumberChange> readings_by_limit();
/// Operands read as multiples of themselves. If the results scale accordingly, the cause may also
/// be a factor of the formula.
[[nodiscard]] std::vector<NumberChange> readings_by_factor();
/// Changes to numbers of magnitude 2^exponent and above, or below it.
[[nodiscard]] std::vector<NumberChange> readings_by_size(int exponent);

}  // namespace halfmark::suites
