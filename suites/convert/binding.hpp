// SPDX-License-Identifier: Apache-2.0
// What the tokens of a conversion case mean. bind() alone takes tokens apart; the other files
// of the folder share the result.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "reference/soft/environment.hpp"
#include "suites/core/suite/suite.hpp"

namespace halfmark::suites::convert {

struct Binding {
  const formats::Format* from = nullptr;  // null: 32-bit signed integers, stored as fp32 words
  const formats::Format* to = nullptr;
  soft::Overflow overflow = soft::Overflow::kInfinity;
  std::size_t count = 0;
  std::string_view fill;  // refers into the case

  [[nodiscard]] const formats::Format& stored() const {
    return from == nullptr ? formats::kFp32 : *from;
  }
};

/// Throws UsageError when the tokens do not go together.
[[nodiscard]] Binding bind(const Case& c);

/// The result that the contract requires for one element.
[[nodiscard]] formats::Bits converted(const Binding& b, formats::Bits x,
                                      const soft::Environment& environment);

[[nodiscard]] std::span<const Axis> axes();
[[nodiscard]] std::span<const ContractRow> contract();
[[nodiscard]] const ContractRow& contract_row(const Case& c, const backends::DeviceInfo& device);
[[nodiscard]] std::vector<Hypothesis> hypotheses(const Case& c);
/// Those whose parameter the wrong places or the results reveal.
[[nodiscard]] std::vector<Hypothesis> hypotheses_seen_in(const Case& c, const Places& wrong,
                                                         const TensorSet& outputs);

// clang-format off
/// all      every encoding of the source (at most 16 bits)
/// ties     every encoding of the result, the midpoint above it and that midpoint's two neighbours
///          in the source, including the overflow threshold
/// nan      NaNs of every payload, infinities and numbers
/// bits     every encoding equally likely; for integers, the extremes, 1, -1, 0, and every length
// clang-format on
[[nodiscard]] std::span<const std::string_view> fill_names();
[[nodiscard]] bool applies(std::string_view fill, const Binding& b);
[[nodiscard]] TensorSet make_inputs(const Case& c);

}  // namespace halfmark::suites::convert
