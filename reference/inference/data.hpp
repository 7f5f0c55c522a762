// SPDX-License-Identifier: Apache-2.0
// Data on which arithmetics differ: sums that cancel, ties, numbers far apart, numbers near the
// ends of the ranges, subnormals. Finite operands only; findings.hpp covers special values.
#pragma once

#include "reference/inference/subject.hpp"
#include "reference/operators/splitmix.hpp"

namespace halfmark::inference {

// A reproducible stream.
class Random {
 public:
  explicit Random(std::uint64_t seed) : words_(seed) {}
  [[nodiscard]] std::uint64_t word() { return words_.next(); }
  [[nodiscard]] std::size_t below(std::size_t n) { return word() % n; }
  // Both ends inclusive.
  [[nodiscard]] int between(int least, int most) {
    return least + static_cast<int>(below(static_cast<std::size_t>(most - least + 1)));
  }
  [[nodiscard]] bool one_in(std::size_t n) { return below(n) == 0; }

 private:
  operators::SplitMix64 words_;
};

// `rows` sums over kColumns columns of B: ones, numbers near one, powers of two, any numbers.
inline constexpr std::size_t kColumns = 4;
[[nodiscard]] Question random_question(const Laboratory& laboratory, std::size_t rows,
                                       std::uint64_t seed);

}  // namespace halfmark::inference
