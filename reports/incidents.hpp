// SPDX-License-Identifier: Apache-2.0
// Losses of the device or its worker process in cases that gave an answer when they were repeated,
// and in what is measured beside them (speed, a training step). Decides how many losses a device
// may have and still conform: one per thousand cases, rounded up. The machine may be to blame for a
// single loss; a device that is lost every few launches is unfit for use, whatever its bits.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

namespace halfmark::reports {

inline constexpr std::uint64_t kCasesPerLoss = 1000;

struct Losses {
  std::uint64_t count = 0, allowed = 0;
  [[nodiscard]] bool beyond() const { return count > allowed; }
};

/// Reads the losses from the `environment` of a record or a scorecard, which may hold anything.
[[nodiscard]] Losses losses_in(const nlohmann::json& environment, std::uint64_t cases);

/// "12 losses of the device or its process (2 allowed)".
[[nodiscard]] std::string sentence(const Losses& losses);

}  // namespace halfmark::reports
