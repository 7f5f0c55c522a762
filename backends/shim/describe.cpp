// SPDX-License-Identifier: Apache-2.0
#include "backends/shim/describe.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "backends/shim/environment_rows.hpp"
#include "backends/shim/search.hpp"

namespace halfmark::backends::shim {
namespace {

std::optional<int> attribute(const Runtime& runtime, int number, Ordinal device) {
  int value = 0;
  if (runtime.calls().device_attribute(&value, number, device) != 0) return std::nullopt;
  return value;
}

int capability_of(const Runtime& runtime, Ordinal device) {
  const Attributes& numbers = runtime.vendor().attributes;
  return 10 * attribute(runtime, numbers.capability_major, device).value_or(0) +
         attribute(runtime, numbers.capability_minor, device).value_or(0);
}

// The structure's layout has changed from release to release, so this searches for its text: it
// passes a zeroed block larger than any layout and looks for the prefix.
std::string from_properties(const Runtime& runtime, Ordinal device) {
  if (runtime.calls().device_properties == nullptr) return {};
  std::array<char, 8192> block{};
  if (runtime.calls().device_properties(block.data(), device) != 0) return {};
  const std::string_view all(block.data(), block.size());
  const std::size_t at = all.find(runtime.vendor().architectures.prefix);
  if (at == all.npos) return {};
  return std::string(all.substr(at, all.find('\0', at) - at));
}

// Reports a value that the driver does not provide as "not available".
nlohmann::json or_null(const std::optional<int>& value) {
  return value ? nlohmann::json(*value) : nlohmann::json("not available");
}

nlohmann::json extra_of(const Runtime& runtime, Ordinal device) {
  const Attributes& numbers = runtime.vendor().attributes;
  std::array<char, 64> bus{};
  const bool has_bus =
      runtime.calls().device_bus_id != nullptr &&
      runtime.calls().device_bus_id(bus.data(), static_cast<int>(bus.size()), device) == 0;
  nlohmann::json extra = {
      {"driver_library", runtime.path()},
      {"architecture", architecture_of(runtime, device)},
      {"compute_capability", fmt::format("{}.{}", capability_of(runtime, device) / 10,
                                         capability_of(runtime, device) % 10)},
      {"warp_items", or_null(attribute(runtime, numbers.warp_items, device))},
      {"clock_khz", or_null(attribute(runtime, numbers.clock_khz, device))},
      {"memory_clock_khz", or_null(attribute(runtime, numbers.memory_clock_khz, device))},
      {"memory_bus_bits", or_null(attribute(runtime, numbers.memory_bus_bits, device))},
      {"cache_bytes", or_null(attribute(runtime, numbers.cache_bytes, device))},
      {"ecc", or_null(attribute(runtime, numbers.ecc, device))},
      {"integrated", or_null(attribute(runtime, numbers.integrated, device))},
      {"pci_bus_id", has_bus ? bus.data() : "not available"}};
  if (!runtime.vendor().compiler_variables.empty())
    extra["variables"] = environment_object(runtime.vendor().compiler_variables);
  return extra;
}

std::string version_text(int version) {
  // All these interfaces encode versions as 1000 (or 10'000'000) * major + 10 (or 100'000) * minor.
  if (version >= 1'000'000)
    return fmt::format("{}.{}", version / 10'000'000, version / 100'000 % 100);
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

std::uint32_t natural(const std::optional<int>& value) {
  return static_cast<std::uint32_t>(std::max(0, value.value_or(0)));
}

}  // namespace

std::string architecture_of(const Runtime& runtime, Ordinal device) {
  const Architectures& how = runtime.vendor().architectures;
  switch (how.from) {
    case Architectures::From::kProperties:
      return from_properties(runtime, device);
    case Architectures::From::kCapability:
      break;
  }
  return fmt::format("{}{}", how.prefix, capability_of(runtime, device));
}

std::string compilable(const Runtime& runtime, const Compiler& compiler, Ordinal device) {
  if (compiler.architectures.empty()) return architecture_of(runtime, device);
  const int capability = capability_of(runtime, device);
  const int best = best_capability(compiler.architectures, capability);
  const char* prefix = runtime.vendor().architectures.prefix;
  if (best != 0) return fmt::format("{}{}", prefix, best);
  throw BackendError(
      "compiler", 0,
      fmt::format("{} (version {}) makes no code for {}{}; it offers {}; another version goes into "
                  "{}",
                  compiler.path, compiler.version, prefix, capability,
                  fmt::join(compiler.architectures, " "), runtime.vendor().compiler.variable));
}

DeviceFacts facts_of(const Runtime& runtime, Ordinal device) {
  return {.capability = capability_of(runtime, device),
          .architecture = architecture_of(runtime, device),
          .runtime_version = runtime.version()};
}

DeviceInfo describe(Runtime& runtime, int index) {
  const Vendor& vendor = runtime.vendor();
  const DriverCalls& calls = runtime.calls();
  Ordinal device = 0;
  runtime.check("device", calls.device_of(&device, index));
  std::array<char, 256> name{};
  runtime.check("device name", calls.device_name(name.data(), name.size() - 1, device));
  std::size_t memory_bytes = 0;
  runtime.check("device memory", calls.device_memory(&memory_bytes, device));
  const auto number = [&](int attribute_number) {
    return attribute(runtime, attribute_number, device);
  };
  int driver_version = 0;
  calls.driver_version(&driver_version);
  DeviceInfo info;
  info.backend = vendor.backend;
  info.name = name.data();
  info.platform = vendor.platform;
  info.vendor = runtime.stand_in().empty() ? vendor.maker : "Halfmark";
  info.driver_version = version_text(driver_version);
  info.api_version = fmt::format("{} {}", vendor.platform, version_text(runtime.version()));
  info.kind = runtime.stand_in().empty() ? "gpu" : "stand-in";
  info.memory_bytes = memory_bytes;
  info.local_memory_bytes = natural(number(vendor.attributes.local_memory_bytes));
  info.max_group_items = natural(number(vendor.attributes.max_group_items));
  info.compute_units = natural(number(vendor.attributes.compute_units));
  const DeviceFacts facts = facts_of(runtime, device);
  info.promises = vendor.promises(facts);
  info.packs = vendor.packs(facts);
  for (const FoundLibrary& found : runtime.libraries()) info.libraries.push_back(found.library);
  for (backends::Library& unit : unit_libraries(vendor.units, facts, runtime.stand_in()))
    info.libraries.push_back(std::move(unit));
  info.extra = extra_of(runtime, device);
  info.extra["queued_calls"] = true;
  if (!runtime.stand_in().empty()) info.extra["stand_in"] = runtime.stand_in();
  add_declared(info, vendor.data_sheets);
  return info;
}

}  // namespace halfmark::backends::shim
