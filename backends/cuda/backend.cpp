// SPDX-License-Identifier: Apache-2.0
//
// The CUDA backend: the shared driver over this folder's table.
#include "backends/cuda/telemetry.hpp"
#include "backends/cuda/vendor.hpp"
#include "backends/shim/driver.hpp"
#include "backends/shim/vendor_process.hpp"

namespace halfmark::backends::cuda {
namespace {

[[gnu::constructor]] void serve(int argument_count, char** arguments) {
  shim::serve_vendor_job(kVendor, telemetry::kTelemetry, argument_count, arguments);
}

}  // namespace

const HmBackendApi* api();

const HmBackendApi* api() { return shim::api_of<kVendor>(); }

}  // namespace halfmark::backends::cuda
