// SPDX-License-Identifier: Apache-2.0
#include "backends/hip/telemetry.hpp"

#include <fmt/format.h>

#include <cstring>

namespace halfmark::backends::hip::telemetry {
namespace {

using nlohmann::json;
using Reader = shim::Reader<Calls>;
using Answer = std::pair<Status, json>;

constexpr const char* kNames[] = {"librocm_smi64.so.1", "librocm_smi64.so.7", "librocm_smi64.so.6",
                                  "librocm_smi64.so.5", "librocm_smi64.so"};
constexpr const char* kFolders[] = {"$ROCM_PATH/lib", "/opt/rocm/lib", "/opt/rocm-*/lib",
                                    "/opt/rocm/rocm_smi/lib"};
constexpr shim::Symbol kSymbols[] = {HM_TELEMETRY(HM_TELEMETRY_NEEDED) HM_TELEMETRY_OPTIONAL(
    HM_TELEMETRY_OFFERED) HM_TELEMETRY_SINCE_6(HM_TELEMETRY_OFFERED)};

// The bits of indep_throttle_status, which mean the same on every chip: SMU_THROTTLER_* of the
// Linux kernel's amdgpu_smu.h.
constexpr std::uint64_t bit(int number) { return std::uint64_t{1} << number; }
constexpr shim::BitWord kThrottleWords[] = {
    {bit(0), "power limit 0"},
    {bit(1), "power limit 1"},
    {bit(2), "power limit 2"},
    {bit(3), "power limit 3"},
    {bit(4), "sustained power limit"},
    {bit(5), "fast power limit"},
    {bit(6), "slow power limit"},
    {bit(7), "slow power limit of the APU"},
    {bit(16), "sustained current of the shaders"},
    {bit(17), "sustained current of the SoC"},
    {bit(18), "sustained current of the memory"},
    {bit(19), "sustained current of VDD"},
    {bit(20), "sustained current of CVIP"},
    {bit(21), "peak current of the CPU"},
    {bit(22), "peak current of the shaders"},
    {bit(23), "current controller"},
    {bit(32), "temperature"},
    {bit(33), "temperature of a core"},
    {bit(34), "temperature of the memory"},
    {bit(35), "temperature at the edge"},
    {bit(36), "temperature of the hotspot"},
    {bit(37), "temperature of the SoC"},
    {bit(38), "temperature of the shaders' regulator"},
    {bit(39), "temperature of the SoC's regulator"},
    {bit(40), "temperature of memory regulator 0"},
    {bit(41), "temperature of memory regulator 1"},
    {bit(42), "temperature of liquid 0"},
    {bit(43), "temperature of liquid 1"},
    {bit(44), "hot regulator 0"},
    {bit(45), "hot regulator 1"},
    {bit(46), "processor hot (CPU)"},
    {bit(47), "processor hot (shaders)"},
    {bit(56), "power management"},
    {bit(57), "fitness limit"},
};

// A structure's value at an offset that no release has moved.
template <typename Value>
Value at(const Block& block, std::size_t offset) {
  Value value{};
  std::memcpy(&value, &block.bytes.at(offset), sizeof value);
  return value;
}

Block filled(int with) {
  Block block;
  std::memset(block.bytes.data(), with, block.bytes.size());
  return block;
}

std::string error_text(const Calls& calls, Status status) {
  const char* text = nullptr;
  if (calls.error_text(status, &text) != 0 || text == nullptr)
    return fmt::format("status {}", status);
  return text;
}

Answer text_of(auto&& call) {
  std::array<char, 256> text{};
  const Status status = call(text.data(), static_cast<std::uint32_t>(text.size() - 1));
  return {status, text.data()};
}

void read_identity(const Reader& reader, std::uint32_t device, json& into) {
  reader.read(into, "driver_version", &Calls::driver_version, [](auto call) {
    return text_of([&](char* text, std::uint32_t bytes) { return call(kDriver, text, bytes); });
  });
  reader.read(into, "firmware_version", &Calls::firmware_version, [&](auto call) {
    return text_of([&](char* text, std::uint32_t bytes) { return call(device, text, bytes); });
  });
  std::uint16_t maker = 0;
  reader.read(into, "pci_id", &Calls::maker_id,
              [&](auto call) { return Answer{call(device, &maker), ""}; });
  const std::string without_maker = into["pci_id"];  // the reason, if it is not known
  if (!without_maker.empty()) return;
  reader.read(into, "pci_id", &Calls::device_id, [&](auto call) {
    std::uint16_t id = 0;
    const Status status = call(device, &id);
    return Answer{status, shim::pci_id(maker, id)};
  });
}

void read_memory(const Reader& reader, std::uint32_t device, json& into) {
  const auto bytes_of = [&](const char* name, auto role) {
    reader.read(into, name, role, [&](auto call) {
      std::uint64_t bytes = 0;
      const Status status = call(device, kDeviceMemory, &bytes);
      return Answer{status, bytes};
    });
  };
  bytes_of("memory_total_bytes", &Calls::memory_total);
  bytes_of("memory_used_bytes", &Calls::memory_used);
  reader.read(into, "ecc_mode", &Calls::ecc_blocks, [&](auto call) {
    std::uint64_t blocks = 0;
    const Status status = call(device, &blocks);
    return Answer{status, (blocks & kMemoryBlock) != 0 ? "enabled" : "disabled"};
  });
  const auto errors = [&](const char* name, std::size_t offset) {
    reader.read(into, name, &Calls::ecc_errors, [&](auto call) {
      Block counts = filled(0);
      const Status status = call(device, kMemoryBlock, &counts);
      return Answer{status, at<std::uint64_t>(counts, offset)};
    });
  };
  errors("ecc_corrected_errors", 0);
  errors("ecc_uncorrected_errors", 8);
}

void read_clock(const Reader& reader, std::uint32_t device, json& into, const char* now,
                const char* most, int domain) {
  const auto frequency = [&](const char* name, std::uint64_t Frequencies::* field) {
    reader.read(into, name, &Calls::clock, [&](auto call) {
      Block block = filled(0);
      const Status status = call(device, domain, &block);
      const std::optional<Frequencies> found = frequencies_in(block);
      return Answer{status, found ? json((*found).*field / 1'000'000)
                                  : json(shim::not_available("the library lists no frequency"))};
    });
  };
  frequency(now, &Frequencies::current);
  frequency(most, &Frequencies::most);
}

void read_power(const Reader& reader, std::uint32_t device, json& into) {
  const auto watts = [](Status status, std::uint64_t microwatts) {
    return Answer{status, static_cast<double>(microwatts) / 1e6};
  };
  std::uint64_t value = 0;
  if (reader.calls().power_draw != nullptr) {
    reader.read(into, "power_draw_watts", &Calls::power_draw, [&](auto call) {
      int kind = 0;
      const Status status = call(device, &value, &kind);
      return watts(status, value);
    });
  }
  if (!into.contains("power_draw_watts") || into["power_draw_watts"].is_string()) {
    reader.read(into, "power_draw_watts", &Calls::power_average, [&](auto call) {
      const Status status = call(device, 0, &value);
      return watts(status, value);
    });
  }
  reader.read(into, "power_limit_watts", &Calls::power_limit, [&](auto call) {
    const Status status = call(device, 0, &value);
    return watts(status, value);
  });
}

// rsmi_gpu_metrics_t: the header's three fields, and indep_throttle_status, which tables of version
// 1.3 and later hold. A library that knows only shorter tables leaves those bytes unchanged.
json throttle_words(const Block& metrics) {
  constexpr std::size_t kFormat = 2;
  constexpr std::size_t kContent = 3;
  constexpr std::size_t kIndependentStatus = 112;
  const auto bits = at<std::uint64_t>(metrics, kIndependentStatus);
  if (bits == ~std::uint64_t{0}) {
    return shim::not_available(fmt::format("the table of metrics ({}.{}) holds no throttle status",
                                           at<std::uint8_t>(metrics, kFormat),
                                           at<std::uint8_t>(metrics, kContent)));
  }
  return shim::words_of(bits, kThrottleWords);
}

void read_state(const Reader& reader, std::uint32_t device, json& into) {
  read_clock(reader, device, into, "compute_clock_mhz", "compute_clock_max_mhz", kComputeClock);
  read_clock(reader, device, into, "memory_clock_mhz", "memory_clock_max_mhz", kMemoryClock);
  read_power(reader, device, into);
  for (const int sensor : {kEdge, kJunction}) {  // accelerators without an edge sensor
    reader.read(into, "temperature_celsius", &Calls::temperature, [&](auto call) {
      std::int64_t millicelsius = 0;
      const Status status =
          call(device, static_cast<std::uint32_t>(sensor), kCurrent, &millicelsius);
      return Answer{status, static_cast<double>(millicelsius) / 1000};
    });
    if (into["temperature_celsius"].is_number()) break;
  }
  reader.read(into, "throttle_reasons", &Calls::metrics, [&](auto call) {
    Block metrics = filled(0xff);
    const Status status = call(device, &metrics);
    return Answer{status, throttle_words(metrics)};
  });
}

shim::BusPlace unpacked(std::uint64_t place) {
  return {.domain = static_cast<std::uint32_t>(place >> 32),
          .bus = static_cast<std::uint32_t>(place >> 8) & 0xff,
          .device = static_cast<std::uint32_t>(place >> 3) & 0x1f};
}

json read_device(const Reader& reader, const std::string& bus_id) {
  const std::optional<shim::BusPlace> wanted = shim::bus_place(bus_id);
  std::uint32_t count = 0;
  const Status status = reader.calls().device_count(&count);
  if (status != 0) return shim::no_readings(reader.why(&Calls::device_count, status));
  for (std::uint32_t device = 0; device < count; ++device) {
    std::uint64_t place = 0;
    if (reader.calls().place(device, &place) != 0 || unpacked(place) != wanted) continue;
    json readings;
    read_identity(reader, device, readings);
    read_memory(reader, device, readings);
    read_state(reader, device, readings);
    return readings;
  }
  return shim::no_readings(fmt::format("none of {} devices is at {}", count, bus_id));
}

std::vector<json> read(const shim::OpenLibrary& library, std::span<const std::string> bus_ids) {
  Calls calls{};
  library.bind(kSymbols, &calls);
  const Reader reader(calls, kSymbols, library.path(), error_text);
  const Status status = calls.initialise(0);
  if (status != 0) throw BackendError("initialise", status, reader.why(&Calls::initialise, status));
  std::vector<json> all;
  for (const std::string& bus_id : bus_ids) all.push_back(read_device(reader, bus_id));
  if (calls.shut_down != nullptr) calls.shut_down();
  return all;
}

}  // namespace

std::optional<Frequencies> frequencies_in(const Block& block) {
  // In 32-bit words: (count, current, then 64-bit frequencies at byte 8), or (flag, count, current,
  // -, then frequencies at byte 16). The third word is either the low half of a frequency in hertz,
  // or an index of at most 32.
  constexpr std::uint32_t kMostFrequencies = 33;
  const bool has_flag =
      at<std::uint32_t>(block, 8) < kMostFrequencies && at<std::uint8_t>(block, 0) <= 1;
  const std::size_t head = has_flag ? 4 : 0;
  const auto count = at<std::uint32_t>(block, head);
  const auto current = at<std::uint32_t>(block, head + 4);
  if (count == 0 || count > kMostFrequencies || current >= count) return std::nullopt;
  Frequencies found;
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto hertz = at<std::uint64_t>(block, (has_flag ? 16 : 8) + 8 * std::size_t{i});
    if (i == current) found.current = hertz;
    found.most = std::max(found.most, hertz);
  }
  return found;
}

const shim::Telemetry kTelemetry = {
    .library = {.variable = "HALFMARK_HIP_TELEMETRY",
                .names = kNames,
                .folders = kFolders,
                .symbols = kSymbols,
                .remedy = "install ROCm SMI (rocm-smi-lib), or name librocm_smi64.so with "
                          "HALFMARK_HIP_TELEMETRY"},
    .read = read};

}  // namespace halfmark::backends::hip::telemetry
