// SPDX-License-Identifier: Apache-2.0
// Hostile operands for the tests of the fast engine.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>

#include "reference/formats/tensor.hpp"

namespace halfmark::fast::testing {

enum class Fill : std::uint8_t {
  kNormal,         // around 1
  kEveryEncoding,  // random words: NaNs, infinities, every exponent
  kSubnormal,      // mostly subnormal, some 1
  kCancelling,     // few values of both signs, so that sums meet zero and their neighbours
  kOverflowing,    // the largest exponents
  kZeros,          // of both signs, some 1
};

inline constexpr Fill kFills[] = {Fill::kNormal,     Fill::kEveryEncoding, Fill::kSubnormal,
                                  Fill::kCancelling, Fill::kOverflowing,   Fill::kZeros};

[[nodiscard]] inline formats::Bits element(const formats::Format& f, Fill fill,
                                           std::mt19937_64& random) {
  const std::uint64_t word = random();
  const formats::Bits sign = (word >> 63) != 0 ? f.sign_mask() : 0;
  const int spread = static_cast<int>(word >> 40 & 7);
  const int top = f.max_exponent_field();
  const auto with_field = [&](int field) {
    return sign | static_cast<formats::Bits>(field) << f.fraction_bits | (word & f.fraction_mask());
  };
  switch (fill) {
    case Fill::kNormal:
      return with_field(std::min(top - 1, f.bias - 4 + spread));
    case Fill::kEveryEncoding:
      return word & f.mask();
    case Fill::kSubnormal:
      return with_field(spread < 6 ? 0 : f.bias);
    case Fill::kCancelling:
      return sign | static_cast<formats::Bits>(f.bias + spread % 2) << f.fraction_bits |
             (spread < 4 ? f.fraction_mask() : 0);
    case Fill::kOverflowing:
      return with_field(spread == 0 ? f.bias : top - 1 - spread % 3);
    case Fill::kZeros:
      return spread == 0 ? with_field(f.bias) : sign;
  }
  return 0;
}

[[nodiscard]] inline formats::Tensor filled(const formats::Format& f, std::size_t count, Fill fill,
                                            std::mt19937_64& random) {
  formats::Tensor tensor = formats::Tensor::zeros(f, count);
  for (std::size_t i = 0; i < count; ++i) tensor.set(i, element(f, fill, random));
  return tensor;
}

}  // namespace halfmark::fast::testing
