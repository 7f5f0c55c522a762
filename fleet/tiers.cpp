// SPDX-License-Identifier: Apache-2.0
#include "fleet/tiers.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace halfmark::fleet {

const Tier* find_tier(std::string_view name) {
  const auto tier = std::ranges::find(kTiers, name, &Tier::name);
  return tier == std::end(kTiers) ? nullptr : &*tier;
}

const SoakMode* find_soak_mode(std::string_view name) {
  const auto mode = std::ranges::find(kSoakModes, name, &SoakMode::name);
  return mode == std::end(kSoakModes) ? nullptr : &*mode;
}

std::string shard_of(const Tier& tier, std::uint64_t seed) {
  return tier.shards == 1 ? "" : fmt::format("{}/{}", seed % tier.shards + 1, tier.shards);
}

std::chrono::milliseconds grace_of(std::chrono::milliseconds budget) {
  using std::chrono::milliseconds;
  return std::clamp(budget / 10, milliseconds(1000), milliseconds(5000));
}

}  // namespace halfmark::fleet
