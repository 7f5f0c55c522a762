// SPDX-License-Identifier: Apache-2.0
//
// The folders of ROCm's libraries.
#pragma once

namespace halfmark::backends::hip {

inline constexpr const char* kRocmFolders[] = {"$ROCM_PATH/lib", "$HIP_PATH/lib", "/opt/rocm/lib",
                                               "/opt/rocm-*/lib"};

}  // namespace halfmark::backends::hip
