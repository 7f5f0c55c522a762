// SPDX-License-Identifier: Apache-2.0
// Violation or deviation: what a contract row leaves open counts only where the device does not
// promise otherwise. Decides the standing of a failure from its explanations; looks for none.
#pragma once

#include <string_view>

#include "backends/device_info.hpp"
#include "suites/core/case/contract.hpp"
#include "suites/core/judge/result.hpp"

namespace halfmark::suites {

/// The driver's own answer that leaves a freedom of the row open; null when the row or the device
/// does not.
[[nodiscard]] const backends::Promise* permission(std::string_view freedom, const ContractRow& row,
                                                  const backends::DeviceInfo& device);

/// A deviation has an exact explanation that takes freedoms which are open, and nothing else.
/// Fills in class, standing, reason, and by what it is permitted.
void decide_standing(CaseResult& result, const ContractRow& row,
                     const backends::DeviceInfo& device);

}  // namespace halfmark::suites
