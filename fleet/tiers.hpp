// SPDX-License-Identifier: Apache-2.0
// The tiers of a fleet's checks: how long each may take on a node, and how much it asks. All
// devices of a node run at the same time.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace halfmark::fleet {

struct Tier {
  std::string_view name;
  std::chrono::seconds budget;
  std::string_view level;
  std::uint32_t shards;  // asks one of so many shares of the level's cases, which the seed chooses
  bool throughput;
  bool repeats;  // asks again with the next seed until the budget is spent
  std::string_view purpose;
};

inline constexpr Tier kTiers[] = {
    {"pulse", std::chrono::seconds(10), "smoke", 16, false, false,
     "a sign of life before a job or a container"},
    {"prolog", std::chrono::seconds(45), "smoke", 2, false, false,
     "before a job: schedulers allow a minute"},
    {"epilog", std::chrono::minutes(2), "smoke", 1, false, false, "after a job that failed"},
    {"accept", std::chrono::minutes(20), "standard", 1, true, false,
     "delivery, and return from repair"},
    {"soak", std::chrono::hours(1), "smoke", 1, false, true,
     "fresh seeds for as long as --for says"},
};

/// Null: there is none of that name.
[[nodiscard]] const Tier* find_tier(std::string_view name);

/// "3/16": the share that the seed chooses, the same on every node; empty: all cases.
[[nodiscard]] std::string shard_of(const Tier& tier, std::uint64_t seed);

/// How long before the end of a budget the runner is told to stop, so that it can still write what
/// it found: a tenth of the budget, between 1 and 5 seconds.
[[nodiscard]] std::chrono::milliseconds grace_of(std::chrono::milliseconds budget);

}  // namespace halfmark::fleet
