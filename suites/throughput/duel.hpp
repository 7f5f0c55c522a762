// SPDX-License-Identifier: Apache-2.0
// Times two kernels in alternation, so that changes of load and clocks affect both equally: the
// evidence for a claim that one is faster than the other. Measures; decides nothing.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "suites/core/execute/execute.hpp"

namespace halfmark::suites::throughput {

/// Pairs of a duel. A kernel that is no faster than its rival wins at least 14 of them with a
/// probability of 16 in 32,768.
inline constexpr int kDuelPairs = 15;

/// Returns {"against", "against_flops", "pairs_ns": [[against, own], ...]}; the order within a pair
/// alternates. Names as in measure(). Driver errors propagate as BackendError.
[[nodiscard]] nlohmann::json duel(Session& session, const std::string& own,
                                  const std::string& against);

}  // namespace halfmark::suites::throughput
