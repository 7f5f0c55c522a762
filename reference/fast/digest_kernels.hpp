// SPDX-License-Identifier: Apache-2.0
// Vector code for digest.hpp and the comparisons of sweep.hpp: words in memory, where any NaN
// equals any other.
#pragma once

#include <cstddef>
#include <cstdint>

#include "reference/fast/digest.hpp"
#include "reference/fast/target.hpp"
#include "reference/formats/format.hpp"

namespace halfmark::fast {

// The encoding of a word is (word >> padding) & mask; it is a NaN if encoding & nan_mask is in the
// range nan_first ... nan_last.
struct WordRule {
  std::uint32_t mask, nan_mask, nan_first, nan_last, quiet_nan;
  int padding;
};

[[nodiscard]] WordRule word_rule(const formats::Format& format);  // words of up to 32 bits

struct DigestKernels {
  // Indexed by the size of a word: 1, 2 or 4 bytes. All `count` elements have the same upper word
  // of the index.
  using Sum = Digest (*)(const std::byte* words, std::size_t count, std::uint64_t first,
                         const WordRule& rule);
  Sum bytes, halves, words;
  // The number of differing 16-bit words; any NaN equals any other.
  std::size_t (*differences)(const std::uint16_t* expected, const std::uint16_t* actual,
                             std::size_t count, const WordRule& rule);
};

// Null for kPortable.
[[nodiscard]] const DigestKernels* digest_kernels(Target target);

}  // namespace halfmark::fast
