// SPDX-License-Identifier: Apache-2.0
//
// The folders of ROCm's libraries: installations first, then wheels.
#pragma once

#include "backends/shim/python_folders.hpp"

namespace halfmark::backends::hip {

inline constexpr const char* kRocmFolders[] = {"$ROCM_PATH/lib", "$HIP_PATH/lib", "/opt/rocm/lib",
                                               "/opt/rocm-*/lib",
                                               HM_PYTHON_FOLDERS("_rocm_sdk_*/lib")};

}  // namespace halfmark::backends::hip
