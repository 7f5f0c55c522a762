// SPDX-License-Identifier: Apache-2.0
// A 64-bit digest of an array that does not depend on the order in which its elements are visited,
// so that any number of threads, or the work items of a device, can form it, each on its own part.
// Equal digests mean, in practice, equal arrays: two that differ agree with probability 2^-64 as
// long as nobody chose them to. Not cryptographic. This comment is the specification.
//
// All arithmetic is on unsigned 32-bit integers and wraps; >> shifts in zeros:
//   mix(x)   x ^= x >> 16; x *= 0x21f0aaad; x ^= x >> 15; x *= 0x735a2d97; x ^= x >> 15
//   key      mix(index_low + mix(index_high) + 0x9e3779b9)
//   low      mix(key + bits_low + mix(bits_high))
//   high     mix(low ^ key)
// for the element at `index` with the encoding `bits` (format.hpp), each cut into two words; an
// upper word that is zero, as those of encodings of up to 32 bits are, costs nothing, for mix(0) is
// 0. A NaN stands for its format's default quiet NaN. The digest is the sum of `low` over all
// elements, and beside it the sum of `high`: 32 bits each, `high` in front.
//
// mix is the finalizer found by search in C. Wellons, "Prospecting for hash functions" (the revised
// 32-bit constants); it is a bijection.
#pragma once

#include <cstddef>
#include <cstdint>

#include "reference/fast/parallel.hpp"
#include "reference/formats/classify.hpp"
#include "reference/formats/tensor.hpp"

namespace halfmark::fast {

struct Digest {
  std::uint32_t low = 0, high = 0;

  [[nodiscard]] constexpr std::uint64_t word() const {
    return static_cast<std::uint64_t>(high) << 32 | low;
  }
  // The digest of two parts of one array.
  constexpr Digest& operator+=(const Digest& other) {
    low += other.low;
    high += other.high;
    return *this;
  }
  [[nodiscard]] constexpr bool operator==(const Digest&) const = default;
};

namespace detail {
[[nodiscard]] constexpr std::uint32_t mix(std::uint32_t x) {
  x ^= x >> 16;
  x *= 0x21f0aaadU;
  x ^= x >> 15;
  x *= 0x735a2d97U;
  return x ^ x >> 15;
}
[[nodiscard]] constexpr std::uint32_t low_word(std::uint64_t x) {
  return static_cast<std::uint32_t>(x);
}
[[nodiscard]] constexpr std::uint32_t high_word(std::uint64_t x) {
  return static_cast<std::uint32_t>(x >> 32);
}
}  // namespace detail

// One element's part: the definition in code.
[[nodiscard]] constexpr Digest digest_of_element(const formats::Format& format, std::uint64_t index,
                                                 formats::Bits bits) {
  using detail::high_word, detail::low_word, detail::mix;
  if (formats::is_nan(format, bits)) bits = formats::quiet_nan(format);
  const std::uint32_t key = mix(low_word(index) + mix(high_word(index)) + 0x9e3779b9U);
  const std::uint32_t low = mix(key + low_word(bits) + mix(high_word(bits)));
  return {.low = low, .high = mix(low ^ key)};
}

// Of a whole tensor; element 0 has the index `first`, so that an array may come in pieces.
[[nodiscard]] Digest digest(const formats::Tensor& tensor, std::uint64_t first = 0,
                            const Options& options = {});

}  // namespace halfmark::fast
