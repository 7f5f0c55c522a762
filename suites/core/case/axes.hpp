// SPDX-License-Identifier: Apache-2.0
// The axes that several suites share, and the list in which a suite collects its cases. Decides the
// words of providers and output formats and the letters of shapes, in one place; each suite chooses
// its axes and defines its other words. Assumes: the storage that an axis views outlives it.
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
/// Numbers with a letter before each: "rn" accepts r16n64.
[[nodiscard]] Axis axis_of_numbers(std::string_view name, std::string_view help,
                                   std::string_view letters);

/// Who may supply an operator's code; each adds to the one before.
enum class Providers {
  kHalfmark,   // its own kernels
  kLibraries,  // the device's first or second library
  kUnits,      // the instructions of its matrix unit, in their first or second form
};
[[nodiscard]] Axis provider_axis(Providers widest = Providers::kLibraries);
/// The formats that a result may have where it may differ from the operands' format: fp16,
/// bf16, fp32.
[[nodiscard]] Axis output_axis(std::string_view help = "format of the result");
/// The extents of the operands, each with its letter.
[[nodiscard]] Axis shape_axis(std::string_view help, std::string_view letters);
[[nodiscard]] Axis rows_axis();
[[nodiscard]] Axis size_axis();
[[nodiscard]] Axis fill_axis(std::span<const std::string_view> fills,
                             std::string_view help = "how the data is chosen");

/// The most elements of a tensor, gaps not counted: 1 GiB in fp32. Kernels index with int.
inline constexpr std::uint64_t kMostElements = std::uint64_t{1} << 28;

/// The cases of one level of a suite, without duplicates, in insertion order.
class CaseList {
 public:
  CaseList(std::string_view suite, std::span<const Axis> axes, std::uint64_t seed)
      : suite_(suite), axes_(axes), seed_(seed) {}

  /// One token per axis, in axis order. Throws UsageError as make_case() does.
  void add(std::initializer_list<std::string_view> tokens);

  [[nodiscard]] std::vector<Case> take() && { return std::move(cases_); }
  /// For suites with rows_axis(): sorted by size class, then by name, so that a defect shows on
  /// small cases first.
  [[nodiscard]] std::vector<Case> take_small_first() &&;

 private:
  std::string_view suite_;
  std::span<const Axis> axes_;
  std::uint64_t seed_;
  std::vector<Case> cases_;
  std::set<std::string> names_;
};

}  // namespace halfmark::suites
