// SPDX-License-Identifier: Apache-2.0
//
// Finds a kernel's x86-64 code in what clGetProgramInfo gives as CL_PROGRAM_BINARIES. Decides which
// drivers' layouts are known, by the bytes themselves:
//
// - PoCL: "poclbin" and, among others, each file that it compiled, as a path and its contents, both
//   with their length in 32 bits before them. Asked for a binary, it compiles every kernel for
//   groups of any size (0-0-0), so that file is there, and it is the same whatever was launched on
//   this machine before. What it launches is compiled once more, for the launch's size of a group.
// - Intel's driver for processors: an ELF file whose section .ocl.obj is an object that waits for
//   its linker; functions have the names of kernels.
//
// Anything else is somebody else's to read. Sources: PoCL 3.1, lib/CL/pocl_binary.c; what the
// driver of the package intel-opencl-rt 2026.2.0 writes, which nobody documents.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "backends/census.hpp"

namespace halfmark::backends::opencl {

[[nodiscard]] CensusReading census_of(std::span<const std::byte> image, std::string_view kernel);

}  // namespace halfmark::backends::opencl
