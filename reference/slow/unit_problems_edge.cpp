// SPDX-License-Identifier: Apache-2.0
// Problems at the edge of a unit's grid: one large term, or one block with a large scale, and terms
// where the grid ends.
#include <algorithm>
#include <cstddef>

#include "reference/formats/classify.hpp"
#include "reference/slow/unit_problems.hpp"

namespace halfmark::slow {

// Sets one product of about this exponent, sometimes using a subnormal operand. Returns the sum of
// the exponents in the operands' fields.
int UnitProblems::set_large(UnitProblem& p, std::size_t k, int exponent) {
  const auto field = [](const Format& f, Bits bits) {
    return std::max(formats::exponent_field(f, bits), 1) - f.bias;
  };
  set_product(p, k, exponent, true);
  if (below(4) == 0) {
    const Format& f = *p.b_format;
    p.a[k] = power(*p.a_format, exponent - f.min_exponent());
    p.b[k] = power(f, f.min_exponent() - 1 - static_cast<int>(below(3)));
  }
  return field(*p.a_format, p.a[k]) + field(*p.b_format, p.b[k]);
}

// Sets scales whose exponents add up to `exponent`.
void UnitProblems::scale_by(UnitProblem& p, std::size_t block, int exponent) {
  const Format& f = *unit_.scale;
  const std::size_t count = (p.a.size() + static_cast<std::size_t>(unit_.scale_block) - 1) /
                            static_cast<std::size_t>(unit_.scale_block);
  p.a_scales.resize(count, formats::one(f));
  p.b_scales.resize(count, formats::one(f));
  const auto lone = [&](int e) {
    return formats::magnitude(
        f, static_cast<Bits>(std::clamp(e, f.min_exponent(), f.max_exponent()) + f.bias)
               << f.fraction_bits);
  };
  p.a_scales[block] = lone(exponent / 2);
  p.b_scales[block] = lone(exponent - exponent / 2);
}

// The precision of the grid; for rules without one, that of their result takes its place.
int UnitProblems::grid_bits() const {
  return unit_.fraction_bits == 0 ? unit_.output->precision() : unit_.fraction_bits;
}

// The exponent of a large product: mostly one from which the operands can reach the edge of its
// grid.
int UnitProblems::large_exponent(const UnitProblem& p) {
  const int least = p.a_format->min_place() + p.b_format->min_place();
  const int most = p.a_format->max_exponent() + p.b_format->max_exponent();
  const int middle = std::max(static_cast<int>(below(9)) - 4, least + grid_bits());
  const int wide = least + static_cast<int>(below(static_cast<std::size_t>(most - least) + 1));
  const int low = unit_.zero_exponent - static_cast<int>(below(24));
  const int choices[] = {middle, middle, wide, low};
  return std::clamp(choices[below(4)], least, most);
}

// Half of the problems with scales reach down to the smallest results. Returns the exponent of the
// scales.
int UnitProblems::scale_down(UnitProblem& p, int large) {
  if (unit_.scale == nullptr || below(2) != 0) return 0;
  const int scale = unit_.output->min_place() + static_cast<int>(below(5)) - large;
  for (std::size_t i = 0; i * static_cast<std::size_t>(unit_.scale_block) < p.a.size(); ++i)
    scale_by(p, i, scale);
  return scale;
}

// One large term, perhaps one that makes the last rounding a tie, and a few at the edge of its
// grid; nothing else.
void UnitProblems::edge(UnitProblem& p) {
  clear(p);
  const int bits = grid_bits();
  int large = large_exponent(p);
  // Neighbouring products, every fourth, any, or those of one step.
  const std::size_t stride = below(2) == 0 ? 1 : 4;
  const bool interleaved = unit_.rule == models::Rule::kThroughHalf && below(4) != 0;
  const auto place = [&](std::size_t i) {
    if (interleaved) return (i / 2 * 4 + i % 2) % p.a.size();
    return below(4) == 0 ? below(p.a.size()) : i * stride % p.a.size();
  };
  const int scale = scale_down(p, large);
  const bool rounds_twice =
      unit_.rule == models::Rule::kFloored || unit_.rule == models::Rule::kFlooredSplit;
  const bool c_is_large = below(3) < (rounds_twice ? 2U : 1U);
  int lead = large;  // of the value
  if (!c_is_large) {
    large = set_large(p, 0, large);
    lead =
        floor_log2(exact_product(real_of(*p.a_format, p.a[0]), real_of(*p.b_format, p.b[0])).value);
  }
  const int floor = unit_.zero_exponent == 0 ? large : std::max(large, unit_.zero_exponent - scale);
  const auto near_edge = [&] {
    if (rounds_twice && below(2) == 0) return floor - 31 - static_cast<int>(below(3));
    return floor - bits + static_cast<int>(below(5)) - 3;
  };
  if (below(2) == 0) set_product(p, place(1), lead - unit_.output->precision(), true);
  for (std::size_t i = 0; i < 1 + below(3); ++i) set_product(p, place(2 + i), near_edge(), true);
  const std::size_t choice = below(4);
  if (c_is_large || choice == 0) {
    p.c = models::Encoded{unit_.output,
                          power(*unit_.output, (c_is_large ? lead : near_edge()) + scale)};
  } else if (choice == 1) {
    p.c = models::Encoded{unit_.output, formats::zero(*unit_.output, below(2) == 0)};
  }
}

// Two blocks with separate scales, one at the edge of the other's grid.
void UnitProblems::edge_of_groups(UnitProblem& p) {
  clear(p);
  const auto block = static_cast<std::size_t>(unit_.scale_block);
  if (p.a.size() <= block) return;
  set_product(p, 0, 0, true);
  set_product(p, block, -static_cast<int>(below(3)), true);
  if (below(3) == 0) set_product(p, 1, 0, true);
  const int large = below(2) == 0 ? static_cast<int>(below(17))
                                  : unit_.output->min_place() + static_cast<int>(below(3));
  const int grid = std::max(large, unit_.zero_exponent) - unit_.fraction_bits;
  scale_by(p, 0, large);
  scale_by(p, 1, grid + static_cast<int>(below(7)) - 2);
  if (below(2) == 0)
    p.c = models::Encoded{unit_.output, formats::zero(*unit_.output, below(2) == 0)};
}

}  // namespace halfmark::slow
