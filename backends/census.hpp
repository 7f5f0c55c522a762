// SPDX-License-Identifier: Apache-2.0
//
// A census of a compiled image: how many instructions of fp16, bf16 and fp32 arithmetic a kernel
// holds, and how many convert. Counts what the device's compiler returned, not what was asked of
// it. Decides who can read an image; each vendor's folder that holds census.cpp counts its own
// instructions.
//
// Assumptions:
//  1. An instruction counts once, however often it is executed and on however many elements.
//  2. What moves, negates, compares or loads a constant is no arithmetic, by whatever instruction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace halfmark::backends {

struct Census {
  std::uint64_t half = 0;         // sums and products in fp16
  std::uint64_t bf16 = 0;         // in bf16
  std::uint64_t single = 0;       // in fp32
  std::uint64_t conversions = 0;  // between these formats

  bool operator==(const Census&) const = default;
};

// Of the kernel of that name; nothing where nobody can read the image, or it has no such kernel.
[[nodiscard]] std::optional<Census> census_of(std::span<const std::byte> image,
                                              std::string_view kernel);

}  // namespace halfmark::backends
