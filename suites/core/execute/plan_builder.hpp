// SPDX-License-Identifier: Apache-2.0
// Pieces of plans that the bindings of several operators share: a dense tensor as an operand, the
// call of a library's operator, what a kernel needs of a device. Decides nothing about an operator.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "backends/device_info.hpp"
#include "suites/core/execute/plan.hpp"

namespace halfmark::suites {

/// The number that kernels/prelude.hk gives to a format: fp16, bf16 or fp32.
[[nodiscard]] std::string kernel_word(const formats::Format& format);

/// Notes in `plan.needs` that its kernels run in groups of so many items, if the device has fewer.
/// True: it has them.
[[nodiscard]] bool require_group(Plan& plan, const backends::DeviceInfo& device,
                                 std::uint32_t items);

/// A dense tensor whose role in the operator is its name.
[[nodiscard]] TensorSlice dense(std::string_view name, std::initializer_list<std::size_t> sizes);

/// Appends a call of the operator, in fp32 and as yet without tensors, of the library that the
/// word means. Null: the device has none, and `plan.no_provider` says why. The pointer lasts until
/// the next step is appended.
[[nodiscard]] OperatorStep* add_operator(Plan& plan, const backends::DeviceInfo& device,
                                         std::string_view provider, std::string_view name);

}  // namespace halfmark::suites
