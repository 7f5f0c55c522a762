// SPDX-License-Identifier: Apache-2.0
// The process that drives the device of an experiment, so that a driver that crashes or hangs takes
// nothing else with it. Decides the messages between it and the program: one request, one answer
// for each mode.
#pragma once

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>

#include "backends/device_info.hpp"
#include "tools/halfmark/lab/experiment.hpp"

namespace halfmark::tools::lab {

inline constexpr const char* kLabArgument = "--lab-worker";

/// The main program of that process.
int serve_lab();

struct DeviceRequest {
  Request request;
  std::string provider;  // "portable" or "library"
  bool diagnoses = true;
  std::chrono::milliseconds limit;  // of one mode
};

/// {"modes": [...]} and, if the process died or took too long, {"lost": what happened and where}.
/// Throws EnvironmentError if the device does not open or cannot run the experiment.
[[nodiscard]] nlohmann::json ask_device(const DeviceRequest& asked,
                                        const backends::DeviceInfo& device);

/// Asks a process of its own, whose memory nothing else has used: the request is {"memory":
/// "matrices"} or {"memory": "mode", "network", "mode"} with numbers below memory_networks() and
/// memory_modes(). The result is that of memory.hpp, or {"lost": how it ended}, or {"error": why}.
[[nodiscard]] nlohmann::json ask_memory(nlohmann::json request, const backends::DeviceInfo& device,
                                        std::chrono::milliseconds limit);

}  // namespace halfmark::tools::lab
