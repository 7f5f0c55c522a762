// SPDX-License-Identifier: Apache-2.0
//
// The jobs of a vendor process, as functions from JSON to JSON and bytes. They may abort or hang:
// only vendor_process.cpp calls them.
//
//     {"op": "probe"}: which driver library works
//         -> {"path", "device_count", ...}
//     {"op": "compiler", "driver_major", "architecture", "skipped", "reasons"}: which compiler fits
//         -> {"path", "major", "minor", "architectures", "content"}
//     {"op": "compile", "path", "architecture", "definitions", "source"}
//         -> {"log"}, then the image
//     {"op": "prebuild", "driver_major", "architecture", "runtime_version", "part", "parts",
//      "programs"}: keeps the images of every parts-th program
//         -> {"built", "known", "compiler", "failed"}
//     {"op": "telemetry", "bus_ids"}: readings of these devices
//         -> {"telemetry": one entry per device}
//     {"op": "units"}: the vendor's matrix instructions
//         -> {"units": with the text of their programs}
//     {"op": "library", "name", "driver"}: which file of that library works
//         -> {"path", "version", "way"}
//
// Both searches note {"trying": name} before they open a file, and {"files": [...]}, all loaded
// files, when they use one. A failed job answers {"error", "code", "call"}.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "backends/shim/telemetry.hpp"
#include "backends/shim/vendor.hpp"

namespace halfmark::backends::shim {

struct Answer {
  nlohmann::json reply;
  std::string image;
  std::vector<nlohmann::json> notes;
};

// Sends a note at once, in case no answer follows.
using Note = std::function<void(const nlohmann::json&)>;

[[nodiscard]] Answer run_job(const Vendor& vendor, const Telemetry& telemetry,
                             const nlohmann::json& job, const Note& note);

}  // namespace halfmark::backends::shim
