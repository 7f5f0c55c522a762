// SPDX-License-Identifier: Apache-2.0
//
// Counts the instructions of a code object of the GFX9 family (gfx906, gfx908, gfx90a, gfx942).
// Decides which instruction is arithmetic of which format; reads nothing of other families, whose
// encodings differ. Does not count instructions of the matrix cores: no kernel here uses one.
//
// Sources: ELF, machine EM_AMDGPU (224); the device is in e_flags (LLVM, User Guide for AMDGPU
// Backend, 19, ELF Header). Lengths and numbers of instructions come from code that Clang 19 makes
// for these devices.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "backends/census.hpp"

namespace halfmark::backends::hip {

[[nodiscard]] CensusReading census_of(std::span<const std::byte> image, std::string_view kernel);

}  // namespace halfmark::backends::hip
