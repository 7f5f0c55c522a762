// SPDX-License-Identifier: Apache-2.0
#include "suites/core/case/fills.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>

#include "reference/fast/parallel.hpp"
#include "reference/formats/classify.hpp"
#include "reference/operators/philox.hpp"
#include "reference/soft/codec.hpp"
#include "suites/core/case/errors.hpp"

namespace halfmark::suites {
namespace {

using formats::Bits;
using formats::Format;

// What a thread takes at a time: fewer indices are not worth a second thread.
constexpr std::size_t kRange = std::size_t{1} << 15;

// FNV-1a, 64 bits (Fowler, Noll, Vo): turns names into keys; the random quality comes from Philox.
std::uint64_t hash(std::string_view text, std::uint64_t state) {
  for (const char c : text) {
    state ^= static_cast<unsigned char>(c);
    state *= 0x100000001b3u;
  }
  return state;
}

Bits signed_encoding(const Format& f, Bits magnitude, std::uint64_t word) {
  return magnitude | ((word >> 63) != 0 ? f.sign_mask() : Bits{0});
}

// A finite encoding whose exponent field lies in [low, high].
Bits with_field_between(const Format& f, int low, int high, std::uint64_t word) {
  const auto span = static_cast<std::uint64_t>(high - low + 1);
  const Bits field = static_cast<Bits>(low) + (word >> 40) % span;
  return signed_encoding(f, (field << f.fraction_bits) | (word & f.fraction_mask()), word);
}

Bits normal_value(const Format& f, std::uint64_t index, const Random& random) {
  std::int64_t sum = 0;  // 16 uniforms on [-2^19, 2^19): variance 16 * 2^40 / 12
  for (std::uint64_t i = 0; i < 8; ++i) {
    const std::uint64_t word = random.derived(i).at(index);
    sum += static_cast<std::int64_t>(word & 0xfffff) + static_cast<std::int64_t>(word >> 44) -
           0x100000;
  }
  // The standard deviation of `sum` is 2^20 * sqrt(16 / 12); 887 / 1024 is sqrt(3 / 4) to
  // three digits.
  return scaled(f, sum * 887, -30);
}

Bits special_value(const Format& f, std::uint64_t index, const Random& random) {
  const std::uint64_t word = random.at(index);
  if (word % 8 != 0) return normal_value(f, index, random.derived(97));
  const bool negative = (word >> 8) % 2 != 0;
  switch ((word >> 16) % 5) {
    case 0:
      return formats::quiet_nan(f);
    case 1:
      return formats::infinity(f, negative);
    case 2:
      return formats::zero(f, negative);
    case 3:
      return signed_encoding(f, 1 + (word >> 20) % f.fraction_mask(), word);
    default:
      return formats::max_finite(f, negative);
  }
}

Bits finite_value(const Format& f, std::uint64_t word) {
  return with_field_between(f, 0, f.max_exponent_field() - 1, word);
}

Bits uniform_value(const Format& f, std::uint64_t word) {
  return scaled(f, static_cast<std::int64_t>(word >> 40) - (1 << 23), -23);
}

// Exponents around half of the smallest one, so that products of two values straddle the
// subnormal border.
Bits tiny_value(const Format& f, std::uint64_t word) {
  const int middle = f.bias - (f.bias + f.fraction_bits / 2) / 2;
  return with_field_between(f, middle - 2, middle + 2, word);
}

Bits small_integer(const Format& f, std::uint64_t word, std::int64_t low, std::uint64_t span) {
  return scaled(f, low + static_cast<std::int64_t>((word >> 32) % span), 0);
}

using Fill = Bits (*)(const Format&, std::uint64_t index, const Random&);

struct FillRow {
  std::string_view name;
  Fill value;
};

constexpr FillRow kFills[] = {
    {"integer", [](const Format& f, std::uint64_t i,
                   const Random& r) { return small_integer(f, r.at(i), -4, 9); }},
    {"positive", [](const Format& f, std::uint64_t i,
                    const Random& r) { return small_integer(f, r.at(i), 1, 4); }},
    {"uniform",
     [](const Format& f, std::uint64_t i, const Random& r) { return uniform_value(f, r.at(i)); }},
    {"normal", normal_value},
    {"bits", [](const Format& f, std::uint64_t i, const Random& r) { return r.at(i) & f.mask(); }},
    {"finite",
     [](const Format& f, std::uint64_t i, const Random& r) { return finite_value(f, r.at(i)); }},
    {"subnormal",
     [](const Format& f, std::uint64_t i, const Random& r) {
       const std::uint64_t word = r.at(i);
       return word % 2 == 0 ? with_field_between(f, 0, 0, word >> 1)
                            : with_field_between(f, 1, 8, word);
     }},
    {"tiny",
     [](const Format& f, std::uint64_t i, const Random& r) { return tiny_value(f, r.at(i)); }},
    {"large",
     [](const Format& f, std::uint64_t i, const Random& r) {
       const int top = f.max_exponent_field() - 1;
       return with_field_between(f, top - 3, top, r.at(i));
     }},
    {"special", special_value},
};

}  // namespace

Random::Random(const Case& c, std::string_view tensor)
    : key_(hash(tensor, hash(print_seedless(c), 0xcbf29ce484222325u)) ^
           (c.seed * 0x9E3779B97F4A7C15u)) {}

std::uint64_t Random::at(std::uint64_t index) const {
  const auto words = operators::philox4x32(
      {static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32), 0, 0},
      {static_cast<std::uint32_t>(key_), static_cast<std::uint32_t>(key_ >> 32)});
  return std::uint64_t{words[0]} << 32 | words[1];
}

std::uint64_t Random::below(std::uint64_t index, std::uint64_t bound) const {
  return ((at(index) >> 32) * bound) >> 32;
}

Random Random::derived(std::uint64_t stream) const {
  return Random(key_ ^ ((stream + 1) * 0xD1B54A32D192ED03u));
}

Bits scaled(const Format& format, std::int64_t numerator, int exponent) {
  if (numerator == 0) return formats::zero(format, false);
  const bool negative = numerator < 0;
  const auto magnitude = static_cast<std::uint64_t>(negative ? -numerator : numerator);
  const int shift = std::countl_zero(magnitude) - (63 - soft::kLead);
  return soft::round(format, negative, exponent + soft::kLead - shift, magnitude << shift,
                     soft::Environment{})
      .bits;
}

Bits between(const Format& format, const Random& random, std::size_t index, std::int64_t low,
             std::int64_t high, int exponent, int step_bits) {
  const std::int64_t steps = std::int64_t{1} << step_bits;
  const auto count = static_cast<std::uint64_t>((high - low) * steps);
  return scaled(format, low * steps + static_cast<std::int64_t>(random.below(index, count)),
                exponent - step_bits);
}

formats::Tensor fill(const Format& format, std::size_t count, std::string_view name,
                     const Random& random) {
  for (const FillRow& row : kFills) {
    if (row.name != name) continue;
    return filled(format, count, [&](std::size_t i) { return row.value(format, i, random); });
  }
  throw UsageError(fmt::format("'{}' is not a fill", name));
}

void for_each_range(std::size_t count, const std::function<void(std::size_t, std::size_t)>& visit) {
  const std::size_t parts = (count + kRange - 1) / kRange;
  if (parts < 2) return visit(0, count);
  fast::for_each_part(
      parts, fast::Options{}.threads, fast::Direction::kNearEven,
      [&](std::size_t part) { visit(part * kRange, std::min(count, (part + 1) * kRange)); });
}

}  // namespace halfmark::suites
