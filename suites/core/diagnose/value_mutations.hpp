// SPDX-License-Identifier: Apache-2.0
// What may become of a number on its way: as an operand is read, as a result is stored. Decides
// which changes are worth a name; knows no place and no operator.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "reference/formats/format.hpp"

namespace halfmark::suites {

using NumberMap = std::function<formats::Bits(const formats::Format&, formats::Bits)>;

/// In the words that follow its name: "NaN counts as zero".
struct NumberChange {
  std::string name;
  std::string_view finding_class;
  std::string words;
  NumberMap map;
};

/// Of operands that are read.
[[nodiscard]] std::vector<NumberChange> readings();
/// Of results that are stored.
[[nodiscard]] std::vector<NumberChange> stores();
/// Of operands that are read as no larger than a power of two, or the largest number of a format.
[[nodiscard]] std::vector<NumberChange> readings_by_limit();
/// Of operands that are read as multiples of themselves; where results follow, that is a factor of
/// the formula as well.
[[nodiscard]] std::vector<NumberChange> readings_by_factor();
/// Of numbers from 2^exponent on, or below it.
[[nodiscard]] std::vector<NumberChange> readings_by_size(int exponent);

}  // namespace halfmark::suites
