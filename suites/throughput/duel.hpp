// SPDX-License-Identifier: Apache-2.0
// Two kernels timed in turn, so that load and clocks that move disturb both alike: what a claim
// that one is faster than the other can do rests on. Measures; decides nothing.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "suites/core/execute/execute.hpp"

namespace halfmark::suites::throughput {

/// Pairs of a duel. A kernel that is no faster than its rival wins 14 of them or more with a chance
/// of 16 in 32,768.
inline constexpr int kDuelPairs = 15;

/// {"against", "against_flops", "pairs_ns": [[against, own], ...]}: each pair in the order own,
/// against or against, own, by turns. Names as of measure(). A driver's error leaves as
/// BackendError.
[[nodiscard]] nlohmann::json duel(Session& session, const std::string& own,
                                  const std::string& against);

}  // namespace halfmark::suites::throughput
