// SPDX-License-Identifier: Apache-2.0
// SplitMix64 (Steele, Lea, Flood, Fast splittable pseudorandom number generators, OOPSLA 2014): a
// stream of words from a seed. Seeds that differ by a multiple of kIncrement begin the same stream
// at other places; take the seeds of several streams from next() of one.
#pragma once

#include <cstdint>

namespace halfmark::operators {

class SplitMix64 {
 public:
  static constexpr std::uint64_t kIncrement = 0x9e3779b97f4a7c15;

  constexpr explicit SplitMix64(std::uint64_t seed) : state_(seed) {}
  constexpr std::uint64_t next() {
    std::uint64_t word = state_ += kIncrement;
    word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9;
    word = (word ^ (word >> 27)) * 0x94d049bb133111eb;
    return word ^ (word >> 31);
  }

 private:
  std::uint64_t state_;
};

// The first word for the seed 0, as in the authors' splitmix64.c.
static_assert(SplitMix64(0).next() == 0xe220a8397b1dcdaf);

}  // namespace halfmark::operators
