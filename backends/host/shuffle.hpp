// SPDX-License-Identifier: Apache-2.0
//
// Repeatable disorder: the order in which groups and items run when a seed requests an unnatural
// one. A correct kernel cannot notice the difference; a race often can. Depends only on its
// arguments, so the order of a group's items is the same for every number of threads.
#pragma once

#include <cstdint>
#include <numeric>
#include <span>
#include <utility>

namespace halfmark::backends::host {

// SplitMix64 (Steele, Lea and Flood, 2014): sufficient for an order, with one word of state.
class Disorder {
 public:
  explicit constexpr Disorder(std::uint64_t seed) : state_(seed) {}
  constexpr std::uint64_t next() {
    std::uint64_t word = state_ += 0x9e3779b97f4a7c15;
    word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9;
    word = (word ^ (word >> 27)) * 0x94d049bb133111eb;
    return word ^ (word >> 31);
  }

 private:
  std::uint64_t state_;
};

// The order of items after a barrier (or after the start of the group, phase 0).
constexpr void shuffle_items(std::span<unsigned> items, std::uint64_t seed, std::uint64_t group,
                             std::uint64_t phase) {
  Disorder disorder(Disorder(Disorder(seed).next() ^ group).next() ^ phase);
  for (std::size_t left = items.size(); left > 1; --left) {
    std::swap(items[left - 1], items[disorder.next() % left]);
  }
}

// Visits all numbers below `count` in another order, without a table of them.
class GroupOrder {
 public:
  constexpr explicit GroupOrder(std::uint64_t count) : count_(count) {}
  constexpr GroupOrder(std::uint64_t count, std::uint64_t seed) : count_(count) {
    Disorder disorder(seed);
    first_ = disorder.next() % count;
    do {
      stride_ = disorder.next() % count + 1;
    } while (std::gcd(stride_, count) != 1);
  }
  [[nodiscard]] constexpr std::uint64_t at(std::uint64_t index) const {
    using Wide = unsigned __int128;
    return static_cast<std::uint64_t>((static_cast<Wide>(index) * stride_ + first_) % count_);
  }

 private:
  std::uint64_t count_;
  std::uint64_t first_ = 0;
  std::uint64_t stride_ = 1;
};

}  // namespace halfmark::backends::host
