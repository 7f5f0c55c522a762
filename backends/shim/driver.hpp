// SPDX-License-Identifier: Apache-2.0
//
// The driver of one vendor, made of nothing but its table. All that a vendor's folder calls.
#pragma once

#include <memory>

#include "backends/driver.hpp"
#include "backends/shim/vendor.hpp"

namespace halfmark::backends::shim {

[[nodiscard]] std::unique_ptr<Driver> make_driver(const Vendor& vendor);

}  // namespace halfmark::backends::shim
