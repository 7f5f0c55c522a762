// SPDX-License-Identifier: Apache-2.0
//
// The calls of ROCm SMI (AMD's management library) that Halfmark makes, by role, with their symbols
// and numbers; telemetry_header_test.cpp compares them with rocm_smi.h.
//
// Assumptions:
//  1. The structures grew from release to release without a version field: they are read into
//  blocks larger than any of them, and `frequencies_in` distinguishes the layouts.
//  2. An optional call may be missing; its reading is then "not available".
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "backends/shim/telemetry.hpp"
#include "backends/shim/vendor.hpp"

namespace halfmark::backends::hip::telemetry {

using shim::Status;

// Room for rsmi_frequencies_t, rsmi_error_count_t or rsmi_gpu_metrics_t of any release.
struct alignas(8) Block {
  std::array<std::byte, 16384> bytes;
};

struct Calls {
  Status (*initialise)(std::uint64_t flags);
  Status (*shut_down)();
  Status (*error_text)(Status status, const char** text);
  Status (*device_count)(std::uint32_t* count);
  Status (*place)(std::uint32_t device, std::uint64_t* place);

  Status (*driver_version)(int component, char* text, std::uint32_t bytes);
  Status (*firmware_version)(std::uint32_t device, char* text, std::uint32_t bytes);
  Status (*maker_id)(std::uint32_t device, std::uint16_t* id);
  Status (*device_id)(std::uint32_t device, std::uint16_t* id);
  Status (*memory_total)(std::uint32_t device, int kind, std::uint64_t* bytes);
  Status (*memory_used)(std::uint32_t device, int kind, std::uint64_t* bytes);
  Status (*ecc_blocks)(std::uint32_t device, std::uint64_t* blocks);
  Status (*ecc_errors)(std::uint32_t device, std::uint64_t block, Block* counts);
  Status (*clock)(std::uint32_t device, int domain, Block* frequencies);
  Status (*power_draw)(std::uint32_t device, std::uint64_t* microwatts, int* kind);
  Status (*power_average)(std::uint32_t device, std::uint32_t sensor, std::uint64_t* microwatts);
  Status (*power_limit)(std::uint32_t device, std::uint32_t sensor, std::uint64_t* microwatts);
  Status (*temperature)(std::uint32_t device, std::uint32_t sensor, int metric,
                        std::int64_t* millicelsius);
  Status (*metrics)(std::uint32_t device, Block* metrics);
};

enum Number : int {
  kDriver = 0,
  kDeviceMemory = 0,
  kMemoryBlock = 1,
  kComputeClock = 0,
  kMemoryClock = 4,
  kEdge = 0,
  kJunction = 1,
  kCurrent = 0,
};

struct Frequencies {
  std::uint64_t current = 0;  // hertz
  std::uint64_t most = 0;
};
// Reads rsmi_frequencies_t in either layout: without the field has_deep_sleep, or with it inserted
// before the others (32 and 33 frequencies). Returns nothing when it holds no frequency.
[[nodiscard]] std::optional<Frequencies> frequencies_in(const Block& block);

extern const shim::Telemetry kTelemetry;

}  // namespace halfmark::backends::hip::telemetry

// clang-format off: one row per line
#define HM_TELEMETRY(X) \
  X(initialise, rsmi_init) \
  X(error_text, rsmi_status_string) \
  X(device_count, rsmi_num_monitor_devices) \
  X(place, rsmi_dev_pci_id_get)

#define HM_TELEMETRY_OPTIONAL(X) \
  X(shut_down, rsmi_shut_down) \
  X(driver_version, rsmi_version_str_get) \
  X(firmware_version, rsmi_dev_vbios_version_get) \
  X(maker_id, rsmi_dev_vendor_id_get) \
  X(device_id, rsmi_dev_id_get) \
  X(memory_total, rsmi_dev_memory_total_get) \
  X(memory_used, rsmi_dev_memory_usage_get) \
  X(ecc_blocks, rsmi_dev_ecc_enabled_get) \
  X(ecc_errors, rsmi_dev_ecc_count_get) \
  X(clock, rsmi_dev_gpu_clk_freq_get) \
  X(power_average, rsmi_dev_power_ave_get) \
  X(power_limit, rsmi_dev_power_cap_get) \
  X(temperature, rsmi_dev_temp_metric_get) \
  X(metrics, rsmi_dev_gpu_metrics_info_get)

// Since release 6.
#define HM_TELEMETRY_SINCE_6(X) \
  X(power_draw, rsmi_dev_power_get)

#define HM_TELEMETRY_NUMBERS(X) \
  X(kDriver, RSMI_SW_COMP_DRIVER) \
  X(kDeviceMemory, RSMI_MEM_TYPE_VRAM) \
  X(kMemoryBlock, RSMI_GPU_BLOCK_UMC) \
  X(kComputeClock, RSMI_CLK_TYPE_SYS) \
  X(kMemoryClock, RSMI_CLK_TYPE_MEM) \
  X(kEdge, RSMI_TEMP_TYPE_EDGE) \
  X(kJunction, RSMI_TEMP_TYPE_JUNCTION) \
  X(kCurrent, RSMI_TEMP_CURRENT)
// clang-format on
