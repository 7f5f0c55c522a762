// SPDX-License-Identifier: Apache-2.0
// A number format as one row of data. Every property of a format is derived from its row, so a new
// format needs only a new row.
//
// This file does not decide how values are rounded (soft/codec.hpp) or printed (text.hpp).
//
// Assumptions: (1) an encoding is sign | exponent field | fraction, most significant bit first, in
// at most 64 bits; (2) the radix is two and normal numbers have an implicit leading one; (3) memory
// and text hold an encoding as a word: the encoding itself or, in a format with padding, the
// encoding shifted left past the padding. Padding is ignored when a word is read and zero when one
// is written.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

namespace halfmark::formats {

// A right-aligned encoding. Bits above the format's width are zero.
using Bits = std::uint64_t;

// How a format uses the encodings that IEEE 754 reserves for infinities and NaNs.
enum class NonFinite : std::uint8_t {
  kIeee,          // the top exponent field holds infinity (fraction 0) and NaNs
  kNanAllOnes,    // "fn": no infinity; only exponent and fraction all ones is a NaN
  kNanMinusZero,  // "fnuz": no infinity, no minus zero; that encoding is the only NaN
  kNone,          // every encoding is a number
};

// What a format is for; each use includes the ones before it.
enum class Use : std::uint8_t {
  kStorage,      // values are stored and converted
  kArithmetic,   // elementary operations round to it
  kAccumulator,  // listed as an accumulator; a name may use any format with arithmetic
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
  int padding_bits = 0;  // below the encoding, in its word
  Use use = Use::kArithmetic;
  std::array<std::string_view, 3> aliases{};

  [[nodiscard]] constexpr int precision() const { return fraction_bits + 1; }
  [[nodiscard, gnu::always_inline]] constexpr int storage_bits() const {
    return bits + padding_bits;
  }
  [[nodiscard, gnu::always_inline]] constexpr std::size_t storage_bytes() const {
    return static_cast<std::size_t>(storage_bits() + 7) / 8;
  }
  [[nodiscard]] constexpr int hex_digits() const { return (storage_bits() + 3) / 4; }
  // Conversions between an encoding and its word. Bits above the format's width are dropped.
  [[nodiscard, gnu::always_inline]] constexpr Bits to_word(Bits encoding) const {
    return (encoding & mask()) << padding_bits;
  }
  [[nodiscard, gnu::always_inline]] constexpr Bits from_word(Bits word) const {
    return word >> padding_bits & mask();
  }
  [[nodiscard, gnu::always_inline]] constexpr Bits mask() const { return ~Bits{0} >> (64 - bits); }
  [[nodiscard, gnu::always_inline]] constexpr Bits sign_mask() const {
    return has_sign ? Bits{1} << (bits - 1) : 0;
  }
  [[nodiscard, gnu::always_inline]] constexpr Bits magnitude_mask() const {
    return mask() & ~sign_mask();
  }
  [[nodiscard, gnu::always_inline]] constexpr Bits fraction_mask() const {
    return (Bits{1} << fraction_bits) - 1;
  }
  [[nodiscard, gnu::always_inline]] constexpr int max_exponent_field() const {
    return (1 << exponent_bits) - 1;
  }
  [[nodiscard, gnu::always_inline]] constexpr bool has_infinity() const {
    return non_finite == NonFinite::kIeee;
  }
  // Exponents of the smallest and of the largest normal number, as in 1.f * 2^exponent.
  [[nodiscard, gnu::always_inline]] constexpr int min_exponent() const {
    return (has_zero ? 1 : 0) - bias;
  }
  [[nodiscard, gnu::always_inline]] constexpr int max_exponent() const {
    const bool nan_fills_top_field = non_finite == NonFinite::kNanAllOnes && fraction_bits == 0;
    const bool top_field_is_special = has_infinity() || nan_fills_top_field;
    return max_exponent_field() - (top_field_is_special ? 1 : 0) - bias;
  }
  // Exponent of the last place of the smallest numbers: every value is a multiple of 2^this.
  [[nodiscard]] constexpr int min_place() const { return min_exponent() - fraction_bits; }

  // Whether each number of the other format is one of this one's: converting it is exact.
  [[nodiscard]] constexpr bool contains(const Format& other) const {
    return precision() >= other.precision() && min_place() <= other.min_place() &&
           max_exponent() >= other.max_exponent() && (has_sign || !other.has_sign) &&
           (has_zero || !other.has_zero);
  }

  // The same encodings of the same values. Names and uses follow from them (format_test.cpp), and
  // sums compare formats at every step.
  [[nodiscard]] constexpr bool operator==(const Format& other) const {
    return bits == other.bits && exponent_bits == other.exponent_bits &&
           fraction_bits == other.fraction_bits && bias == other.bias &&
           non_finite == other.non_finite && has_sign == other.has_sign &&
           has_zero == other.has_zero && padding_bits == other.padding_bits;
  }
};

// The only table of formats. The named rows below refer to it.
inline constexpr std::array kFormats{
    // IEEE 754-2019, 3.6: binary16, binary32 and binary64. bf16 is the upper half of binary32 and
    // tf32 its upper 19 bits, which keep their place in the 32-bit word.
    Format{.name = "fp16",
           .bits = 16,
           .exponent_bits = 5,
           .fraction_bits = 10,
           .bias = 15,
           .use = Use::kAccumulator,
           .aliases = {"float16", "binary16", "half"}},
    Format{.name = "bf16",
           .bits = 16,
           .exponent_bits = 8,
           .fraction_bits = 7,
           .bias = 127,
           .use = Use::kAccumulator,
           .aliases = {"bfloat16"}},
    Format{.name = "tf32",
           .bits = 19,
           .exponent_bits = 8,
           .fraction_bits = 10,
           .bias = 127,
           .padding_bits = 13,
           .aliases = {"tfloat32"}},
    Format{.name = "fp32",
           .bits = 32,
           .exponent_bits = 8,
           .fraction_bits = 23,
           .bias = 127,
           .use = Use::kAccumulator,
           .aliases = {"float32", "binary32", "single"}},
    Format{.name = "fp64",
           .bits = 64,
           .exponent_bits = 11,
           .fraction_bits = 52,
           .bias = 1023,
           .use = Use::kAccumulator,
           .aliases = {"float64", "binary64", "double"}},
    // OCP 8-bit Floating Point Specification (OFP8), revision 1.0.
    Format{.name = "e4m3fn",
           .bits = 8,
           .exponent_bits = 4,
           .fraction_bits = 3,
           .bias = 7,
           .non_finite = NonFinite::kNanAllOnes,
           .aliases = {"e4m3", "fp8_e4m3fn", "fp8_e4m3"}},
    Format{.name = "e5m2",
           .bits = 8,
           .exponent_bits = 5,
           .fraction_bits = 2,
           .bias = 15,
           .aliases = {"fp8_e5m2", "float8_e5m2"}},
    // Noune et al., "8-bit Numerical Formats for Deep Neural Networks", arXiv:2206.02915, with the
    // names of APFloat (Float8E4M3FNUZ, Float8E5M2FNUZ).
    Format{.name = "e4m3fnuz",
           .bits = 8,
           .exponent_bits = 4,
           .fraction_bits = 3,
           .bias = 8,
           .non_finite = NonFinite::kNanMinusZero,
           .aliases = {"fp8_e4m3fnuz", "float8_e4m3fnuz"}},
    Format{.name = "e5m2fnuz",
           .bits = 8,
           .exponent_bits = 5,
           .fraction_bits = 2,
           .bias = 16,
           .non_finite = NonFinite::kNanMinusZero,
           .aliases = {"fp8_e5m2fnuz", "float8_e5m2fnuz"}},
    // OCP Microscaling Formats (MX) Specification, version 1.0: the scale, then elements of six
    // and four bits.
    Format{.name = "e8m0",
           .bits = 8,
           .exponent_bits = 8,
           .fraction_bits = 0,
           .bias = 127,
           .non_finite = NonFinite::kNanAllOnes,
           .has_sign = false,
           .has_zero = false,
           .use = Use::kStorage,
           .aliases = {"ue8m0", "fp8_e8m0", "float8_e8m0fnu"}},
    Format{.name = "e3m2",
           .bits = 6,
           .exponent_bits = 3,
           .fraction_bits = 2,
           .bias = 3,
           .non_finite = NonFinite::kNone,
           .use = Use::kStorage,
           .aliases = {"fp6_e3m2", "float6_e3m2fn"}},
    Format{.name = "e2m3",
           .bits = 6,
           .exponent_bits = 2,
           .fraction_bits = 3,
           .bias = 1,
           .non_finite = NonFinite::kNone,
           .use = Use::kStorage,
           .aliases = {"fp6_e2m3", "float6_e2m3fn"}},
    Format{.name = "e2m1",
           .bits = 4,
           .exponent_bits = 2,
           .fraction_bits = 1,
           .bias = 1,
           .non_finite = NonFinite::kNone,
           .use = Use::kStorage,
           .aliases = {"fp4_e2m1", "float4_e2m1fn"}},
};

[[nodiscard]] constexpr std::span<const Format> all_formats() { return kFormats; }

namespace detail {
// An index rather than a pointer: under sanitizers, comparing addresses is not a
// constant expression.
[[nodiscard]] constexpr std::size_t index_of(std::string_view name) {
  std::size_t index = 0;
  while (index < kFormats.size() && kFormats[index].name != name) ++index;
  return index;
}

// A throw in a constant expression is a compile error, so a misspelt row name cannot compile.
[[nodiscard]] consteval const Format& row(std::string_view name) {
  if (index_of(name) == kFormats.size()) throw "no format row has this name";
  return kFormats[index_of(name)];
}
}  // namespace detail

// By name or alias; null when no row has it.
[[nodiscard]] constexpr const Format* find_format(std::string_view name) {
  if (name.empty()) return nullptr;
  for (const Format& f : kFormats) {
    if (f.name == name) return &f;
    for (const std::string_view alias : f.aliases) {
      if (alias == name) return &f;
    }
  }
  return nullptr;
}

inline constexpr const Format& kFp16 = detail::row("fp16");
inline constexpr const Format& kBf16 = detail::row("bf16");
inline constexpr const Format& kTf32 = detail::row("tf32");
inline constexpr const Format& kFp32 = detail::row("fp32");
inline constexpr const Format& kFp64 = detail::row("fp64");
inline constexpr const Format& kE4m3fn = detail::row("e4m3fn");
inline constexpr const Format& kE5m2 = detail::row("e5m2");
inline constexpr const Format& kE4m3fnuz = detail::row("e4m3fnuz");
inline constexpr const Format& kE5m2fnuz = detail::row("e5m2fnuz");
inline constexpr const Format& kE8m0 = detail::row("e8m0");
inline constexpr const Format& kE3m2 = detail::row("e3m2");
inline constexpr const Format& kE2m3 = detail::row("e2m3");
inline constexpr const Format& kE2m1 = detail::row("e2m1");

// A row as a type, so that code instantiated with it folds every property to a constant.
template <std::size_t kRow>
struct ConstantFormat {
  static constexpr const Format& format = kFormats[kRow];
};

// A row known only at run time, with the same interface as ConstantFormat.
struct RuntimeFormat {
  const Format& format;
};

// The rows that hot loops are compiled for. The others give the same results a few times slower:
// otherwise a loop over two formats would be compiled more than a hundred times.
inline constexpr std::array kFoldedRows{detail::index_of("fp16"), detail::index_of("bf16"),
                                        detail::index_of("fp32")};

// Calls body(ConstantFormat<row>{}) for the row equal to `format`, so that a hot loop is written
// once and compiled per format. Returns false without calling body if the format is not folded; the
// caller then uses RuntimeFormat.
template <typename Body>
constexpr bool with_constant_format(const Format& format, Body&& body) {
  return [&]<std::size_t... kIndices>(std::index_sequence<kIndices...>) {
    return ((format == kFormats[kFoldedRows[kIndices]] &&
             (body(ConstantFormat<kFoldedRows[kIndices]>{}), true)) ||
            ...);
  }(std::make_index_sequence<kFoldedRows.size()>{});
}

}  // namespace halfmark::formats
