// SPDX-License-Identifier: Apache-2.0
// A 64-bit digest of an array that does not depend on the order in which its elements are visited,
// so any number of threads or work-items can compute it, each on its own part. In practice, equal
// digests mean equal arrays: two different arrays have the same digest with probability 2^-64,
// unless someone constructed them to. Not cryptographic. This comment is the specification.
//
// All arithmetic is on unsigned 32-bit integers and wraps; >> shifts in zeros:
//   mix(x)   x ^= x >> 16; x *= 0x21f0aaad; x ^= x >> 15; x *= 0x735a2d97; x ^= x >> 15
//   key      mix(index_low + mix(index_high) + 0x9e3779b9)
//   low      mix(key + bits_low + mix(bits_high))
//   high     mix(low ^ key)
// for the element at `index` with the encoding `bits` (format.hpp), each split into two words. An
// upper word of zero, as in encodings of up to 32 bits, costs nothing, because mix(0) is 0. A NaN
// is replaced by its format's default quiet NaN. The digest consists of two 32-bit sums over all
// elements: the sum of `high` in its upper half, the sum of `low` in its lower half.
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
  // Combines the digests of two parts of one array.
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

// The contribution of one element: the definition in code.
[[nodiscard]] constexpr Digest digest_of_element(const formats::Format& format, std::uint64_t index,
                                                 formats::Bits bits) {
  using detail::high_word, detail::low_word, detail::mix;
  if (formats::is_nan(format, bits)) bits = formats::quiet_nan(format);
  const std::uint32_t key = mix(low_word(index) + mix(high_word(index)) + 0x9e3779b9U);
  const std::uint32_t low = mix(key + low_word(bits) + mix(high_word(bits)));
  return {.low = low, .high = mix(low ^ key)};
}

// The digest of a whole tensor. Element 0 has the index `first`, so an array can be processed
// in pieces.
[[nodiscard]] Digest digest(const formats::Tensor& tensor, std::uint64_t first = 0,
                            const Options& options = {});

}  // namespace halfmark::fast
