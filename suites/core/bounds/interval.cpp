// SPDX-License-Identifier: Apache-2.0
#include "suites/core/bounds/interval.hpp"

#include <bit>

#include "reference/soft/soft.hpp"

namespace halfmark::suites {
namespace {

using formats::Bits;
using formats::Format;

// With a constant format, conversions take a fraction of the time.
template <typename Conversion>
auto with_constant(const Format& format, Conversion convert) {
  if (&format == &formats::kFp16) return convert(formats::kFp16);
  if (&format == &formats::kBf16) return convert(formats::kBf16);
  if (&format == &formats::kFp32) return convert(formats::kFp32);
  return convert(format);
}

constexpr const Format& kDouble = formats::kFp64;

// Between the format's exponent field and that of double.
constexpr Bits rebias(const Format& format) {
  return Bits(kDouble.bias - format.bias) << kDouble.fraction_bits;
}

}  // namespace

// Bounds consist of conversions. Numbers far from the largest are rounded here, by the rule of the
// soft-float, which decides all others.
double value_of(const Format& format, Bits bits) {
  return with_constant(format, [&](const Format& from) __attribute__((always_inline)) {
    const int field = formats::exponent_field(from, bits);
    if (field > 0 && field < from.max_exponent_field()) {
      const Bits size = formats::magnitude(from, bits)
                        << (kDouble.fraction_bits - from.fraction_bits);
      return std::bit_cast<double>(
          formats::encode(kDouble, formats::sign(from, bits), size + rebias(from)));
    }
    if (field == 0 && from.has_zero && from.bits < kDouble.bits && !formats::is_nan(from, bits)) {
      const auto size =
          static_cast<double>(static_cast<std::int64_t>(formats::magnitude(from, bits)));
      const auto place =
          std::bit_cast<double>(Bits(kDouble.bias + from.min_place()) << kDouble.fraction_bits);
      return formats::sign(from, bits) ? -size * place : size * place;
    }
    return std::bit_cast<double>(soft::convert(from, kDouble, bits).bits);
  });
}

Bits nearest(const Format& format, double value) {
  const auto bits = std::bit_cast<Bits>(value);
  return with_constant(format, [&](const Format& to) __attribute__((always_inline)) {
    const int field = formats::exponent_field(kDouble, bits) - kDouble.bias + to.bias;
    const bool negative = formats::sign(kDouble, bits);
    // A number below the two largest exponent fields stays below the largest. Where there is no
    // fraction, the last bit is the implicit one.
    if (to.fraction_bits > 0 && field > 0 && field < to.max_exponent_field() - 1 &&
        (to.has_sign || !negative)) {
      const int dropped = kDouble.fraction_bits - to.fraction_bits;
      const Bits size = formats::magnitude(kDouble, bits) - rebias(to);
      const Bits half = (Bits{1} << dropped) >> 1;
      const Bits up = half == 0 ? 0 : half - 1 + (size >> dropped & 1);
      return formats::encode(to, negative, (size + up) >> dropped);
    }
    // Below them, the implicit bit is one of the fraction. Past 53 places less than half is left.
    if (field <= 0 && to.has_zero && to.fraction_bits > 0 && to.bits < kDouble.bits &&
        (to.has_sign || !negative)) {
      const int dropped = kDouble.fraction_bits - to.fraction_bits + 1 - field;
      if (dropped > kDouble.fraction_bits + 1) return formats::zero(to, negative);
      const Bits size = formats::fraction_field(kDouble, bits) | Bits{1} << kDouble.fraction_bits;
      const Bits up = (Bits{1} << (dropped - 1)) - 1 + (size >> dropped & 1);
      return formats::encode(to, negative, (size + up) >> dropped);
    }
    return soft::convert(kDouble, to, bits).bits;
  });
}

}  // namespace halfmark::suites
