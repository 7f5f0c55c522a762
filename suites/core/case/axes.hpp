// SPDX-License-Identifier: Apache-2.0
// The axes that several suites have in common, and the list that their cases are gathered in.
// Decides the words of providers and result formats and the letters of shapes, once; which suite
// has which axis, and its other words, are the suite's. Assumes: what an axis views outlives it.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "suites/core/case/case.hpp"

namespace halfmark::suites {

[[nodiscard]] Axis axis_of_words(std::string_view name, std::string_view help,
                                 std::vector<std::string_view> words);
/// Lettered numbers: "rn" accepts r16n64.
[[nodiscard]] Axis axis_of_numbers(std::string_view name, std::string_view help,
                                   std::string_view letters);

/// Our kernels, or the first or second library of the device.
[[nodiscard]] Axis provider_axis();
/// The formats that a result may have beside another of the operands: fp16, bf16, fp32.
[[nodiscard]] Axis output_axis();
[[nodiscard]] Axis rows_axis();
[[nodiscard]] Axis size_axis();
[[nodiscard]] Axis fill_axis(std::span<const std::string_view> fills);

/// The cases of one level of a suite, each once, in the order in which they came.
class CaseList {
 public:
  CaseList(std::string_view suite, std::span<const Axis> axes, std::uint64_t seed)
      : suite_(suite), axes_(axes), seed_(seed) {}

  /// One token for each axis, in their order. Throws UsageError as make_case() does.
  void add(std::initializer_list<std::string_view> tokens);

  [[nodiscard]] std::vector<Case> take() && { return std::move(cases_); }
  /// For suites with rows_axis(): by the class of their size, then by name, so that what is wrong
  /// shows on small ones first.
  [[nodiscard]] std::vector<Case> take_small_first() &&;

 private:
  std::string_view suite_;
  std::span<const Axis> axes_;
  std::uint64_t seed_;
  std::vector<Case> cases_;
  std::set<std::string> names_;
};

}  // namespace halfmark::suites
