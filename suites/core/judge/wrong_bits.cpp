// SPDX-License-Identifier: Apache-2.0
#include "suites/core/judge/wrong_bits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <set>

#include "reference/formats/classify.hpp"
#include "reference/formats/text.hpp"

namespace halfmark::suites {
namespace {

using formats::Bits;
using formats::Format;
using formats::Tensor;
using Indices = std::span<const std::size_t>;

// Fewer elements can easily agree by chance.
constexpr std::size_t kEnough = 4;

struct Pair {
  Bits expected, actual;
};

std::vector<Pair> pairs_of(Indices wrong, const Tensor& expected, const Tensor& actual) {
  std::vector<Pair> pairs;
  pairs.reserve(wrong.size());
  for (const std::size_t i : wrong) pairs.push_back({expected.at(i), actual.at(i)});
  return pairs;
}

bool all_of(const std::vector<Pair>& pairs, const std::function<bool(const Pair&)>& holds) {
  return std::all_of(pairs.begin(), pairs.end(), holds);
}

// All wrong elements have the same word; nothing of a single one.
std::string same_word_of(const Format& f, const std::vector<Pair>& pairs) {
  const Bits first = pairs[0].actual;
  const bool same = all_of(pairs, [&](const Pair& p) { return p.actual == first; });
  return same && pairs.size() >= 2 ? fmt::format("each is {}", formats::hex(f, first)) : "";
}

// All wrong elements have the same value, or are of one kind.
std::string constant_of(const Format& f, const std::vector<Pair>& pairs) {
  if (const std::string same = same_word_of(f, pairs); !same.empty())
    return fmt::format("{} ({})", same, formats::hex_float(f, pairs[0].actual));
  if (all_of(pairs, [&](const Pair& p) { return formats::is_zero(f, p.actual); }))
    return pairs.size() > 1 ? "each is a zero" : "";
  if (pairs.size() > 1 &&
      all_of(pairs, [&](const Pair& p) { return formats::is_nan(f, p.actual); }))
    return "each is a NaN";
  return {};
}

std::string sign_of(const Format& f, const std::vector<Pair>& pairs, Bits ever) {
  if (ever != f.sign_mask() || !f.has_sign) return {};
  return pairs.size() == 1 ? "the sign alone differs" : "in each, the sign alone differs";
}

std::string differing_of(const Format& f, const std::vector<Pair>& pairs, Bits ever, Bits always) {
  if (pairs.size() == 1) return {};
  if (always == ever && std::has_single_bit(ever))
    return fmt::format("in each, bit {} alone differs", std::countr_zero(ever));
  // Differences in the last places come from rounding; a mask in the middle suggests a data line.
  if (std::popcount(ever) <= 2 && pairs.size() >= kEnough && ever > 3)
    return fmt::format("no bits differ but those of mask {}", formats::hex(f, ever));
  return {};
}

// Fraction bits that are zero in every wrong result but not in the expected ones: the precision of
// a narrower format.
std::string lost_bits_of(const Format& f, const std::vector<Pair>& pairs) {
  Bits seen = 0;
  Bits wanted = 0;
  for (const Pair& p : pairs) {
    if (!formats::is_finite(f, p.actual) || !formats::is_finite(f, p.expected)) return {};
    seen |= p.actual & f.fraction_mask();
    wanted |= p.expected & f.fraction_mask();
  }
  if (seen == 0) return {};  // zeros or powers of two: reported elsewhere
  const int lost = std::countr_zero(seen);
  const int there = std::countr_zero(wanted);
  if (lost - there < 2 || pairs.size() < kEnough) return {};
  return fmt::format("the lowest {} fraction bits of each are zero, and were not to be", lost);
}

// Value of a finite, nonzero encoding; exact in a double for every output format, except the last
// bits of fp64.
double number_of(const Format& f, Bits bits) {
  const int field = formats::exponent_field(f, bits);
  const auto fraction = static_cast<double>(formats::fraction_field(f, bits));
  const double significand = field == 0 ? fraction : fraction + std::ldexp(1.0, f.fraction_bits);
  const double size = std::ldexp(significand, std::max(field, 1) - f.bias - f.fraction_bits);
  return formats::sign(f, bits) ? -size : size;
}

// A factor that all wrong elements share, within the roundings of both numbers.
std::string ratio_of(const Format& f, const std::vector<Pair>& pairs) {
  if (pairs.size() < kEnough) return {};
  const double slack = std::ldexp(1.0, -f.fraction_bits);
  double low = -INFINITY;
  double high = INFINITY;
  std::set<Bits> values;
  for (const Pair& p : pairs) {
    const auto usable = [&](Bits bits) {
      return formats::classify(f, bits) == formats::Class::kNormal;
    };
    if (!usable(p.expected) || !usable(p.actual)) return {};
    const double ratio = number_of(f, p.actual) / number_of(f, p.expected);
    const double reach = std::abs(ratio) * slack;
    low = std::max(low, ratio - reach);
    high = std::min(high, ratio + reach);
    if (low > high) return {};
    values.insert(p.expected & f.magnitude_mask());
  }
  const double ratio = (low + high) / 2;
  // Few distinct expected values fit a common ratio by chance; a ratio near one comes
  // from rounding.
  if (values.size() < kEnough || std::abs(ratio - 1) < 8 * slack) return {};
  return fmt::format("each is {:.6g} times the right result", ratio);
}

std::vector<std::string> patterns_of(const Format& f, const std::vector<Pair>& pairs, Bits ever,
                                     Bits always, bool are_integers) {
  const std::string differing = differing_of(f, pairs, ever, always);
  if (are_integers) return {same_word_of(f, pairs), differing};
  const std::string sign = sign_of(f, pairs, ever);
  return {constant_of(f, pairs), sign.empty() ? differing : sign, lost_bits_of(f, pairs),
          ratio_of(f, pairs)};
}

}  // namespace

WrongBits describe_bits(Indices wrong, const Tensor& expected, const Tensor& actual,
                        bool are_integers) {
  const Format& f = *expected.format;
  const std::vector<Pair> pairs = pairs_of(wrong, expected, actual);
  Bits ever = 0;
  Bits always = f.mask();
  for (const Pair& p : pairs) {
    ever |= p.expected ^ p.actual;
    always &= p.expected ^ p.actual;
  }
  WrongBits result{
      .ever = formats::hex(f, ever), .always = formats::hex(f, always), .patterns = {}};
  for (std::string& words : patterns_of(f, pairs, ever, always, are_integers)) {
    if (!words.empty()) result.patterns.push_back(std::move(words));
  }
  return result;
}

std::string describe_movement(std::size_t rows, std::size_t columns, Indices wrong,
                              const Tensor& expected, const Tensor& actual) {
  std::set<Bits> values;
  for (const std::size_t i : wrong) values.insert(actual.at(i));
  if (wrong.size() < kEnough || values.size() < kEnough) return {};
  const auto transposed = [&](std::size_t i) {
    return actual.at(i) == expected.at(i % columns * columns + i / columns);
  };
  if (rows == columns && rows > 1 && std::all_of(wrong.begin(), wrong.end(), transposed))
    return "each is the right result of the transposed place";
  constexpr std::size_t kMostCandidates = 256;
  std::size_t candidates = 0;
  for (std::size_t j = 0; j < expected.count() && candidates < kMostCandidates; ++j) {
    if (expected.at(j) != actual.at(wrong[0])) continue;
    ++candidates;
    const auto displaced = [&](std::size_t i) {
      const std::size_t source = i + j - wrong[0];  // wraps past the end when negative
      return source < expected.count() && actual.at(i) == expected.at(source);
    };
    if (!std::all_of(wrong.begin(), wrong.end(), displaced)) continue;
    const bool later = j > wrong[0];
    const std::size_t distance = later ? j - wrong[0] : wrong[0] - j;
    return fmt::format("each is the right result of the element {} places {}", distance,
                       later ? "later" : "earlier");
  }
  return {};
}

}  // namespace halfmark::suites
