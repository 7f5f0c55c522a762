// SPDX-License-Identifier: Apache-2.0
#include "reports/incidents.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace halfmark::reports {

using nlohmann::json;

Losses losses_in(const json& environment, std::uint64_t cases) {
  Losses losses{.allowed = std::max<std::uint64_t>(1, (cases + kCasesPerLoss - 1) / kCasesPerLoss)};
  const auto incidents = environment.find("incidents");
  if (incidents == environment.end() || !incidents->is_array()) return losses;
  losses.count =
      static_cast<std::uint64_t>(std::ranges::count_if(*incidents, [](const json& incident) {
        return incident.is_object() && incident.value("lost", json()) == json(true);
      }));
  return losses;
}

std::string sentence(const Losses& losses) {
  return fmt::format("{} loss{} of the device or its process ({} allowed)", losses.count,
                     losses.count == 1 ? "" : "es", losses.allowed);
}

}  // namespace halfmark::reports
