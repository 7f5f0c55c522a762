// SPDX-License-Identifier: Apache-2.0
//
// Counts the x86-64 instructions that a kernel can reach in an image: its function, whatever that
// jumps to or calls, and so on, in other files, too, where somebody knows them. Decides which
// functions elsewhere are known by their names alone; the vendor's folder says which function is
// the kernel.
//
// Assumptions:
//  1. A function lies where it is called: in an innermost loop as a whole; and a loop around a call
//  of a function with a loop is no innermost one.
//  2. The functions by which compilers convert where the processor cannot are conversions; those
//  that copy and clear memory hold no arithmetic. Any other name may hide anything.
//
// Source: LLVM's compiler-rt and GCC's libgcc: the names of their functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "backends/census.hpp"
#include "backends/code_image.hpp"
#include "backends/loaded_code.hpp"

namespace halfmark::backends {

inline constexpr std::uint16_t kX86Machine = 62;  // e_machine

// Where a function is that the image only names; nothing where nobody knows.
using Elsewhere = std::function<std::optional<CodePlace>(const std::string&)>;

[[nodiscard]] CensusReading x86_census(const CodeImage& image, std::uint64_t start,
                                       const Elsewhere& elsewhere = {});

// By the function's name in an ELF file.
[[nodiscard]] CensusReading x86_census(std::span<const std::byte> file, const std::string& function,
                                       const Elsewhere& elsewhere = {});

}  // namespace halfmark::backends
