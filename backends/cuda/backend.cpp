// SPDX-License-Identifier: Apache-2.0
//
// The CUDA backend: the shared driver, instantiated with this folder's table.
#include "backends/cuda/telemetry.hpp"
#include "backends/cuda/vendor.hpp"
#include "backends/shim/backend_row.hpp"

HM_SHIM_BACKEND(cuda)
