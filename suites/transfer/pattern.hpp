// SPDX-License-Identifier: Apache-2.0
// The bytes that are copied: every four-byte word encodes its own place and its writer. Decides the
// code. Assumes memory of less than 2^30 bytes. Words are little-endian, and none is a NaN in fp32.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace halfmark::suites::transfer {

/// The writer of a byte. Two writers differ in every byte of every word.
enum class Generation : std::uint8_t {
  kBefore = 1,  // the whole memory, before everything else
  kFirst,
  kSecond,
  kHostBeforeFirst,  // the host's memory, before a read-back
  kHostBeforeSecond,
  kHostBeforeLast,
};
inline constexpr Generation kGenerations[] = {
    Generation::kBefore,           Generation::kFirst,
    Generation::kSecond,           Generation::kHostBeforeFirst,
    Generation::kHostBeforeSecond, Generation::kHostBeforeLast};

[[nodiscard]] std::byte byte_at(Generation generation, std::size_t place);
[[nodiscard]] std::vector<std::byte> pattern(Generation generation, std::size_t bytes);

struct Word {
  Generation generation = Generation::kBefore;
  std::size_t place = 0;  // of its first byte
};
/// Decodes four bytes as they lie in memory; nothing if they are no word of a pattern.
[[nodiscard]] std::optional<Word> word_in(const std::byte* bytes);

}  // namespace halfmark::suites::transfer
