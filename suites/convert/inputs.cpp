// SPDX-License-Identifier: Apache-2.0
// The data of a conversion. README.md says what each fill is for.
#include <array>

#include "reference/formats/classify.hpp"
#include "reference/formats/ulp.hpp"
#include "reference/soft/soft.hpp"
#include "suites/convert/binding.hpp"
#include "suites/core/case/fills.hpp"

namespace halfmark::suites::convert {
namespace {

using formats::Bits;
using formats::Format;
using formats::kFp64;

constexpr std::array<std::string_view, 4> kFills = {"all", "ties", "nan", "bits"};

Bits in_double(const Format& f, Bits bits) { return soft::convert(f, kFp64, bits).bits; }

// Halfway from a number of the result's format to the next greater one; for the largest, to where
// the next one would be. fp64 holds it exactly.
Bits midpoint_above(const Format& f, Bits magnitude) {
  const Bits here = in_double(f, magnitude);
  const bool last = magnitude == formats::max_finite(f);
  const Bits other = in_double(f, last ? magnitude - 1 : magnitude + 1);
  Bits step = soft::sub(kFp64, other, here).bits & kFp64.magnitude_mask();
  step = soft::ldexp(kFp64, step, -1).bits;
  return soft::add(kFp64, here, step).bits;
}

// Selects the number of the result's format that an element tests: a walk through all of them,
// which visits the largest and smallest, where most faults occur, more often.
Bits visited(const Format& to, std::size_t place) {
  if (place % 64 == 0) return formats::max_finite(to) - place / 64 % 3;
  if (place % 64 == 1) return place / 64 % 3;
  constexpr std::uint64_t kStride = 65537;  // prime: every one comes once before one repeats
  return (place / 64 * 62 + place % 64) * kStride % (formats::max_finite(to) + 1);
}

// For integers, the double itself: integer_tie() rounds it.
Bits tie_value(const Binding& b, const Random& random, std::size_t index) {
  const Format& to = *b.to;
  const Bits magnitude = visited(to, index / 4);
  Bits value = index % 4 == 0 ? in_double(to, magnitude) : midpoint_above(to, magnitude);
  if (random.at(index / 4) >> 63 != 0) value |= kFp64.sign_mask();
  if (b.from == nullptr) return value;
  const Bits stored = soft::convert(kFp64, *b.from, value).bits;
  if (index % 4 == 2) return formats::next_up(*b.from, stored);
  return index % 4 == 3 ? formats::next_down(*b.from, stored) : stored;
}

// The nearest 32-bit integer to a double, and its neighbours.
Bits integer_tie(const Binding& b, const Random& random, std::size_t index) {
  const Bits value = tie_value(b, random, index);
  const int exponent = formats::exponent_field(kFp64, value) - kFp64.bias;
  if (exponent < 0 || exponent > 30) return static_cast<std::uint32_t>(index);
  const Bits significand = formats::fraction_field(kFp64, value) | Bits{1} << 52;
  Bits size = significand >> (52 - exponent);
  if (index % 4 == 2) size += 1;
  if (index % 4 == 3 && size > 0) size -= 1;
  return static_cast<std::uint32_t>(formats::sign(kFp64, value) ? 0 - size : size);
}

// Truncation turns NaNs whose payload lies only in the low bits into infinities.
Bits nan_value(const Format& f, const Random& random, std::size_t index) {
  const std::uint64_t word = random.at(index);
  const Bits sign = (word >> 63) != 0 ? f.sign_mask() : 0;
  const Bits infinity = formats::infinity(f, false);
  if (index % 4 == 3) return word & f.mask();
  if (index % 16 == 0) return sign | infinity;
  const int width = 1 + static_cast<int>((word >> 32) % static_cast<unsigned>(f.fraction_bits));
  const Bits payload = (word & ((Bits{1} << width) - 1)) | 1;
  return sign | infinity | payload;
}

// The ends of the range, where a negation or a rounding overflows, and 1, -1 and 0; then integers
// of any length.
Bits any_integer(std::uint64_t word, std::size_t index) {
  constexpr std::uint32_t kExtremes[] = {0x80000000, 0x80000001, 0x7fffffff, 0x7ffffffe,
                                         1,          0xffffffff, 0};
  if (index < std::size(kExtremes)) return kExtremes[index];
  const auto shift = static_cast<int>(word >> 59);
  return static_cast<std::uint32_t>(static_cast<std::int32_t>(static_cast<std::uint32_t>(word)) >>
                                    shift);
}

Bits element(const Binding& b, const Random& random, std::size_t index) {
  const Format& f = b.stored();
  if (b.fill == "all") return index & f.mask();
  // A few NaNs among the numbers distinguish truncating bits from rounding toward zero.
  if (index % 1024 == 5 && f.has_infinity() && b.from != nullptr) {
    return nan_value(f, random, index / 1024 * 4 + 1);
  }
  if (b.fill == "ties")
    return b.from == nullptr ? integer_tie(b, random, index) : tie_value(b, random, index);
  if (b.fill == "nan") return nan_value(f, random, index);
  return b.from == nullptr ? any_integer(random.at(index), index) : random.at(index) & f.mask();
}

}  // namespace

std::span<const std::string_view> fill_names() { return kFills; }

bool applies(std::string_view fill, const Binding& b) {
  if (fill == "all") return b.stored().bits <= 16;
  if (fill == "nan") return b.from != nullptr && b.from->has_infinity() && b.from->bits > 16;
  if (fill == "ties") return b.from == nullptr || b.from->precision() > b.to->precision();
  return b.stored().bits > 16;
}

TensorSet make_inputs(const Case& c) {
  const Binding b = bind(c);
  const Random random(c, "x");
  formats::Tensor x = formats::Tensor::zeros(b.stored(), b.count);
  for (std::size_t i = 0; i < b.count; ++i) x.set(i, element(b, random, i));
  TensorSet inputs;
  inputs.emplace("x", std::move(x));
  return inputs;
}

}  // namespace halfmark::suites::convert
