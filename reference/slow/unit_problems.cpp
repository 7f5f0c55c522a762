// SPDX-License-Identifier: Apache-2.0
#include "reference/slow/unit_problems.hpp"

#include <algorithm>

#include "reference/formats/classify.hpp"

namespace halfmark::slow {

// An encoding with about this exponent, and a fraction that is often a single bit or all ones.
Bits UnitProblems::of_exponent(const Format& f, int exponent) {
  const int lowest = f.min_exponent() - f.fraction_bits;
  const int clamped = std::clamp(exponent, lowest, f.max_exponent());
  const std::uint64_t random = operands_.word();
  Bits fraction = random;
  const auto places = static_cast<std::size_t>(f.fraction_bits) + 1;
  switch (random >> 60) {
    case 0:
    case 1:
      fraction = 0;
      break;
    case 2:
      fraction = f.fraction_mask();
      break;
    case 3:
    case 4:
      fraction = Bits{1} << (random >> 32) % places;
      break;
    default:
      break;
  }
  fraction &= f.fraction_mask();
  Bits size = (static_cast<Bits>(std::max(clamped, f.min_exponent()) + f.bias) << f.fraction_bits) |
              fraction;
  if (clamped < f.min_exponent()) {  // a subnormal with this leading place
    const int lead = clamped - lowest;
    size = Bits{1} << lead | (fraction & ((Bits{1} << lead) - 1));
  }
  size = std::min(size, formats::max_finite(f));
  return formats::encode(f, (random >> 50 & 1) != 0, size);
}

Bits UnitProblems::finite(const Format& f) {
  for (;;) {
    const Bits bits = operands_.any(f) & f.mask();
    if (formats::is_finite(f, bits)) return bits;
  }
}

// 2^exponent or, occasionally, 1.5 times that, with either sign.
Bits UnitProblems::power(const Format& f, int exponent) {
  const int lowest = f.min_exponent() - f.fraction_bits;
  const int clamped = std::clamp(exponent, lowest, f.max_exponent());
  Bits size = clamped < f.min_exponent() ? Bits{1} << (clamped - lowest)
                                         : static_cast<Bits>(clamped + f.bias) << f.fraction_bits;
  if (below(4) == 0 && clamped >= f.min_exponent()) size |= Bits{1} << f.fraction_bits >> 1;
  return formats::encode(f, below(2) == 0, std::min(size, formats::max_finite(f)));
}

// The exponent of a for a product of about 2^target: often the middle, where both factors are
// ordinary numbers.
int UnitProblems::split(const UnitProblem& p, int target) {
  const int low = std::max(p.a_format->min_place(), target - p.b_format->max_exponent());
  const int high = std::min(p.a_format->max_exponent(), target - p.b_format->min_place());
  if (low >= high) return low;
  if (below(2) == 0) return std::clamp(target / 2, low, high);
  return low + static_cast<int>(below(static_cast<std::size_t>(high - low) + 1));
}

void UnitProblems::set_product(UnitProblem& p, std::size_t k, int exponent, bool lone) {
  const int a = split(p, exponent);
  p.a[k] = lone ? power(*p.a_format, a) : of_exponent(*p.a_format, a);
  p.b[k] = lone ? power(*p.b_format, exponent - a) : of_exponent(*p.b_format, exponent - a);
}

// Products around 2^centre, with exponents up to `spread` below that.
void UnitProblems::fill(UnitProblem& p, int spread, int centre) {
  const int most = p.a_format->max_exponent() + p.b_format->max_exponent();
  for (std::size_t k = 0; k < p.a.size(); ++k) {
    const int down = static_cast<int>(below(static_cast<std::size_t>(spread) + 1));
    set_product(p, k, std::min(most, centre - down), false);
  }
}

void UnitProblems::clear(UnitProblem& p) {
  for (std::size_t k = 0; k < p.a.size(); ++k) {
    p.a[k] = formats::zero(*p.a_format, below(2) == 0);
    p.b[k] = formats::zero(*p.b_format, below(2) == 0);
  }
}

// Zero products, often all negative, and a c that is zero or subnormal.
void UnitProblems::only_c(UnitProblem& p) {
  const bool negative = below(2) == 0;
  for (std::size_t k = 0; k < p.a.size(); ++k) {
    p.a[k] = formats::zero(*p.a_format, negative || below(2) == 0);
    p.b[k] = of_exponent(*p.b_format, 0) & ~p.b_format->sign_mask();
    if (p.a[k] == 0 && negative) p.b[k] |= p.b_format->sign_mask();
  }
  const Format& f = *unit_.output;
  p.c =
      models::Encoded{&f, below(2) == 0 ? formats::zero(f, true)
                                        : power(f, f.min_exponent() - static_cast<int>(below(9)))};
}

// Some products are the exact or near negation of others.
void UnitProblems::cancel(UnitProblem& p) {
  if (p.a.size() < 2) return;
  for (std::size_t i = 0; i < 1 + p.a.size() / 4; ++i) {
    const std::size_t from = below(p.a.size());
    const std::size_t to = below(p.a.size());
    if (from == to) continue;
    p.b[to] = p.b[from];
    p.a[to] = p.a[from] ^ p.a_format->sign_mask();
    if (below(3) == 0) p.a[to] ^= 1;
    if (!formats::is_finite(*p.a_format, p.a[to])) p.a[to] = formats::zero(*p.a_format);
  }
}

void UnitProblems::add_zeros(UnitProblem& p) {
  const bool all = below(3) == 0;
  const bool negative = below(2) == 0;
  for (std::size_t k = 0; k < p.a.size(); ++k) {
    if (!all && below(3) != 0) continue;
    const bool sign = all && negative ? true : below(2) == 0;
    const bool other = formats::sign(*p.b_format, p.b[k]);
    p.a[k] = formats::zero(*p.a_format, sign != other);
  }
}

void UnitProblems::add_specials(UnitProblem& p) {
  for (std::size_t i = 0; i < 1 + below(3); ++i) {
    const std::size_t k = below(p.a.size());
    const bool of_a = p.a_format->has_infinity() && (below(2) == 0 || !p.b_format->has_infinity());
    const Format& f = of_a ? *p.a_format : *p.b_format;
    const std::size_t choice = below(6);
    Bits bits = f.has_infinity() ? formats::infinity(f, below(2) == 0)
                                 : formats::max_finite(f, below(2) == 0);
    if (choice == 0) bits = formats::quiet_nan(f) & f.mask();
    if (choice == 1) (of_a ? p.b[k] : p.a[k]) = 0;
    (of_a ? p.a[k] : p.b[k]) = bits;
  }
}

// Mostly scales near one, sometimes the ends of their range, zero or NaN.
void UnitProblems::add_scales(UnitProblem& p) {
  if (unit_.scale == nullptr || !p.a_scales.empty()) return;
  const auto block = static_cast<std::size_t>(unit_.scale_block);
  const Format& f = *unit_.scale;
  for (auto* scales : {&p.a_scales, &p.b_scales}) {
    for (std::size_t i = 0; i < (p.a.size() + block - 1) / block; ++i) {
      const std::size_t choice = below(64);
      Bits bits = of_exponent(f, static_cast<int>(below(9)) - 4);
      if (choice < 8) bits = operands_.word() & f.mask();
      if (choice == 8) bits = formats::quiet_nan(f);
      if (choice == 9 && f.has_zero) bits = 0;
      scales->push_back(bits);
    }
  }
}

models::Encoded UnitProblems::addend(int centre, int spread) {
  const Format& f = below(4) == 0 ? formats::kFp32 : *unit_.output;
  const std::size_t choice = below(16);
  if (choice == 0) return {&f, formats::zero(f, below(2) == 0)};
  if (choice == 1) return {&f, formats::infinity(f, below(2) == 0)};
  if (choice == 2) return {&f, formats::quiet_nan(f) | 1};
  if (choice == 3) return {&f, finite(f)};
  if (choice == 4) return {&f, of_exponent(f, f.min_exponent() - static_cast<int>(below(20)))};
  const int width = spread + unit_.fraction_bits + 6;
  const int exponent = centre + 4 - static_cast<int>(below(static_cast<std::size_t>(width) + 1));
  return {&f, of_exponent(f, exponent)};
}

UnitProblem UnitProblems::next() {
  UnitProblem p{unit_.a[below(unit_.a.size())], unit_.b[below(unit_.b.size())], {}, {}, {}, {}, {}};
  if (*p.a_format == formats::kTf32 && below(4) == 0) p.a_format = p.b_format = &formats::kFp32;
  // Mostly one step; otherwise several, and steps that are not full.
  const auto step = static_cast<std::size_t>(std::max(unit_.block, unit_.instruction_k));
  const std::size_t size =
      below(3) == 0 ? 1 + below(2 * step + 3) : static_cast<std::size_t>(std::max(4, unit_.block));
  p.a.resize(size);
  p.b.resize(size);
  const int least = p.a_format->min_exponent() + p.b_format->min_exponent();
  const int most = p.a_format->max_exponent() + p.b_format->max_exponent();
  const int centres[] = {0, 0, 0, least + 12, -110, -126, 126, most - 1};
  const std::size_t kind = below(32);
  if (kind < 12) {
    unit_.rule == models::Rule::kGroupScaled ? edge_of_groups(p) : edge(p);
  } else if (kind == 12) {
    only_c(p);
  }
  if (kind <= 12) {
    add_scales(p);
    return p;
  }
  const int centre = std::clamp(centres[below(8)], least, most);
  const int spreads[] = {0, 3, 12, 26, 30, 40, 80, 300};
  const int spread = spreads[below(8)];
  fill(p, spread, centre);
  if (below(3) == 0) cancel(p);
  if (below(6) == 0) add_zeros(p);
  if (below(16) == 0) add_specials(p);
  if (below(8) != 0) p.c = addend(centre, spread);
  add_scales(p);
  return p;
}

Bits fast_unit_dot(const models::Unit& unit, const UnitProblem& p) {
  const models::Scales scales{{unit.scale, p.a_scales.data()}, {unit.scale, p.b_scales.data()}};
  return models::unit_dot(unit, {p.a_format, p.a.data()}, {p.b_format, p.b.data()}, p.a.size(), p.c,
                          unit.scale == nullptr ? nullptr : &scales)
      .bits;
}

}  // namespace halfmark::slow
