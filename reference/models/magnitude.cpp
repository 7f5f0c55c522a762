// SPDX-License-Identifier: Apache-2.0
#include "reference/models/magnitude.hpp"

#include <utility>

#include "reference/formats/classify.hpp"
#include "reference/soft/codec.hpp"

namespace halfmark::models {

using soft::Rounding;
using soft::Wide;

Magnitude magnitude(const ExactSum& sum, bool up) {
  constexpr int kBits = 53;
  constexpr int kDropped = soft::kLead + 1 - kBits;
  const soft::Value value = sum.unpacked();
  const std::uint64_t kept = value.significand >> kDropped;
  const bool inexact = kept << kDropped != value.significand;
  return {kept + (up && inexact ? 1 : 0), value.exponent - (kBits - 1)};
}

Magnitude sum_up(Magnitude x, Magnitude y) {
  if (x.significand == 0) return y;
  if (y.significand == 0) return x;
  if (exponent_of(x) < exponent_of(y)) std::swap(x, y);
  const int spare = std::countl_zero(x.significand) - 2;
  x.significand = spare >= 0 ? x.significand << spare : (x.significand >> -spare) + 1;
  x.exponent -= spare;
  x.significand += shifted(y.significand, y.exponent - x.exponent, true);
  return x;
}

Bits number_above(const Format& format, const Magnitude& x) {
  if (x.significand == 0) return formats::zero(format);
  const int free_bits = std::countl_zero(x.significand) - 1;
  return soft::round(format, false, exponent_of(x), x.significand << free_bits,
                     {.rounding = Rounding::kUp})
      .bits;
}

std::uint64_t shifted(Wide number, int shift, bool up) {
  if (number == 0) return 0;
  if (shift >= 0) {
    const bool fits = shift < 64 && number <= Wide{kBeyondWord - 1} >> shift;
    return fits ? static_cast<std::uint64_t>(number) << shift : kBeyondWord;
  }
  if (shift <= -128) return up ? 1 : 0;
  const Wide kept = number >> -shift;
  const Wide whole = kept + (up && kept << -shift != number ? 1 : 0);
  return whole < kBeyondWord ? static_cast<std::uint64_t>(whole) : kBeyondWord;
}

}  // namespace halfmark::models
