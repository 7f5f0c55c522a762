// SPDX-License-Identifier: Apache-2.0
// What a number format is: one row of numbers. Everything that code may ask about a format is
// derived from its row, so that a new format is a new row and nothing else.
//
// Does not decide how values are rounded (soft/codec.hpp) or printed (text.hpp).
//
// Assumptions: (1) an encoding is sign | exponent field | fraction, most significant bit first, in
// at most 64 bits; (2) the radix is two and normal numbers have an implicit leading one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

namespace halfmark::formats {

// An encoding, right aligned. Bits above the format's width are zero.
using Bits = std::uint64_t;

// What a format does with the encodings that IEEE 754 keeps for infinities and NaNs.
enum class NonFinite : std::uint8_t {
  kIeee,          // the top exponent field holds infinity (fraction 0) and NaNs
  kNanAllOnes,    // "fn": no infinity; only exponent and fraction all ones is a NaN
  kNanMinusZero,  // "fnuz": no infinity, no minus zero; that encoding is the one NaN
};

struct Format {
  std::string_view name;
  int bits;
  int exponent_bits;
  int fraction_bits;
  int bias;
  NonFinite non_finite = NonFinite::kIeee;
  bool has_sign = true;
  bool has_zero = true;  // false: exponent field 0 is an ordinary binade (scale formats)

  [[nodiscard]] constexpr int precision() const { return fraction_bits + 1; }
  [[nodiscard]] constexpr std::size_t storage_bytes() const {
    return static_cast<std::size_t>(bits + 7) / 8;
  }
  [[nodiscard]] constexpr int hex_digits() const { return (bits + 3) / 4; }
  [[nodiscard]] constexpr Bits mask() const { return ~Bits{0} >> (64 - bits); }
  [[nodiscard]] constexpr Bits sign_mask() const { return has_sign ? Bits{1} << (bits - 1) : 0; }
  [[nodiscard]] constexpr Bits magnitude_mask() const { return mask() & ~sign_mask(); }
  [[nodiscard]] constexpr Bits fraction_mask() const { return (Bits{1} << fraction_bits) - 1; }
  [[nodiscard]] constexpr int max_exponent_field() const { return (1 << exponent_bits) - 1; }
  [[nodiscard]] constexpr bool has_infinity() const { return non_finite == NonFinite::kIeee; }
  // Exponents of the smallest and of the largest normal number, as in 1.f * 2^exponent.
  [[nodiscard]] constexpr int min_exponent() const { return (has_zero ? 1 : 0) - bias; }
  [[nodiscard]] constexpr int max_exponent() const {
    const bool top_field_is_special = has_infinity() || fraction_bits == 0;
    return max_exponent_field() - (top_field_is_special ? 1 : 0) - bias;
  }
  // Exponent of the last place of the smallest numbers: every value is a multiple of 2^this.
  [[nodiscard]] constexpr int min_place() const { return min_exponent() - fraction_bits; }

  [[nodiscard]] constexpr bool operator==(const Format&) const = default;
};

// The table. The named rows below refer into it; there is no second list.
inline constexpr std::array kFormats{
    Format{.name = "fp16", .bits = 16, .exponent_bits = 5, .fraction_bits = 10, .bias = 15},
    Format{.name = "bf16", .bits = 16, .exponent_bits = 8, .fraction_bits = 7, .bias = 127},
    Format{.name = "fp32", .bits = 32, .exponent_bits = 8, .fraction_bits = 23, .bias = 127},
};

[[nodiscard]] constexpr std::span<const Format> all_formats() { return kFormats; }

namespace detail {
// An index rather than a pointer: comparing addresses is no constant expression under sanitizers.
[[nodiscard]] constexpr std::size_t index_of(std::string_view name) {
  std::size_t index = 0;
  while (index < kFormats.size() && kFormats[index].name != name) ++index;
  return index;
}

// A throw in a constant expression is a compile error: a misspelt row name cannot survive a build.
[[nodiscard]] consteval const Format& row(std::string_view name) {
  if (index_of(name) == kFormats.size()) throw "no format row has this name";
  return kFormats[index_of(name)];
}
}  // namespace detail

// Null when no row has that name.
[[nodiscard]] constexpr const Format* find_format(std::string_view name) {
  const std::size_t index = detail::index_of(name);
  return index < kFormats.size() ? &kFormats[index] : nullptr;
}

inline constexpr const Format& kFp16 = detail::row("fp16");
inline constexpr const Format& kBf16 = detail::row("bf16");
inline constexpr const Format& kFp32 = detail::row("fp32");

// A row as a type, so that code instantiated with it folds every question to a constant.
template <std::size_t kRow>
struct ConstantFormat {
  static constexpr const Format& format = kFormats[kRow];
};

// Calls body(ConstantFormat<row>{}) for the row equal to `format`. Hot loops are written once and
// compiled per format this way. `format` must be a row of the table; false when it is not.
template <typename Body>
constexpr bool with_constant_format(const Format& format, Body&& body) {
  return [&]<std::size_t... kRows>(std::index_sequence<kRows...>) {
    return ((format == kFormats[kRows] && (body(ConstantFormat<kRows>{}), true)) || ...);
  }(std::make_index_sequence<kFormats.size()>{});
}

}  // namespace halfmark::formats
