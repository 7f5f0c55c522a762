// SPDX-License-Identifier: Apache-2.0
//
// A census of a compiled image: how many instructions of fp16, bf16 and fp32 arithmetic a
// kernel contains, and how many convert. Counts what the device's compiler produced, not what
// the source requested. Decides which vendor's reader handles an image; each vendor folder with
// a census.cpp knows the layout of its own images, and counts its own instructions or delegates
// to x86_census.hpp.
//
// Assumptions:
//  1. An instruction counts once, however often it executes and on however many elements.
//  2. Moving, negating, comparing and loading constants is not arithmetic, whatever
//  the instruction.
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
  std::uint64_t bf16 = 0;         // the same in bf16
  std::uint64_t single = 0;       // the same in fp32
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
  // Counts over everything that the kernel can reach.
  std::optional<Census> census = std::nullopt;
  // The part of `census` that lies in innermost loops, where the kernel spends its time. Absent
  // when the reader does not analyse loops.
  std::optional<Census> in_loops = std::nullopt;
  // Descriptions of the places where the kernel continues in code that the image does not contain.
  // The counts above are lower bounds then.
  std::set<std::string> unresolved_calls = {};
  // Why there is no census; empty when there is one, or when no vendor folder knows such images.
  std::string why = {};
};

// The census of the kernel with that name.
[[nodiscard]] CensusReading census_of(std::span<const std::byte> image, std::string_view kernel);

}  // namespace halfmark::backends
