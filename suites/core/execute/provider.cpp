// SPDX-License-Identifier: Apache-2.0
#include "suites/core/execute/provider.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace halfmark::suites {

const backends::Library* provider_library(const backends::DeviceInfo& device,
                                          std::string_view provider,
                                          std::string_view operator_name) {
  if (provider == "library") return device.library("library", operator_name);
  if (provider == "library2") return device.library("library", operator_name, 1);
  if (provider == "unit") return device.library("unit", operator_name);
  if (provider == "unit2") return device.library("unit", operator_name, 1);
  return nullptr;
}

std::string no_provider(const backends::DeviceInfo& device, std::string_view provider,
                        std::string_view operator_name) {
  const std::string_view kind = is_unit(provider) ? "unit" : "library";
  const bool has_others =
      device.library(kind, operator_name) == nullptr &&
      std::any_of(device.libraries.begin(), device.libraries.end(),
                  [kind](const backends::Library& row) { return row.usable && row.kind == kind; });
  std::string seen;
  for (const backends::Library& row : device.libraries) {
    seen += fmt::format("{}{} ({})", seen.empty() ? "" : "; ", row.name, row.evidence);
  }
  return fmt::format("no {} of the device offers the operator{}: {}", provider,
                     has_others ? fmt::format(" '{}'", operator_name) : "",
                     seen.empty() ? "its backend knows of no libraries" : seen);
}

bool lacks_full_profile(const backends::DeviceInfo& device) {
  const backends::Promise* profile = device.promise(kFullProfile);
  return profile != nullptr && !profile->offered;
}

}  // namespace halfmark::suites
