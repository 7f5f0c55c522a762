// SPDX-License-Identifier: Apache-2.0
// Pieces of plans that several operators share: a dense tensor as an operand, a call of a library
// operator, a kernel's requirements on the device. Decides nothing about an operator.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "backends/device_info.hpp"
#include "suites/core/execute/plan.hpp"

namespace halfmark::suites {

/// The word for a format in kernels/prelude.hk and fp8.hk, in capitals: HM_FP16 for fp16.
[[nodiscard]] std::string kernel_word(const formats::Format& format);

/// A whole number as a kernel takes it.
template <typename Number>
[[nodiscard]] PlanArgument whole(Number value) {
  return static_cast<std::int32_t>(value);
}

/// How many groups of `each` items there are for `count` items; the last may have a rest.
[[nodiscard]] constexpr std::uint32_t groups_of(std::size_t count, std::size_t each) {
  return static_cast<std::uint32_t>((count + each - 1) / each);
}

/// The prefix of the capabilities that groups of some size are.
inline constexpr std::string_view kGroupCapability = "group.";
/// True if the device supports work-groups of `items` work-items; otherwise sets `plan.needs`.
[[nodiscard]] bool require_group(Plan& plan, const backends::DeviceInfo& device,
                                 std::uint32_t items);

/// A dense tensor whose role in the operator is its name.
[[nodiscard]] TensorSlice dense(std::string_view name, std::initializer_list<std::size_t> sizes);

/// Appends a call of the operator, in fp32 and without tensors, to the library that `provider`
/// means. Returns null if the device has none; `plan.no_provider` then says why. The pointer is
/// valid until the next step is appended.
[[nodiscard]] OperatorStep* add_operator(Plan& plan, const backends::DeviceInfo& device,
                                         std::string_view provider, std::string_view name);

}  // namespace halfmark::suites
