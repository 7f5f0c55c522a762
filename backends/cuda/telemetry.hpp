// SPDX-License-Identifier: Apache-2.0
//
// The calls of NVML (NVIDIA's management library) that Halfmark makes, by role, with their symbols
// and numbers; telemetry_header_test.cpp compares them with nvml.h.
//
// Assumption: an optional call may be missing in old releases; its reading is then "not available".
#pragma once

#include <cstdint>

#include "backends/shim/telemetry.hpp"
#include "backends/shim/vendor.hpp"

namespace halfmark::backends::cuda::telemetry {

using shim::Status;
using Device = void*;

// nvmlPciInfo_t and nvmlMemory_t.
struct PciInfo {
  char bus_id_legacy[16];
  unsigned domain, bus, device;
  unsigned device_and_maker;  // the vendor id is the low half
  unsigned subsystem;
  char bus_id[32];
};
struct Memory {
  unsigned long long total, free, used;
};

struct Calls {
  Status (*initialise)();
  Status (*shut_down)();
  const char* (*error_text)(Status status);
  Status (*device_at)(const char* bus_id, Device* device);

  Status (*driver_version)(char* text, unsigned bytes);
  Status (*firmware_version)(Device device, char* text, unsigned bytes);
  Status (*pci_info)(Device device, PciInfo* info);
  Status (*memory)(Device device, Memory* memory);
  Status (*ecc_mode)(Device device, int* current, int* pending);
  Status (*ecc_errors)(Device device, int kind, int counter, unsigned long long* count);
  Status (*clock)(Device device, int domain, unsigned* megahertz);
  Status (*max_clock)(Device device, int domain, unsigned* megahertz);
  Status (*power_draw)(Device device, unsigned* milliwatts);
  Status (*power_limit)(Device device, unsigned* milliwatts);
  Status (*temperature)(Device device, int sensor, unsigned* celsius);
  Status (*throttle_reasons)(Device device, unsigned long long* bits);
};

enum Number : int {
  kCorrected = 0,
  kUncorrected = 1,
  kSinceDriverLoaded = 0,
  kComputeClock = 1,
  kMemoryClock = 2,
  kGpuSensor = 0,
};

extern const shim::Telemetry kTelemetry;

}  // namespace halfmark::backends::cuda::telemetry

// clang-format off: one row per line
#define HM_TELEMETRY(X) \
  X(initialise, nvmlInit_v2) \
  X(error_text, nvmlErrorString) \
  X(device_at, nvmlDeviceGetHandleByPciBusId_v2)

#define HM_TELEMETRY_OPTIONAL(X) \
  X(shut_down, nvmlShutdown) \
  X(driver_version, nvmlSystemGetDriverVersion) \
  X(firmware_version, nvmlDeviceGetVbiosVersion) \
  X(pci_info, nvmlDeviceGetPciInfo_v3) \
  X(memory, nvmlDeviceGetMemoryInfo) \
  X(ecc_mode, nvmlDeviceGetEccMode) \
  X(ecc_errors, nvmlDeviceGetTotalEccErrors) \
  X(clock, nvmlDeviceGetClockInfo) \
  X(max_clock, nvmlDeviceGetMaxClockInfo) \
  X(power_draw, nvmlDeviceGetPowerUsage) \
  X(power_limit, nvmlDeviceGetEnforcedPowerLimit) \
  X(temperature, nvmlDeviceGetTemperature) \
  X(throttle_reasons, nvmlDeviceGetCurrentClocksEventReasons) \
  X(throttle_reasons, nvmlDeviceGetCurrentClocksThrottleReasons)

#define HM_TELEMETRY_NUMBERS(X) \
  X(kCorrected, NVML_MEMORY_ERROR_TYPE_CORRECTED) \
  X(kUncorrected, NVML_MEMORY_ERROR_TYPE_UNCORRECTED) \
  X(kSinceDriverLoaded, NVML_VOLATILE_ECC) \
  X(kComputeClock, NVML_CLOCK_SM) \
  X(kMemoryClock, NVML_CLOCK_MEM) \
  X(kGpuSensor, NVML_TEMPERATURE_GPU)

// The bits of throttle_reasons.
#define HM_TELEMETRY_THROTTLE(X) \
  X(nvmlClocksEventReasonGpuIdle, 0x1, "idle") \
  X(nvmlClocksEventReasonApplicationsClocksSetting, 0x2, "clocks set by an application") \
  X(nvmlClocksEventReasonSwPowerCap, 0x4, "power limit") \
  X(nvmlClocksThrottleReasonHwSlowdown, 0x8, "hardware slowdown") \
  X(nvmlClocksEventReasonSyncBoost, 0x10, "clocks of a group") \
  X(nvmlClocksEventReasonSwThermalSlowdown, 0x20, "temperature (software)") \
  X(nvmlClocksThrottleReasonHwThermalSlowdown, 0x40, "temperature (hardware)") \
  X(nvmlClocksThrottleReasonHwPowerBrakeSlowdown, 0x80, "power brake (hardware)") \
  X(nvmlClocksEventReasonDisplayClockSetting, 0x100, "display clocks") \
  HM_TELEMETRY_THROTTLE_SINCE_13(X)

#define HM_TELEMETRY_THROTTLE_SINCE_13(X) \
  X(nvmlClocksEventReasonBoardLimit, 0x200, "board limit") \
  X(nvmlClocksEventReasonReliability, 0x400, "reliability limit")
// clang-format on
