// SPDX-License-Identifier: Apache-2.0
// What the tokens of a layernorm case mean. bind() alone takes tokens apart; the other files
// of the folder share the result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "reference/operators/layernorm.hpp"
#include "suites/core/suite/suite.hpp"

namespace halfmark::suites::layernorm {

struct Binding {
  bool backward = false;
  bool centered = true;                     // false for rmsnorm
  bool portable = true;                     // false: the provider chooses the order of operations
  const formats::Format* format = nullptr;  // of all tensors except the statistics, which are fp32
  std::size_t rows = 0, width = 0;
  std::uint32_t eps = 0;  // fp32
  std::string_view fill;  // refers into the case

  [[nodiscard]] std::size_t count() const { return rows * width; }
  /// A call without gamma or beta scales by 1 or adds 0, and has no gradient of it.
  [[nodiscard]] bool has_gamma() const { return fill != "bare"; }
  [[nodiscard]] bool has_beta() const { return centered && has_gamma() && fill != "unshifted"; }
  [[nodiscard]] operators::LayernormParams params() const {
    return {.rows = rows, .width = width, .eps = eps, .output = format, .centered = centered};
  }
};

/// Throws UsageError when the tokens do not go together.
[[nodiscard]] Binding bind(const Case& c);

[[nodiscard]] std::span<const Axis> axes();
[[nodiscard]] std::span<const ContractRow> contract();
[[nodiscard]] const ContractRow& contract_row(const Case& c, const backends::DeviceInfo& device);
/// The row that replaces a bounded row once the case's recipe has been identified;
/// see modelled.cpp.
[[nodiscard]] const ContractRow& modelled_row();
[[nodiscard]] const Modelling& modelling();
/// Whether the gradients of gamma and beta are sums of +1 and -1.
[[nodiscard]] bool weights_are_exact(const Binding& b);
[[nodiscard]] std::vector<Case> cases(Level level, std::uint64_t seed);
/// The relation that the fill `related` checks; nothing for other fills.
[[nodiscard]] std::optional<Relation> relation(const Case& c);

[[nodiscard]] std::span<const std::string_view> fill_names();
/// Whether the fill is meaningful for the operation.
[[nodiscard]] bool applies(std::string_view fill, bool backward);
/// Fills that need strides or axes, which only libraries accept.
[[nodiscard]] bool only_for_libraries(std::string_view fill);
/// "x", "gamma", "beta"; for the gradients "x", "gamma", "dy", "mean", "rstd".
[[nodiscard]] TensorSet make_inputs(const Case& c);

/// The case as launches of kernels; see launches.cpp.
[[nodiscard]] std::vector<TensorSpec> tensors_of(const Binding& b);
[[nodiscard]] std::vector<Launch> launches_of(const Binding& b);
/// The case as a call of a device's library.
[[nodiscard]] Plan library_plan(const Case& c, const backends::DeviceInfo& device);

}  // namespace halfmark::suites::layernorm
