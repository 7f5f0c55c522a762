// SPDX-License-Identifier: Apache-2.0
//
// Finds a kernel's x86-64 code in what clGetProgramInfo returns as CL_PROGRAM_BINARIES. Decides
// which drivers' layouts are known, by the bytes themselves:
//
// - PoCL: "poclbin" and, among others, each file that it compiled, as a path and its contents, both
// preceded by their length in 32 bits. When asked for a binary, it compiles every kernel for groups
// of any size (0-0-0), so that file is present, and it does not depend on earlier launches on this
// machine. Before a launch it compiles the kernel again for the launch's group size.
// - Intel's driver for processors: an ELF file whose section .ocl.obj is an unlinked object;
// functions have the names of kernels.
//
// Leaves any other image to other readers. Sources: PoCL 3.1, lib/CL/pocl_binary.c; the
// undocumented output of the driver in the package intel-opencl-rt 2026.2.0.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "backends/census.hpp"

namespace halfmark::backends::opencl {

[[nodiscard]] CensusReading census_of(std::span<const std::byte> image, std::string_view kernel);

}  // namespace halfmark::backends::opencl
