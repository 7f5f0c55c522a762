// SPDX-License-Identifier: Apache-2.0
//
// Makes a vendor's driver from its table. This is all that a vendor's folder calls.
#pragma once

#include <memory>

#include "backends/adapter.hpp"
#include "backends/driver.hpp"
#include "backends/shim/vendor.hpp"

namespace halfmark::backends::shim {

[[nodiscard]] std::unique_ptr<Driver> make_driver(const Vendor& vendor);

// This process's only driver of the vendor, wrapped in the C table.
template <const Vendor& kVendor>
[[nodiscard]] const HmBackendApi* api_of() {
  static const std::unique_ptr<Driver> driver = make_driver(kVendor);
  static const ExportedDriver exported(*driver);
  return exported.api();
}

}  // namespace halfmark::backends::shim
