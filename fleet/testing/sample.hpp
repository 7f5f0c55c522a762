// SPDX-License-Identifier: Apache-2.0
// Roll-ups for tests: devices that answer two suites, rightly or wrongly, and a merge of them.
#pragma once

#include <string>
#include <vector>

#include "fleet/fleet_report.hpp"
#include "fleet/rollup.hpp"

namespace halfmark::fleet::testing {

/// A device of the kind "Model" that is right; its suites are "gemm" and "softmax", 100 cases each.
[[nodiscard]] Rollup right(const std::string& node, const std::string& selector = "x:0");

/// The same with one wrong case of "gemm", whose wrong bits are `result`.
[[nodiscard]] Rollup wrong(const std::string& node, const std::string& result,
                           const std::string& selector = "x:0");

/// The same with a case of "gemm" on which the device contradicts itself.
[[nodiscard]] Rollup varying(const std::string& node, MissKind kind = MissKind::kVaries);

/// The same answer, ended within "gemm"; `asked` says which cases of it are left.
[[nodiscard]] Rollup cut_short(Rollup rollup, std::uint64_t asked);

/// The same answer as a partial one, as a self-test or a store in error makes it.
[[nodiscard]] Rollup doubted(Rollup rollup);

/// So many devices that are right: nodes n0, n1, ...
[[nodiscard]] std::vector<Rollup> fleet_of(int devices);

/// `roster`: as in a file; empty: there is none.
[[nodiscard]] FleetReport merged(const std::vector<Rollup>& rollups,
                                 const std::string& roster = "");

/// Changes the bits of the suite as a device would that breaks no rule.
void give_other_bits(Rollup& rollup, const std::string& suite, std::uint64_t by = 1);

void set_rate(Rollup& rollup, const std::string& name, double per_second, double clock_mhz = 0);

}  // namespace halfmark::fleet::testing
