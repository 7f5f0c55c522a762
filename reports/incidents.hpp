// SPDX-License-Identifier: Apache-2.0
// Devices and processes that were lost on the way, in cases that answered when they were asked
// again. Decides how many of them a device may have and still conform: one for each thousand cases
// begun. A single loss may be the machine's; a device that is lost every few launches is not fit
// for use, whatever its bits.
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

/// `environment` of a record or a scorecard; anything may stand in it.
[[nodiscard]] Losses losses_in(const nlohmann::json& environment, std::uint64_t cases);

/// "12 losses of the device or its process, 2 are allowed".
[[nodiscard]] std::string sentence(const Losses& losses);

}  // namespace halfmark::reports
