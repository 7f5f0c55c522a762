// SPDX-License-Identifier: Apache-2.0
//
// The jobs of a vendor process, as functions from JSON to JSON. They may abort or hang: only
// vendor_process.cpp calls them.
//
//   {"op": "probe"}    which driver library works        -> {"path", "device_count"}
//   {"op": "compiler", "driver_major"}  which compiler   -> {"path", "version", "architectures"}
//   {"op": "compile", "path", "source", "options"}       -> {"image", "log"}
// Each answers {"error", "code", "call"} when it fails.
#pragma once

#include <nlohmann/json.hpp>

#include "backends/shim/vendor.hpp"

namespace halfmark::backends::shim {

[[nodiscard]] nlohmann::json run_job(const Vendor& vendor, const nlohmann::json& job);

}  // namespace halfmark::backends::shim
