// SPDX-License-Identifier: Apache-2.0
//
// Turns a C++ Driver into the C table of abi.h. Only here do exceptions become status numbers.
//
// Usage, at the end of a backend's backend.cpp:
//     const HmBackendApi* api() {
//       static MyDriver driver;
//       static const ExportedDriver exported(driver);
//       return exported.api();
//     }
#pragma once

#include <string>

#include "backends/abi.h"
#include "backends/driver.hpp"

namespace halfmark::backends {

class ExportedDriver {
 public:
  explicit ExportedDriver(Driver& driver);
  ExportedDriver(const ExportedDriver&) = delete;
  ExportedDriver& operator=(const ExportedDriver&) = delete;
  [[nodiscard]] const HmBackendApi* api() const { return &api_; }

 private:
  std::string name_;  // the table's `name` points here
  HmBackendApi api_;
};

}  // namespace halfmark::backends
