// SPDX-License-Identifier: Apache-2.0
#include "reference/inference/scale.hpp"

#include <algorithm>

namespace halfmark::inference {
namespace {

// A wider scale is worth its calls if it adds at least this many bits.
constexpr int kWorthwhile = 8;

// A pair of factors for 2^product, as even as the largest exponents allow.
Factors large_factors(const Subject& subject, int most) {
  const int a = std::min(most, subject.a->max_exponent());
  const int b = std::min(most - a, subject.b->max_exponent());
  return {a, b};
}

Factors small_factors(const Subject& subject, int least) {
  const int a = std::max(least, subject.a->min_exponent());
  const int b = std::max(least - a, subject.b->min_exponent());
  return {a, b};
}

}  // namespace

Bits power_of_two(const Format& format, int exponent, bool negative) {
  const auto field = static_cast<Bits>(exponent + format.bias);
  return field << format.fraction_bits | (negative ? format.sign_mask() : 0);
}

bool addend_fits(const Subject& subject, const Scale& scale) {
  return subject.c != nullptr && scale.large.product() <= subject.c->max_exponent() &&
         scale.small.product() >= subject.c->min_exponent();
}

std::vector<Scale> scales_for(const Subject& subject) {
  std::vector<Scale> scales;
  for (const int reach : {0, 12, 45}) {
    const int most = 15 + reach;
    const int least = std::max(-14 - reach, subject.d->min_exponent());
    const Scale scale{large_factors(subject, most), small_factors(subject, least)};
    const bool wider = scales.empty() || scale.range() >= scales.back().range() + kWorthwhile;
    if (scale.range() >= kLeastRange && wider) scales.push_back(scale);
  }
  return scales;
}

}  // namespace halfmark::inference
