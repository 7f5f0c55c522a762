// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/telemetry.hpp"

#include <fmt/format.h>

#include <array>

namespace halfmark::backends::cuda::telemetry {
namespace {

using nlohmann::json;
using Reader = shim::Reader<Calls>;

constexpr const char* kNames[] = {"libnvidia-ml.so.1"};
constexpr const char* kFolders[] = {"/usr/lib/wsl/lib", "/usr/local/nvidia/lib64",
                                    "/run/opengl-driver/lib"};
constexpr shim::Symbol kSymbols[] = {HM_TELEMETRY(HM_TELEMETRY_NEEDED)
                                         HM_TELEMETRY_OPTIONAL(HM_TELEMETRY_OFFERED)};

#define HM_ROW(enumerator, bit, word) {bit, word},
constexpr shim::BitWord kThrottleWords[] = {HM_TELEMETRY_THROTTLE(HM_ROW)};
#undef HM_ROW

using Answer = std::pair<Status, json>;

std::string error_text(const Calls& calls, Status status) { return calls.error_text(status); }

Answer text_of(auto&& call) {
  std::array<char, 96> text{};
  const Status status = call(text.data(), static_cast<unsigned>(text.size() - 1));
  return {status, text.data()};
}

void read_identity(const Reader& reader, Device device, json& into) {
  reader.read(into, "driver_version", &Calls::driver_version,
              [](auto call) { return text_of(call); });
  reader.read(into, "firmware_version", &Calls::firmware_version, [&](auto call) {
    return text_of([&](char* text, unsigned bytes) { return call(device, text, bytes); });
  });
  reader.read(into, "pci_id", &Calls::pci_info, [&](auto call) {
    PciInfo info{};
    const Status status = call(device, &info);
    return Answer{status,
                  shim::pci_id(info.device_and_maker & 0xffff, info.device_and_maker >> 16)};
  });
}

void read_memory(const Reader& reader, Device device, json& into) {
  const auto part = [&](const char* name, auto Memory::* field) {
    reader.read(into, name, &Calls::memory, [&](auto call) {
      Memory memory{};
      const Status status = call(device, &memory);
      return Answer{status, memory.*field};
    });
  };
  part("memory_total_bytes", &Memory::total);
  part("memory_used_bytes", &Memory::used);
  reader.read(into, "ecc_mode", &Calls::ecc_mode, [&](auto call) {
    int current = 0;
    int pending = 0;
    const Status status = call(device, &current, &pending);
    return Answer{status, current != 0 ? "enabled" : "disabled"};
  });
  const auto errors = [&](const char* name, int kind) {
    reader.read(into, name, &Calls::ecc_errors, [&](auto call) {
      unsigned long long count = 0;
      const Status status = call(device, kind, kSinceDriverLoaded, &count);
      return Answer{status, count};
    });
  };
  errors("ecc_corrected_errors", kCorrected);
  errors("ecc_uncorrected_errors", kUncorrected);
}

void read_state(const Reader& reader, Device device, json& into) {
  const auto natural = [&](const char* name, auto role, int selector) {
    reader.read(into, name, role, [&](auto call) {
      unsigned value = 0;
      const Status status = call(device, selector, &value);
      return Answer{status, value};
    });
  };
  natural("compute_clock_mhz", &Calls::clock, kComputeClock);
  natural("compute_clock_max_mhz", &Calls::max_clock, kComputeClock);
  natural("memory_clock_mhz", &Calls::clock, kMemoryClock);
  natural("memory_clock_max_mhz", &Calls::max_clock, kMemoryClock);
  natural("temperature_celsius", &Calls::temperature, kGpuSensor);
  const auto watts = [&](const char* name, auto role) {
    reader.read(into, name, role, [&](auto call) {
      unsigned milliwatts = 0;
      const Status status = call(device, &milliwatts);
      return Answer{status, milliwatts / 1000.0};
    });
  };
  watts("power_draw_watts", &Calls::power_draw);
  watts("power_limit_watts", &Calls::power_limit);
  reader.read(into, "throttle_reasons", &Calls::throttle_reasons, [&](auto call) {
    unsigned long long bits = 0;
    const Status status = call(device, &bits);
    return Answer{status, shim::words_of(bits, kThrottleWords)};
  });
}

json read_device(const Reader& reader, const std::string& bus_id) {
  Device device = nullptr;
  const Status status = reader.calls().device_at(bus_id.c_str(), &device);
  if (status != 0) return shim::no_readings(reader.why(&Calls::device_at, status));
  json readings;
  read_identity(reader, device, readings);
  read_memory(reader, device, readings);
  read_state(reader, device, readings);
  return readings;
}

std::vector<json> read(const shim::OpenLibrary& library, std::span<const std::string> bus_ids) {
  Calls calls{};
  library.bind(kSymbols, &calls);
  const Reader reader(calls, kSymbols, library.path(), error_text);
  const Status status = calls.initialise();
  if (status != 0) throw BackendError("initialise", status, reader.why(&Calls::initialise, status));
  std::vector<json> all;
  for (const std::string& bus_id : bus_ids) all.push_back(read_device(reader, bus_id));
  if (calls.shut_down != nullptr) calls.shut_down();
  return all;
}

}  // namespace

const shim::Telemetry kTelemetry = {
    .library = {.variable = "HALFMARK_CUDA_TELEMETRY",
                .names = kNames,
                .folders = kFolders,
                .symbols = kSymbols,
                .remedy = "it is part of NVIDIA's driver; HALFMARK_CUDA_TELEMETRY names it"},
    .read = read};

}  // namespace halfmark::backends::cuda::telemetry
