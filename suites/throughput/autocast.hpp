// SPDX-License-Identifier: Apache-2.0
// A library product as autocast runs it: operands arrive in fp32 and are cast on every call.
// Compared with the product by itself (operands cast beforehand), it shows the cost of the casts in
// time and in bytes. Decides how the plan is assembled; measures nothing. Assumes: the device has a
// library that converts; otherwise there is no plan.
#pragma once

#include <optional>

#include "backends/device_info.hpp"
#include "suites/core/case/case.hpp"
#include "suites/core/execute/plan.hpp"

namespace halfmark::suites::throughput {

/// The prefix that marks a case as timed with its casts, in lists of names.
inline constexpr std::string_view kAutocast = "autocast ";
/// The same before the name of the row.
inline constexpr std::string_view kAutocastRow = "autocast.";

struct Autocast {
  Plan plan;  // the case's own plan, preceded by one cast for each operand
  TensorSet inputs;
};

/// Nothing if the case is not a library product on fp16, or no library converts.
[[nodiscard]] std::optional<Autocast> with_casts(const Case& c, const backends::DeviceInfo& device);

/// Whether with_casts() may return a plan, judged only by the name.
[[nodiscard]] bool may_be_cast(const Case& c);

}  // namespace halfmark::suites::throughput
