// SPDX-License-Identifier: Apache-2.0
#include "backends/musa/telemetry.hpp"

#include <fmt/format.h>

#include <array>

namespace halfmark::backends::musa::telemetry {
namespace {

using nlohmann::json;
using Reader = shim::Reader<Calls>;
using Answer = std::pair<Status, json>;

constexpr const char* kNames[] = {"libmtml.so.2", "libmtml.so.1", "libmtml.so"};
constexpr const char* kFolders[] = {"$MUSA_PATH/lib", "/usr/local/musa/lib",
                                    "/usr/local/musa-*/lib"};
constexpr shim::Symbol kSymbols[] = {HM_TELEMETRY(HM_TELEMETRY_NEEDED)
                                         HM_TELEMETRY_OPTIONAL(HM_TELEMETRY_OFFERED)};

std::string error_text(const Calls& calls, Status status) { return calls.error_text(status); }

// A device and its parts; a missing part stays null.
struct Device {
  Object system = nullptr;
  Object device = nullptr;
  Object core = nullptr;
  Object memory = nullptr;
};

// A part of the device, or null.
template <typename Call>
Object part(Call call, Object whole) {
  Object found = nullptr;
  return call != nullptr && call(whole, &found) == 0 ? found : nullptr;
}

// One number of one part.
template <typename Value>
void number(const Reader& reader, json& into, const char* name,
            Status (*Calls::*role)(Object, Value*), Object whole, double divisor = 1) {
  if (whole == nullptr) {
    into[name] = shim::not_available("the library shows no such part of the device");
    return;
  }
  reader.read(into, name, role, [&](auto call) {
    Value value{};
    const Status status = call(whole, &value);
    return Answer{status, divisor == 1 ? json(value) : json(static_cast<double>(value) / divisor)};
  });
}

void text(const Reader& reader, json& into, const char* name,
          Status (*Calls::*role)(Object, char*, unsigned), Object whole) {
  reader.read(into, name, role, [&](auto call) {
    std::array<char, 128> words{};
    const Status status = call(whole, words.data(), 64);
    return Answer{status, words.data()};
  });
}

void read_ecc(const Reader& reader, Object memory, json& into) {
  reader.read(into, "ecc_mode", &Calls::ecc_mode, [&](auto call) {
    unsigned current = 0;
    unsigned pending = 0;
    const Status status = call(memory, &current, &pending);
    return Answer{status, current != 0 ? "enabled" : "disabled"};
  });
  const auto errors = [&](const char* name, unsigned kind) {
    reader.read(into, name, &Calls::ecc_errors, [&](auto call) {
      unsigned long long count = 0;
      const Status status = call(memory, kind, kSinceDriverLoaded, kDeviceMemory, &count);
      return Answer{status, count};
    });
  };
  errors("ecc_corrected_errors", kCorrected);
  errors("ecc_uncorrected_errors", kUncorrected);
}

json readings_of(const Reader& reader, const Device& of, const PciInfo& pci) {
  json into;
  into["pci_id"] = shim::pci_id(pci.device_and_maker & 0xffff, pci.device_and_maker >> 16);
  text(reader, into, "driver_version", &Calls::driver_version, of.system);
  text(reader, into, "firmware_version", &Calls::firmware_version, of.device);
  number(reader, into, "memory_total_bytes", &Calls::memory_total, of.memory);
  number(reader, into, "memory_used_bytes", &Calls::memory_used, of.memory);
  if (of.memory != nullptr) read_ecc(reader, of.memory, into);
  number(reader, into, "compute_clock_mhz", &Calls::compute_clock, of.core);
  number(reader, into, "compute_clock_max_mhz", &Calls::max_compute_clock, of.core);
  number(reader, into, "memory_clock_mhz", &Calls::memory_clock, of.memory);
  number(reader, into, "memory_clock_max_mhz", &Calls::max_memory_clock, of.memory);
  number(reader, into, "power_draw_watts", &Calls::power_draw, of.device, 1000);
  number(reader, into, "power_limit_watts", &Calls::power_limit, of.core, 1000);
  number(reader, into, "temperature_celsius", &Calls::temperature, of.core);
  return into;
}

json read_device(const Reader& reader, Object library, const std::string& bus_id) {
  const Calls& calls = reader.calls();
  const std::optional<shim::BusPlace> wanted = shim::bus_place(bus_id);
  unsigned count = 0;
  const Status status = calls.device_count(library, &count);
  if (status != 0) return shim::no_readings(reader.why(&Calls::device_count, status));
  for (unsigned i = 0; i < count; ++i) {
    Object device = nullptr;
    PciInfo pci{};
    if (calls.device_at(library, i, &device) != 0 || calls.pci_info(device, &pci) != 0) continue;
    const shim::BusPlace place{.domain = pci.segment, .bus = pci.bus, .device = pci.device};
    if (place != wanted) continue;
    return readings_of(reader,
                       {.system = part(calls.system, library),
                        .device = device,
                        .core = part(calls.graphics_core, device),
                        .memory = part(calls.memory, device)},
                       pci);
  }
  return shim::no_readings(fmt::format("none of {} devices is at {}", count, bus_id));
}

std::vector<json> read(const shim::OpenLibrary& library, std::span<const std::string> bus_ids) {
  Calls calls{};
  library.bind(kSymbols, &calls);
  const Reader reader(calls, kSymbols, library.path(), error_text);
  Object handle = nullptr;
  const Status status = calls.initialise(&handle);
  if (status != 0) throw BackendError("initialise", status, reader.why(&Calls::initialise, status));
  std::vector<json> all;
  for (const std::string& bus_id : bus_ids) all.push_back(read_device(reader, handle, bus_id));
  if (calls.shut_down != nullptr) calls.shut_down(handle);
  return all;
}

}  // namespace

const shim::Telemetry kTelemetry = {
    .library = {.variable = "HALFMARK_MUSA_TELEMETRY",
                .names = kNames,
                .folders = kFolders,
                .symbols = kSymbols,
                .remedy = "it comes with Moore Threads' driver; HALFMARK_MUSA_TELEMETRY names it"},
    .read = read};

}  // namespace halfmark::backends::musa::telemetry
