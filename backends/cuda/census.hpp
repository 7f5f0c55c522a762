// SPDX-License-Identifier: Apache-2.0
//
// Counts the instructions of a cubin (compute capability 7.0 and later). Decides which instruction
// is arithmetic of which format; reads nothing of older devices, whose encodings differ.
//
// Sources: ELF, machine EM_CUDA (190), one section .text.KERNEL per kernel. NVIDIA publishes the
// names of the instructions (CUDA Binary Utilities, 13.0, instruction set reference) but not their
// encodings: numbers and fields come from code that NVRTC 13.0 makes of single PTX instructions for
// sm_75, sm_80, sm_90 and sm_100.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "backends/census.hpp"

namespace halfmark::backends::cuda {

[[nodiscard]] CensusReading census_of(std::span<const std::byte> image, std::string_view kernel);

}  // namespace halfmark::backends::cuda
