// SPDX-License-Identifier: Apache-2.0
// How what was identified of a library's sums (Identified) holds an arithmetic: its name without
// the scaling, its conversions, and other names with their reasons.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "reference/inference/hypothesis.hpp"
#include "suites/core/suite/suite.hpp"
#include "suites/gemm/scaling.hpp"

namespace halfmark::suites::gemm {

[[nodiscard]] inline soft::Environment conversions_of(const Identified& found) {
  soft::Environment conversions;
  conversions.rounding = soft::parse_rounding(found.rounding).value_or(conversions.rounding);
  conversions.subnormals =
      soft::parse_subnormals(found.subnormals).value_or(conversions.subnormals);
  return conversions;
}

[[nodiscard]] inline std::optional<inference::Hypothesis> hypothesis_of(const Identified& found,
                                                                        const std::string& name) {
  const auto arithmetic = models::parse_arithmetic(without_scaling(name).first);
  if (!arithmetic) return std::nullopt;
  return inference::Hypothesis{*arithmetic, conversions_of(found)};
}

inline void set_hypothesis(Identified& identified, const inference::Hypothesis& h) {
  identified.identity = Identity::kNamed;
  identified.arithmetic = models::print(h.arithmetic);
  if (h.conversions == soft::Environment{}) return;
  identified.rounding = soft::to_string(h.conversions.rounding);
  identified.subnormals = soft::to_string(h.conversions.subnormals);
}

/// The name in "NAME (reason)", an entry of `others`.
[[nodiscard]] inline std::string name_in(const std::string& other) {
  return other.substr(0, other.find(' '));
}

[[nodiscard]] inline std::string with_reason(const std::string& name,
                                             const std::vector<std::string>& others) {
  const auto named = std::ranges::find_if(
      others, [&](const std::string& other) { return name_in(other) == name; });
  return named == others.end() ? name + " (no data told them apart)" : *named;
}

}  // namespace halfmark::suites::gemm
