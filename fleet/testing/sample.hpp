// SPDX-License-Identifier: Apache-2.0
// Roll-ups for tests: devices that answer two suites, rightly or wrongly.
#pragma once

#include <string>

#include "fleet/rollup.hpp"

namespace halfmark::fleet::testing {

/// A device of the kind "Model" that is right; its suites are "gemm" and "softmax", 100 cases each.
[[nodiscard]] Rollup right(const std::string& node, const std::string& selector = "x:0");

/// The same with one wrong case of "gemm", whose wrong bits are `result`.
[[nodiscard]] Rollup wrong(const std::string& node, const std::string& result,
                           const std::string& selector = "x:0");

/// The same with a case of "gemm" on which the device contradicts itself.
[[nodiscard]] Rollup varying(const std::string& node, MissKind kind = MissKind::kVaries);

/// Changes the bits of the suite as a device would that breaks no rule.
void give_other_bits(Rollup& rollup, const std::string& suite, std::uint64_t by = 1);

void set_rate(Rollup& rollup, const std::string& name, double per_second, double clock_mhz = 0);

}  // namespace halfmark::fleet::testing
