// SPDX-License-Identifier: Apache-2.0
// The baseline for the fast engine: fused multiply-add, one number at a time, in integers, in
// the manner of Berkeley SoftFloat 3 (unpack, 64-bit product, align with a jammed shift,
// normalise, round and pack) but written for this project. Rounds to nearest even, keeps
// subnormals, raises flags.
//
// Assumption: only the benchmark uses it; the benchmark also checks its results.
#pragma once

#include <bit>
#include <cstdint>

namespace halfmark::fast::benchmark {

// As in Berkeley's library: sticky, per thread, and opaque to the compiler.
inline thread_local unsigned raised_flags = 0;

template <int kExponentBits, int kFractionBits>
class ScalarFloat {
 public:
  [[gnu::noinline]] static std::uint32_t mul_add(std::uint32_t a, std::uint32_t b,
                                                 std::uint32_t c) {
    if (is_special(a) || is_special(b) || is_special(c)) return special(a, b, c);
    const bool negative = ((a ^ b) & kSign) != 0;
    const bool c_negative = (c & kSign) != 0;
    if ((a & ~kSign) == 0 || (b & ~kSign) == 0) {
      if ((c & ~kSign) != 0) return c;
      return negative && c_negative ? kSign : 0;
    }
    const Parts x = unpack(a);
    const Parts y = unpack(b);
    // The leading one is at bit 60 or 61 for the product and at bit 61 for c, which leaves room for
    // a carry and a sign.
    std::uint64_t product = (x.significand * y.significand) << (60 - 2 * kFractionBits);
    int exponent = x.exponent + y.exponent + 1;
    if ((c & ~kSign) == 0) return round_pack(negative, exponent, product);
    const Parts z = unpack(c);
    std::uint64_t addend = z.significand << (61 - kFractionBits);
    const int distance = exponent - z.exponent;
    if (distance >= 0) {
      addend = shift_right_jam(addend, distance);
    } else {
      product = shift_right_jam(product, -distance);
      exponent = z.exponent;
    }
    if (negative == c_negative) return round_pack(negative, exponent, product + addend);
    if (product == addend) return 0;
    if (product > addend) return round_pack(negative, exponent, product - addend);
    return round_pack(c_negative, exponent, addend - product);
  }

 private:
  static constexpr int kBias = (1 << (kExponentBits - 1)) - 1;
  static constexpr int kMaxField = (1 << kExponentBits) - 1;
  static constexpr std::uint32_t kSign = 1U << (kExponentBits + kFractionBits);
  static constexpr std::uint32_t kFraction = (1U << kFractionBits) - 1;
  static constexpr std::uint32_t kInfinity = static_cast<std::uint32_t>(kMaxField) << kFractionBits;
  static constexpr std::uint32_t kNan = kInfinity | 1U << (kFractionBits - 1);

  // significand * 2^(exponent - kFractionBits), with the leading one at bit kFractionBits.
  struct Parts {
    int exponent;
    std::uint64_t significand;
  };

  static bool is_special(std::uint32_t x) { return (x & kInfinity) == kInfinity; }
  static bool is_nan(std::uint32_t x) { return (x & ~kSign) > kInfinity; }

  static Parts unpack(std::uint32_t x) {
    const int field = static_cast<int>((x & ~kSign) >> kFractionBits);
    const std::uint64_t fraction = x & kFraction;
    if (field != 0) return {field - kBias, fraction | std::uint64_t{1} << kFractionBits};
    const int shift = std::countl_zero(fraction) - (63 - kFractionBits);
    return {1 - kBias - shift, fraction << shift};
  }

  static std::uint64_t shift_right_jam(std::uint64_t value, int distance) {
    if (distance == 0) return value;
    if (distance > 63) return value != 0 ? 1 : 0;
    return value >> distance | ((value << (64 - distance)) != 0 ? 1 : 0);
  }

  static std::uint32_t special(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    if (is_nan(a) || is_nan(b) || is_nan(c)) return kNan;
    const bool infinite = is_special(a) || is_special(b);
    if (!infinite) return c;
    const bool negative = ((a ^ b) & kSign) != 0;
    const bool invalid =
        (a & ~kSign) == 0 || (b & ~kSign) == 0 || (is_special(c) && negative != ((c & kSign) != 0));
    if (invalid) {
      raised_flags |= 16;
      return kNan;
    }
    return kInfinity | (negative ? kSign : 0);
  }

  // significand * 2^(exponent - 61), rounded once.
  static std::uint32_t round_pack(bool negative, int exponent, std::uint64_t significand) {
    const int shift = std::countl_zero(significand) - 1;
    significand <<= shift;
    exponent += 1 - shift;
    const std::uint32_t sign = negative ? kSign : 0;
    if (exponent < 1 - kBias) {
      significand = shift_right_jam(significand, 1 - kBias - exponent);
      exponent = -kBias;
    }
    constexpr int kDiscarded = 62 - kFractionBits;
    constexpr std::uint64_t kHalf = std::uint64_t{1} << (kDiscarded - 1);
    const std::uint64_t rest = significand & (2 * kHalf - 1);
    std::uint64_t kept = significand >> kDiscarded;
    if (rest != 0) raised_flags |= 1;
    kept += rest + (kept & 1) > kHalf ? 1 : 0;
    const bool subnormal = exponent == -kBias;
    const std::uint64_t base =
        subnormal ? 0 : static_cast<std::uint64_t>(exponent + kBias - 1) << kFractionBits;
    if (base + kept >= kInfinity) {
      raised_flags |= 5;
      return sign | kInfinity;
    }
    return sign | static_cast<std::uint32_t>(base + kept);
  }
};

using ScalarFp32 = ScalarFloat<8, 23>;
using ScalarFp16 = ScalarFloat<5, 10>;

}  // namespace halfmark::fast::benchmark
