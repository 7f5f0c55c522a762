// SPDX-License-Identifier: Apache-2.0
//
// Where the processor's libraries lie off the loader's path: environments of conda and of
// Python, whose wheels put them into the environment's lib or into a package's, and the
// vendor's installers.
#pragma once

#include "backends/shim/python_folders.hpp"

namespace halfmark::backends::cpu {

inline constexpr const char* kLibraryFolders[] = {"$VIRTUAL_ENV/lib",
                                                  "$CONDA_PREFIX/lib",
                                                  "$PYTHON3/lib",
                                                  "$HOME/.local/lib",
                                                  HM_PYTHON_FOLDERS("*/lib"),
                                                  "$MKLROOT/lib",
                                                  "$MKLROOT/lib/intel64",
                                                  "$DNNLROOT/lib",
                                                  "/opt/intel/oneapi/*/latest/lib"};

}  // namespace halfmark::backends::cpu
