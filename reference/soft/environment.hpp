// SPDX-License-Identifier: Apache-2.0
// The environment of one operation (rounding direction, treatment of subnormals and of
// overflow) and its result (an encoding and the exceptions raised). Plain values; nothing is
// sticky or global.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "reference/formats/format.hpp"

namespace halfmark::soft {

using formats::Bits;
using formats::Format;

// The five directions of IEEE 754-2019, 4.3, and stochastic rounding. Stochastic rounding takes the
// neighbour further from zero when discarded + random >= 1. Here `discarded` is the number's
// distance from the neighbour nearer to zero, in units of the distance between the two, truncated
// to random_bits binary places, and `random` is Environment::random / 2^random_bits.
enum class Rounding : std::uint8_t { kNearEven, kTowardZero, kDown, kUp, kNearAway, kStochastic };

// What a value beyond the largest finite number becomes. kInfinity: as IEEE 754-2019, 7.4, with NaN
// in place of infinity where the format has none. kSaturate (saturating conversion in OFP8,
// revision 1.0): the largest finite number of its sign, in every direction and for infinite results
// too. Formats with neither infinity nor NaN always saturate.
enum class Overflow : std::uint8_t { kInfinity, kSaturate };

// kFlushIn: a subnormal operand counts as a zero of its sign, with no flag. kFlushOut: a tiny
// result (see codec.hpp) becomes a zero of its sign and raises underflow and inexact. kFlush: both.
enum class Subnormals : std::uint8_t { kKeep, kFlushIn, kFlushOut, kFlush };

enum Flags : unsigned {
  kInexact = 1,
  kUnderflow = 2,
  kOverflow = 4,
  kDivideByZero = 8,
  kInvalid = 16
};

struct Environment {
  Rounding rounding = Rounding::kNearEven;
  Subnormals subnormals = Subnormals::kKeep;
  // Not IEEE 754: the shortcuts of fused operations emulated in software. fma(a, b, 0) is a * b
  // whatever the sign of that zero, so a zero result keeps the sign of the product and a
  // subnormal product is not flushed. Operands are not flushed when a factor is infinite or any
  // operand is a NaN.
  bool emulated_fma = false;
  Overflow overflow = Overflow::kInfinity;
  // For kStochastic: `random` is below 2^random_bits, and random_bits is at most max_random_bits()
  // of the result's format.
  int random_bits = 0;
  std::uint32_t random = 0;

  [[nodiscard]] constexpr bool flushes_in() const {
    return subnormals == Subnormals::kFlushIn || subnormals == Subnormals::kFlush;
  }
  [[nodiscard]] constexpr bool flushes_out() const {
    return subnormals == Subnormals::kFlushOut || subnormals == Subnormals::kFlush;
  }
  [[nodiscard]] constexpr bool operator==(const Environment&) const = default;
};

struct Result {
  Bits bits;
  unsigned flags;

  [[nodiscard]] constexpr bool operator==(const Result&) const = default;
};

// The names used by the command line and the scorecard.
template <typename Enum>
struct Named {
  std::string_view name;
  Enum value;
};

inline constexpr std::array<Named<Rounding>, 5> kRoundings{{
    {"near_even", Rounding::kNearEven},
    {"toward_zero", Rounding::kTowardZero},
    {"down", Rounding::kDown},
    {"up", Rounding::kUp},
    {"near_away", Rounding::kNearAway},
}};

// Not in the table of directions: it needs random bits, and callers loop over the table
// without any.
inline constexpr Named<Rounding> kStochasticRounding{"stochastic", Rounding::kStochastic};

inline constexpr std::array<Named<Overflow>, 2> kOverflowPolicies{{
    {"infinity", Overflow::kInfinity},
    {"saturate", Overflow::kSaturate},
}};

inline constexpr std::array<Named<Subnormals>, 4> kSubnormalPolicies{{
    {"keep", Subnormals::kKeep},
    {"flush_in", Subnormals::kFlushIn},
    {"flush_out", Subnormals::kFlushOut},
    {"flush", Subnormals::kFlush},
}};

template <typename Enum, std::size_t kCount>
[[nodiscard]] constexpr std::optional<Enum> find_named(const std::array<Named<Enum>, kCount>& table,
                                                       std::string_view name) {
  for (const Named<Enum>& row : table) {
    if (row.name == name) return row.value;
  }
  return std::nullopt;
}

template <typename Enum, std::size_t kCount>
[[nodiscard]] constexpr std::string_view name_of(const std::array<Named<Enum>, kCount>& table,
                                                 Enum value) {
  for (const Named<Enum>& row : table) {
    if (row.value == value) return row.name;
  }
  return {};
}

[[nodiscard]] constexpr std::optional<Rounding> parse_rounding(std::string_view name) {
  if (name == kStochasticRounding.name) return kStochasticRounding.value;
  return find_named(kRoundings, name);
}
[[nodiscard]] constexpr std::string_view to_string(Rounding rounding) {
  if (rounding == kStochasticRounding.value) return kStochasticRounding.name;
  return name_of(kRoundings, rounding);
}
[[nodiscard]] constexpr std::optional<Overflow> parse_overflow(std::string_view name) {
  return find_named(kOverflowPolicies, name);
}
[[nodiscard]] constexpr std::string_view to_string(Overflow overflow) {
  return name_of(kOverflowPolicies, overflow);
}
[[nodiscard]] constexpr std::optional<Subnormals> parse_subnormals(std::string_view name) {
  return find_named(kSubnormalPolicies, name);
}
[[nodiscard]] constexpr std::string_view to_string(Subnormals subnormals) {
  return name_of(kSubnormalPolicies, subnormals);
}

}  // namespace halfmark::soft
