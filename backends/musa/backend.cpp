// SPDX-License-Identifier: Apache-2.0
//
// The MUSA backend: the shared driver, instantiated with this folder's table.
#include "backends/musa/telemetry.hpp"
#include "backends/musa/vendor.hpp"
#include "backends/shim/backend_row.hpp"

HM_SHIM_BACKEND(musa)
