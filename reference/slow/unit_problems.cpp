// SPDX-License-Identifier: Apache-2.0
#include "reference/slow/unit_problems.hpp"

#include <algorithm>

#include "reference/formats/classify.hpp"

namespace halfmark::slow {

// An encoding of about this exponent, with a fraction that is often a lone bit or all ones.
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

// Products around 2^centre, exponents of a and b up to `spread` apart from that.
void UnitProblems::fill(UnitProblem& p, int spread, int centre) {
  const int high = p.a_format->max_exponent() + p.b_format->max_exponent();
  for (std::size_t k = 0; k < p.a.size(); ++k) {
    const int target =
        std::min(high, centre - static_cast<int>(below(static_cast<std::size_t>(spread) + 1)));
    const int low = std::max(p.a_format->min_place(), target - p.b_format->max_exponent());
    const int top = std::min(p.a_format->max_exponent(), target - p.b_format->min_place());
    const int mine =
        low >= top ? low : low + static_cast<int>(below(static_cast<std::size_t>(top - low) + 1));
    // Often in the middle, where both factors are ordinary numbers.
    const int a = below(2) == 0 ? std::clamp(target / 2, low, std::max(low, top)) : mine;
    p.a[k] = of_exponent(*p.a_format, a);
    p.b[k] = of_exponent(*p.b_format, target - a);
  }
}

// Some products are the negation, or nearly, of others.
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
  for (std::size_t i = 0; i < 1 + below(2); ++i) {
    const std::size_t k = below(p.a.size());
    const bool negative = below(2) == 0;
    switch (below(4)) {
      case 0:
        p.a[k] = formats::quiet_nan(*p.a_format) & p.a_format->mask();
        break;
      case 1:
        p.b[k] = formats::zero(*p.b_format, negative);
        [[fallthrough]];
      default:
        p.a[k] = p.a_format->has_infinity() ? formats::infinity(*p.a_format, negative)
                                            : formats::max_finite(*p.a_format, negative);
    }
  }
}

// Mostly scales near one, at times the ends of their range, zero or NaN.
void UnitProblems::add_scales(UnitProblem& p) {
  if (unit_.scale == nullptr) return;
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
  // One step, mostly; then several, and steps that are not full.
  const auto step = static_cast<std::size_t>(std::max(unit_.block, unit_.instruction_k));
  const std::size_t size =
      below(3) == 0 ? 1 + below(2 * step + 3) : static_cast<std::size_t>(std::max(4, unit_.block));
  p.a.resize(size);
  p.b.resize(size);
  const int least = p.a_format->min_exponent() + p.b_format->min_exponent();
  const int most = p.a_format->max_exponent() + p.b_format->max_exponent();
  const int centres[] = {0, 0, 0, least + 12, -110, -126, 126, most - 1};
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
