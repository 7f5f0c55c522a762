// SPDX-License-Identifier: Apache-2.0
//
// The calls of MTML (Moore Threads' management library) that Halfmark makes, by role, with their
// symbols and numbers, as the vendor's Python binding (pymtml) and public programs declare them:
// there is no header for comparison.
//
// Assumptions:
//  1. Objects (library, system, device, graphics core, memory) are opaque; those of a device are
//  never released, because the process ends after the query.
//  2. An optional call may be missing; its reading is then "not available".
#pragma once

#include "backends/shim/telemetry.hpp"
#include "backends/shim/vendor.hpp"

namespace halfmark::backends::musa::telemetry {

using shim::Status;
using Object = void*;

// MtmlPciInfo.
struct PciInfo {
  char place[32];
  unsigned segment, bus, device;
  unsigned device_and_maker;  // the vendor id is the low half
  unsigned subsystem, bus_width;
  float most_speed, speed;
  unsigned most_width, width, most_generation, generation;
  int reserved[6];
};
static_assert(sizeof(PciInfo) == 104);

struct Calls {
  Status (*initialise)(Object* library);
  Status (*shut_down)(Object library);
  const char* (*error_text)(Status status);
  Status (*device_count)(Object library, unsigned* count);
  Status (*device_at)(Object library, unsigned index, Object* device);
  Status (*pci_info)(Object device, PciInfo* info);

  Status (*system)(Object library, Object* system);
  Status (*driver_version)(Object system, char* text, unsigned bytes);
  Status (*firmware_version)(Object device, char* text, unsigned bytes);
  Status (*graphics_core)(Object device, Object* core);
  Status (*memory)(Object device, Object* memory);
  Status (*memory_total)(Object memory, unsigned long long* bytes);
  Status (*memory_used)(Object memory, unsigned long long* bytes);
  Status (*ecc_mode)(Object memory, unsigned* current, unsigned* pending);
  Status (*ecc_errors)(Object memory, unsigned kind, unsigned counter, unsigned location,
                       unsigned long long* count);
  Status (*compute_clock)(Object core, unsigned* megahertz);
  Status (*max_compute_clock)(Object core, unsigned* megahertz);
  Status (*memory_clock)(Object memory, unsigned* megahertz);
  Status (*max_memory_clock)(Object memory, unsigned* megahertz);
  Status (*power_draw)(Object device, unsigned* milliwatts);
  Status (*power_limit)(Object core, int* milliwatts);
  Status (*temperature)(Object core, int* celsius);
};

enum Number : unsigned {
  kCorrected = 0,
  kUncorrected = 1,
  kSinceDriverLoaded = 0,
  kDeviceMemory = 1,
};

extern const shim::Telemetry kTelemetry;

}  // namespace halfmark::backends::musa::telemetry

// clang-format off: one row per line
#define HM_TELEMETRY(X) \
  X(initialise, mtmlLibraryInit) \
  X(error_text, mtmlErrorString) \
  X(device_count, mtmlLibraryCountDevice) \
  X(device_at, mtmlLibraryInitDeviceByIndex) \
  X(pci_info, mtmlDeviceGetPciInfo)

#define HM_TELEMETRY_OPTIONAL(X) \
  X(shut_down, mtmlLibraryShutDown) \
  X(system, mtmlLibraryInitSystem) \
  X(driver_version, mtmlSystemGetDriverVersion) \
  X(firmware_version, mtmlDeviceGetMtBiosVersion) \
  X(firmware_version, mtmlDeviceGetVbiosVersion) \
  X(graphics_core, mtmlDeviceInitGpu) \
  X(memory, mtmlDeviceInitMemory) \
  X(memory_total, mtmlMemoryGetTotal) \
  X(memory_used, mtmlMemoryGetUsed) \
  X(ecc_mode, mtmlMemoryGetEccMode) \
  X(ecc_errors, mtmlMemoryGetEccErrorCounter) \
  X(compute_clock, mtmlGpuGetClock) \
  X(max_compute_clock, mtmlGpuGetMaxClock) \
  X(memory_clock, mtmlMemoryGetClock) \
  X(max_memory_clock, mtmlMemoryGetMaxClock) \
  X(power_draw, mtmlDeviceGetPowerUsage) \
  X(power_limit, mtmlGpuGetEnforcedPowerLimit) \
  X(temperature, mtmlGpuGetTemperature)
// clang-format on
