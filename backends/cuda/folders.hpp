// SPDX-License-Identifier: Apache-2.0
//
// The folders of a CUDA toolkit's libraries: toolkits first, then wheels, which have one folder per
// library before CUDA 13 and one per major version from then on.
#pragma once

namespace halfmark::backends::cuda {

inline constexpr const char* kToolkitFolders[] = {
    "$CUDA_HOME/lib64",
    "$CUDA_PATH/lib64",
    "/usr/local/cuda/lib64",
    "/usr/local/cuda-*/lib64",
    "$VIRTUAL_ENV/lib/python3*/site-packages/nvidia/*/lib",
    "$CONDA_PREFIX/lib",
    "$HOME/.local/lib/python3*/site-packages/nvidia/*/lib",
    "/usr/local/lib/python3*/*-packages/nvidia/*/lib",
};

}  // namespace halfmark::backends::cuda
