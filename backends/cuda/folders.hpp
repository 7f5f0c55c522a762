// SPDX-License-Identifier: Apache-2.0
//
// The folders of a CUDA toolkit's libraries: toolkits first, then wheels, which have one folder per
// library before CUDA 13 and one per major version from then on.
#pragma once

#include "backends/shim/python_folders.hpp"

namespace halfmark::backends::cuda {

inline constexpr const char* kToolkitFolders[] = {
    "$CUDA_HOME/lib64",        "$CUDA_PATH/lib64",  "/usr/local/cuda/lib64",
    "/usr/local/cuda-*/lib64", "$CONDA_PREFIX/lib", HM_PYTHON_FOLDERS("nvidia/*/lib"),
};

}  // namespace halfmark::backends::cuda
