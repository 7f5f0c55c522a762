// SPDX-License-Identifier: Apache-2.0
// What the tests of the fast engine feed it: operands that hurt, and hosts that left a hostile
// floating-point state.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>

#include "reference/fast/floating_point.hpp"
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

#if defined(__x86_64__)
// The default state; then flush-to-zero and denormals-are-zero, each other rounding direction, and
// all of it with traps unmasked.
inline constexpr std::uint64_t kHostStates[] = {0x1f80, 0x9fc0, 0x3f80, 0x5f80, 0x7f80, 0xe040};
#else
inline constexpr std::uint64_t kHostStates[] = {0};
#endif

// A host that left this state; the test's own is put back.
class Host {
 public:
  explicit Host(std::uint64_t control) : before_(floating_point_control()) {
    set_floating_point_control(control);
  }
  ~Host() { set_floating_point_control(before_); }
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

 private:
  std::uint64_t before_;
};

}  // namespace halfmark::fast::testing
