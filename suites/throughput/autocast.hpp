// SPDX-License-Identifier: Apache-2.0
// A product of a library as autocast runs it: operands arrive in fp32 and are cast on every call.
// Beside the product alone (operands cast beforehand) it tells what the casts cost, in time and in
// bytes. Decides how the plan is put together; measures nothing. Assumes: the device has a library
// that converts; without one nothing is put together.
#pragma once

#include <optional>

#include "backends/device_info.hpp"
#include "suites/core/case/case.hpp"
#include "suites/core/execute/plan.hpp"

namespace halfmark::suites::throughput {

/// Marks the name of a case that is timed with its casts, in lists of names.
inline constexpr std::string_view kAutocast = "autocast ";

struct Autocast {
  Plan plan;  // the case's own, behind one cast for each operand
  TensorSet inputs;
};

/// Nothing when the case is no product of a library on fp16, or nobody casts.
[[nodiscard]] std::optional<Autocast> with_casts(const Case& c, const backends::DeviceInfo& device);

/// Whether with_casts() may have an answer: told by the name alone.
[[nodiscard]] bool may_be_cast(const Case& c);

}  // namespace halfmark::suites::throughput
