// SPDX-License-Identifier: Apache-2.0
// Vector code behind digest.hpp and the comparisons of sweep.hpp: words in memory, NaN as a class.
#pragma once

#include <cstddef>
#include <cstdint>

#include "reference/fast/digest.hpp"
#include "reference/fast/target.hpp"
#include "reference/formats/format.hpp"

namespace halfmark::fast {

// How a word becomes the encoding that counts: (word >> padding) & mask; and it is a NaN when
// encoding & nan_mask lies in nan_first ... nan_last.
struct WordRule {
  std::uint32_t mask, nan_mask, nan_first, nan_last, quiet_nan;
  int padding;
};

[[nodiscard]] WordRule word_rule(const formats::Format& format);  // words of up to 32 bits

struct DigestKernels {
  // By the bytes of a word: 1, 2 or 4. `count` elements whose indices share their upper word.
  using Sum = Digest (*)(const std::byte* words, std::size_t count, std::uint64_t first,
                         const WordRule& rule);
  Sum bytes, halves, words;
  // How many of 16-bit words differ, NaN taken as a class.
  std::size_t (*differences)(const std::uint16_t* expected, const std::uint16_t* actual,
                             std::size_t count, const WordRule& rule);
};

// Null for kPortable.
[[nodiscard]] const DigestKernels* digest_kernels(Target target);

}  // namespace halfmark::fast
