// SPDX-License-Identifier: Apache-2.0
//
// A census of a compiled image: how many instructions of fp16, bf16 and fp32 arithmetic a kernel
// holds, and how many convert. Counts what the device's compiler returned, not what was asked of
// it. Decides who can read an image; each vendor's folder that holds census.cpp knows how its own
// images are laid out, and counts its own instructions or has x86_census.hpp count a processor's.
//
// Assumptions:
//  1. An instruction counts once, however often it is executed and on however many elements.
//  2. What moves, negates, compares or loads a constant is no arithmetic, by whatever instruction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>

namespace halfmark::backends {

struct Census {
  std::uint64_t half = 0;         // sums and products in fp16
  std::uint64_t bf16 = 0;         // in bf16
  std::uint64_t single = 0;       // in fp32
  std::uint64_t conversions = 0;  // between these formats, and between fp16 and fp64

  bool operator==(const Census&) const = default;
  Census& operator+=(const Census& other) {
    half += other.half;
    bf16 += other.bf16;
    single += other.single;
    conversions += other.conversions;
    return *this;
  }
};

struct CensusReading {
  // Of everything that the kernel can reach.
  std::optional<Census> census = std::nullopt;
  // Of that, what lies in a loop that holds no other loop: what the time is spent in. Absent where
  // the reader does not know loops.
  std::optional<Census> in_loops = std::nullopt;
  // Where the kernel goes on in code that the image does not hold, in words. What is counted is
  // there all the same; what is not counted may be there.
  std::set<std::string> unresolved_calls = {};
  // Why there is no census; empty where there is one, and where a vendor's folder knows nothing of
  // such images.
  std::string why = {};
};

// Of the kernel of that name.
[[nodiscard]] CensusReading census_of(std::span<const std::byte> image, std::string_view kernel);

}  // namespace halfmark::backends
