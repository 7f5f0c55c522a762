// SPDX-License-Identifier: Apache-2.0
//
// The readings of a vendor's management library for a device at one moment: driver, firmware, PCI
// identity, memory, ECC, clocks, power, temperature, and reasons for throttling. Decides the names
// and units of the readings, and what replaces a missing one. A vendor's folder defines and makes
// the calls (its telemetry.hpp).
//
// Assumptions:
//  1. Such a library may crash or hang: only jobs.cpp, in a child, calls read_telemetry.
//  2. The library numbers devices in its own order, so devices are identified by PCI bus location.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backends/shim/library.hpp"
#include "backends/shim/vendor.hpp"

namespace halfmark::backends::shim {

// Each is a value, or the text "not available: REASON". throttle_reasons is a list of words, empty
// when the device is not throttled. Error counts start when the driver is loaded.
inline constexpr std::string_view kReadings[] = {
    "driver_version",        "firmware_version",       "pci_id",
    "memory_total_bytes",    "memory_used_bytes",      "ecc_mode",
    "ecc_corrected_errors",  "ecc_uncorrected_errors", "compute_clock_mhz",
    "compute_clock_max_mhz", "memory_clock_mhz",       "memory_clock_max_mhz",
    "power_draw_watts",      "power_limit_watts",      "temperature_celsius",
    "throttle_reasons"};

// A vendor's management library. `read` returns one entry per bus location, and throws BackendError
// when the library cannot be used at all.
struct Telemetry {
  Library library;
  std::vector<nlohmann::json> (*read)(const OpenLibrary& library,
                                      std::span<const std::string> bus_ids);
};

[[nodiscard]] std::string not_available(std::string_view reason);
[[nodiscard]] nlohmann::json no_readings(std::string_view reason);  // all "not available"
[[nodiscard]] std::vector<nlohmann::json> read_telemetry(const Telemetry& telemetry,
                                                         std::span<const std::string> bus_ids);
// Adds the same as extra["telemetry"] to every device whose `extra` has pci_bus_id. Reads in a
// child process and tolerates any way in which it ends.
void add_telemetry(const Vendor& vendor, std::span<DeviceInfo> devices);

// "domain:bus:device.function" in hexadecimal, as all these interfaces write it. Comparisons ignore
// the function, because one device may have several.
struct BusPlace {
  std::uint32_t domain = 0;
  std::uint32_t bus = 0;
  std::uint32_t device = 0;
  bool operator==(const BusPlace&) const = default;
};
[[nodiscard]] std::optional<BusPlace> bus_place(std::string_view text);

[[nodiscard]] std::string pci_id(std::uint32_t maker, std::uint32_t device);  // "10de:2335"

struct BitWord {
  std::uint64_t bit;  // a mask
  const char* word;
};
[[nodiscard]] nlohmann::json words_of(std::uint64_t bits, std::span<const BitWord> words);

// Makes a library's calls for one device and stores the readings. `Calls` is a table of function
// pointers that OpenLibrary::bind has filled.
template <typename Calls>
class Reader {
 public:
  using Words = std::string (*)(const Calls& calls, Status status);
  Reader(const Calls& calls, std::span<const Symbol> symbols, std::string library, Words words)
      : calls_(calls), symbols_(symbols), library_(std::move(library)), words_(words) {}

  // ask(call) makes the call and returns its status and the value.
  template <typename Call, typename Ask>
  void read(nlohmann::json& into, const char* name, Call Calls::* role, Ask&& ask) const {
    const Call call = calls_.*role;
    if (call == nullptr) {
      into[name] = not_available(library_ + " lacks " + symbol_of(role));
      return;
    }
    std::pair<Status, nlohmann::json> answer = std::forward<Ask>(ask)(call);
    into[name] = answer.first == 0 ? std::move(answer.second)
                                   : nlohmann::json(not_available(why(role, answer.first)));
  }
  // For example "nvmlInit_v2: Driver Not Loaded".
  template <typename Call>
  [[nodiscard]] std::string why(Call Calls::* role, Status status) const {
    return symbol_of(role) + ": " + words_(calls_, status);
  }
  [[nodiscard]] const Calls& calls() const { return calls_; }

 private:
  template <typename Call>
  [[nodiscard]] std::string symbol_of(Call Calls::* role) const {
    const auto* base = reinterpret_cast<const std::byte*>(&calls_);
    const auto slot =
        static_cast<std::size_t>(reinterpret_cast<const std::byte*>(&(calls_.*role)) - base);
    for (const Symbol& symbol : symbols_) {
      if (symbol.slot == slot) return symbol.name;
    }
    return "the call";
  }

  const Calls& calls_;
  std::span<const Symbol> symbols_;
  std::string library_;
  Words words_;
};

}  // namespace halfmark::backends::shim

// The rows X(role, symbol) of a vendor's telemetry.hpp as a table of symbols. Rows with the same
// role are alternatives, best first.
#define HM_TELEMETRY_NEEDED(role, symbol) {#symbol, offsetof(Calls, role), true},
#define HM_TELEMETRY_OFFERED(role, symbol) {#symbol, offsetof(Calls, role), false},
