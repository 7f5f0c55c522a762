// SPDX-License-Identifier: Apache-2.0
//
// The HIP backend: the shared driver, instantiated with this folder's table.
#include "backends/hip/telemetry.hpp"
#include "backends/hip/vendor.hpp"
#include "backends/shim/backend_row.hpp"

HM_SHIM_BACKEND(hip)
