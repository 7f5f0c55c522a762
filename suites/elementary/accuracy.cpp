// SPDX-License-Identifier: Apache-2.0
#include "suites/elementary/accuracy.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "reference/fast/parallel.hpp"
#include "reference/formats/ulp.hpp"
#include "reference/soft/soft.hpp"

namespace halfmark::suites::elementary {
namespace {

using formats::Bits;
using formats::Format;
using formats::kFp64;
using soft::Rounding;

constexpr int kPlaces = 10;  // fractional bits of a ULP
constexpr std::uint64_t kRounded = 500;
constexpr double kMost = 1e15;

// The largest error within a part of the results.
struct Part {
  std::uint64_t results = 0, thousandths = 0;
  std::size_t index = 0;
};

bool is_normal(const Format& f, Bits bits) {
  return formats::classify(f, bits) == formats::Class::kNormal;
}
bool are_normal(const Callee& callee, const Format& f, const Operands& operands) {
  return is_normal(f, operands.x) && (callee.unary != nullptr || is_normal(f, operands.w));
}

// The exact value of the encoding.
double value(const Format& f, Bits bits) {
  return std::bit_cast<double>(soft::convert(f, kFp64, bits).bits);
}

// The position of the exact value between its neighbours, measured from the one nearer to zero and
// truncated to 1/1024: stochastic rounding takes the farther one exactly if position + random >= 1.
std::uint32_t place_between(const Callee& callee, const Format& f, const Operands& operands,
                            Bits toward_zero) {
  // The largest random number known to leave it there.
  std::uint32_t stays = 0;
  std::uint32_t leaves = 1U << kPlaces;
  while (leaves - stays > 1) {
    const std::uint32_t random = stays + (leaves - stays) / 2;
    const soft::Environment environment{
        .rounding = Rounding::kStochastic, .random_bits = kPlaces, .random = random};
    const bool stayed = callee.evaluate(f, operands, environment).bits == toward_zero;
    (stayed ? stays : leaves) = random;
  }
  return (1U << kPlaces) - leaves;
}

}  // namespace

std::optional<std::uint64_t> thousandths_off(const Callee& callee, const Format& f,
                                             const Operands& operands, Bits y) {
  const soft::Result cut = callee.evaluate(f, operands, {.rounding = Rounding::kTowardZero});
  if (!are_normal(callee, f, operands) || !is_normal(f, y) || !is_normal(f, cut.bits)) {
    return std::nullopt;
  }
  if (formats::magnitude(f, cut.bits) >= formats::max_finite(f)) return std::nullopt;
  const double below = value(f, cut.bits);
  const double ulp = std::fabs(value(f, cut.bits + 1) - below);
  constexpr double kUnits = 1U << kPlaces;
  const double distance = std::copysign(1.0, below) * (value(f, y) - below) / ulp * kUnits;
  const bool exact = (cut.flags & soft::kInexact) == 0;
  const double place = exact ? 0 : place_between(callee, f, operands, cut.bits);
  const double farther =
      std::max(std::fabs(distance - place), exact ? 0 : std::fabs(distance - place - 1));
  return static_cast<std::uint64_t>(std::ceil(std::min(farther, kMost) * 1000 / kUnits));
}

std::optional<Farthest> farthest(const Callee& callee, const TensorSet& inputs,
                                 const formats::Tensor& expected, const formats::Tensor& y) {
  constexpr std::size_t kPart = 512;
  const formats::Tensor& x = inputs.at("x");
  const Format& f = *x.format;
  std::vector<Part> parts((x.count() + kPart - 1) / kPart);
  fast::for_each_part(parts.size(), 0, fast::Direction::kNearEven, [&](std::size_t number) {
    Part& part = parts[number];
    for (std::size_t i = number * kPart; i < std::min(x.count(), (number + 1) * kPart); ++i) {
      const Operands operands = operands_at(inputs, i);
      const bool rounded =
          y.at(i) == expected.at(i) && is_normal(f, y.at(i)) && are_normal(callee, f, operands);
      const auto off = rounded ? kRounded : thousandths_off(callee, f, operands, y.at(i));
      if (!off) continue;
      ++part.results;
      if (*off <= part.thousandths) continue;
      part.thousandths = *off;
      part.index = i;
    }
  });
  Part whole;
  for (const Part& part : parts) {
    whole.results += part.results;
    if (part.thousandths <= whole.thousandths) continue;
    whole.thousandths = part.thousandths;
    whole.index = part.index;
  }
  if (whole.results == 0) return std::nullopt;
  return Farthest{.tensor = "y",
                  .index = whole.index,
                  .thousandths = whole.thousandths,
                  .results = whole.results};
}

}  // namespace halfmark::suites::elementary
