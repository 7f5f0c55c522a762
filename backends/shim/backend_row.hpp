// SPDX-License-Identifier: Apache-2.0
//
// HM_SHIM_BACKEND(name): defines name::api(), the entry point that backends/README.md requires,
// for a backend that consists of its folder's table. Used once, by the vendor's backend.cpp, after
// its vendor.hpp and telemetry.hpp. The constructor serves the jobs of vendor processes before
// main (vendor_process.hpp).
#pragma once

#include "backends/shim/driver.hpp"
#include "backends/shim/vendor_process.hpp"

#define HM_SHIM_BACKEND(name)                                                          \
  namespace halfmark::backends::name {                                                 \
  namespace {                                                                          \
  [[gnu::constructor]] void serve(int argument_count, char** arguments) {              \
    shim::serve_vendor_job(kVendor, telemetry::kTelemetry, argument_count, arguments); \
  }                                                                                    \
  }                                                                                    \
  const HmBackendApi* api();                                                           \
  const HmBackendApi* api() { return shim::api_of<kVendor>(); }                        \
  }
