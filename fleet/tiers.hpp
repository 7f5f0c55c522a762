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
  std::uint32_t shards;  // asks one of this many shares of the level's cases; the seed says which
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

/// How a tier that repeats uses its time. Faults depend on data, so many short slots with fresh
/// seeds find more than few long ones; `deep` asks everything of each seed instead.
struct SoakMode {
  std::string_view name;
  std::uint32_t shards;  // asks one of this many shares in each slot
  int rest;              // leaves the device alone for this many slots after each
  std::string_view purpose;
};

inline constexpr SoakMode kSoakModes[] = {
    {"deep", 1, 0, "all of smoke with each seed"},
    {"short", 16, 0, "a 16th of it with each seed, without a break"},
    {"quiet", 16, 9, "the same, a tenth of the time, beside other work"},
};

[[nodiscard]] const SoakMode* find_soak_mode(std::string_view name);

/// "3/16": the share that the seed chooses, the same on every node; empty: all cases.
[[nodiscard]] std::string shard_of(const Tier& tier, std::uint64_t seed);

/// How long before the end of a budget the runner is told to stop, so that it can still write what
/// it found: a tenth of the budget, between 1 and 5 seconds.
[[nodiscard]] std::chrono::milliseconds grace_of(std::chrono::milliseconds budget);

}  // namespace halfmark::fleet
