// SPDX-License-Identifier: Apache-2.0
// The rates suite: chains of one operation that stay in registers, and streams through memory, each
// verified bit for bit. Its kernels measure the roofs of a device.
#pragma once

#include "suites/core/suite/suite.hpp"

namespace halfmark::suites::rates {

[[nodiscard]] const Suite& suite();

}  // namespace halfmark::suites::rates
