// SPDX-License-Identifier: Apache-2.0
// Wrong results without a rule of places: each holds the right result of an element near it, or
// exactly the results of some magnitude are off by one power of two. Decides how near is near, and
// reports nothing that chance would explain as well.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "reference/fast/floating_point.hpp"
#include "reference/formats/ulp.hpp"
#include "suites/core/bounds/interval.hpp"
#include "suites/core/diagnose/generic_hypotheses.hpp"

namespace halfmark::suites {
namespace {

using formats::Bits;
using formats::Tensor;

constexpr std::size_t kFewestWrong = 8;
constexpr std::size_t kMostWrong = 1u << 13;
constexpr std::size_t kFewestBits = 4;
constexpr std::size_t kWider = 4;

// Maps each wrong element to the element whose result it holds.
using Sources = std::map<std::size_t, std::size_t>;

class Neighbourhood {
 public:
  Neighbourhood(const Failed& failed, const std::string& output)
      : right_(failed.allowed, output),
        expected_(failed.allowed.expected.at(output)),
        got_(failed.actual.at(output)),
        extent_(extent_of(failed, output)) {}

  /// The element nearest to the middle, at most `reach` rows and columns away from it, whose right
  /// result element `index` holds.
  [[nodiscard]] std::optional<std::size_t> source(std::size_t index, std::size_t middle,
                                                  std::size_t reach) const {
    return source_of(got_.at(index), index, middle, reach);
  }

  /// Whether an element in the wider neighbourhood of `index` would also explain a result that is
  /// off by as much to the other side, as it would among results in order.
  [[nodiscard]] bool would_explain_mirrored(std::size_t index, std::size_t reach) const {
    const formats::Format& f = *expected_.format;
    const Bits right = expected_.at(index), got = got_.at(index);
    if (!formats::is_finite(f, right) || !formats::is_finite(f, got)) return false;
    const std::int64_t mirrored = 2 * formats::ordered(f, right) - formats::ordered(f, got);
    const auto size = static_cast<Bits>(std::abs(mirrored));
    return size <= formats::max_finite(f) &&
           source_of(formats::encode(f, mirrored < 0, size), index, index, kWider * reach)
               .has_value();
  }

  /// The element farthest from `index`, with wrap-around.
  [[nodiscard]] std::size_t opposite(std::size_t index) const {
    const std::size_t row = (index / extent_.columns + extent_.rows / 2) % extent_.rows;
    const std::size_t column = (index + extent_.columns / 2) % extent_.columns;
    return row * extent_.columns + column;
  }

 private:
  [[nodiscard]] std::optional<std::size_t> source_of(Bits value, std::size_t index,
                                                     std::size_t middle, std::size_t reach) const {
    std::optional<std::size_t> nearest;
    std::size_t distance = std::numeric_limits<std::size_t>::max();
    const std::size_t row = middle / extent_.columns;
    const std::size_t column = middle % extent_.columns;
    for (std::size_t r = least(row, reach); r < beyond(row, reach, extent_.rows); ++r) {
      for (std::size_t c = least(column, reach); c < beyond(column, reach, extent_.columns); ++c) {
        const std::size_t other = r * extent_.columns + c;
        const std::size_t steps = apart(r, row) + apart(c, column);
        if (other == index || steps >= distance || !right_(other, value)) continue;
        distance = steps;
        nearest = other;
      }
    }
    return nearest;
  }

  static std::size_t least(std::size_t place, std::size_t reach) {
    return place - std::min(place, reach);
  }
  static std::size_t beyond(std::size_t place, std::size_t reach, std::size_t extent) {
    return std::min(place + reach + 1, extent);
  }
  static std::size_t apart(std::size_t a, std::size_t b) { return a < b ? b - a : a - b; }

  Allowed right_;
  const Tensor& expected_;
  const Tensor& got_;
  Extent extent_;
};

// The sources of all wrong elements; nothing if one has no source, or if chance explains them as
// well: the surroundings of the opposite element would serve, or those of the element itself would
// serve for other wrong results.
std::optional<Sources> sources_within(const Neighbourhood& around,
                                      const std::vector<std::size_t>& wrong, std::size_t reach) {
  constexpr std::size_t kOneByChanceIn = 4;
  Sources sources;
  std::size_t by_chance = 0, mirrored = 0;
  for (const std::size_t index : wrong) {
    const std::optional<std::size_t> source = around.source(index, index, reach);
    if (!source) return std::nullopt;
    sources.emplace(index, *source);
    if (around.source(index, around.opposite(index), reach)) ++by_chance;
    if (around.would_explain_mirrored(index, reach)) ++mirrored;
  }
  const bool tells = std::max(by_chance, mirrored) * kOneByChanceIn <= wrong.size();
  return tells ? std::optional(sources) : std::nullopt;
}

Hypothesis scattered(const Failed& failed, const std::string& output, const Sources& sources,
                     std::size_t reach) {
  const auto change = [output, sources](TensorSet set) {
    const Tensor before = set.at(output);
    for (const auto& [index, source] : sources) set.at(output).set(index, before.at(source));
    return set;
  };
  return on_results(
      failed, fmt::format("{}-from-within-{}", output, reach), "layout",
      fmt::format("wrong elements of {} hold the results of others, at most {} row{} and column{} "
                  "away",
                  output, reach, reach == 1 ? "" : "s", reach == 1 ? "" : "s"),
      change);
}

// Results at or past a limit are off by this power of two.
struct Power {
  int power = 0;
  double limit = 0;
  bool above = true;

  [[nodiscard]] bool holds(double value) const {
    return above ? std::abs(value) >= limit : std::abs(value) <= limit;
  }
};

// The power of two between one result and the right one.
std::optional<int> power_between(double right, double got) {
  if (!(std::abs(right) > 0) || !std::isfinite(right) || !std::isfinite(got)) return std::nullopt;
  const double power = std::log2(std::abs(got / right));
  if (!std::isfinite(power) || std::signbit(got) != std::signbit(right)) return std::nullopt;
  return static_cast<int>(std::lround(power));
}

struct Sizes {
  double least = std::numeric_limits<double>::infinity(), greatest = 0;
  void take(double value) {
    least = std::min(least, std::abs(value));
    greatest = std::max(greatest, std::abs(value));
  }
};

// One power for all wrong results, and the magnitudes that it affects: above the greatest right
// result, or below the least.
std::optional<Power> power_of(const Failed& failed, const std::string& output) {
  const Tensor& expected = failed.allowed.expected.at(output);
  const Tensor& got = failed.actual.at(output);
  const std::vector<std::size_t>& wrong = failed.wrong.at(output);
  if (wrong.size() < kFewestWrong) return std::nullopt;
  const auto value = [](const Tensor& t, std::size_t i) { return value_of(*t.format, t.at(i)); };
  const std::optional<int> power =
      power_between(value(expected, wrong.front()), value(got, wrong.front()));
  if (!power || *power == 0) return std::nullopt;
  Sizes off;
  for (const std::size_t i : wrong) {
    if (power_between(value(expected, i), value(got, i)) != power) return std::nullopt;
    off.take(value(expected, i));
  }
  Sizes right;
  auto next = wrong.begin();
  for (std::size_t i = 0; i < expected.count(); ++i) {
    if (next != wrong.end() && *next == i) {
      ++next;
    } else if (std::isfinite(value(expected, i)) && value(expected, i) != 0) {
      right.take(value(expected, i));
    }
  }
  if (right.greatest == 0) return std::nullopt;  // a factor of all results
  if (right.greatest < off.least) return Power{*power, off.least, true};
  if (right.least > off.greatest) return Power{*power, off.greatest, false};
  return std::nullopt;
}

Tensor raised(const Tensor& tensor, const Tensor& expected, const Power& power) {
  const formats::Format& f = *tensor.format;
  Tensor changed = tensor;
  for (std::size_t i = 0; i < tensor.count(); ++i) {
    const double value = value_of(f, tensor.at(i));
    if (!std::isfinite(value) || value == 0 || !power.holds(value_of(f, expected.at(i)))) continue;
    changed.set(i, nearest(f, std::ldexp(value, power.power)));
  }
  return changed;
}

Hypothesis of_power(const Failed& failed, const std::string& output, const Power& power) {
  const auto change = [&failed, output, power](TensorSet set) {
    const fast::FloatingPointScope scope;
    set.at(output) = raised(set.at(output), failed.allowed.expected.at(output), power);
    return set;
  };
  return on_results(failed, fmt::format("{}-exponent-off-by-{}", output, power.power), "decode",
                    fmt::format("the exponent of results of {} and {} is off by {}", power.limit,
                                power.above ? "above" : "below", power.power),
                    change);
}

}  // namespace

std::vector<Hypothesis> scattered_results(const Failed& failed) {
  std::vector<Hypothesis> list;
  if (failed.wrong.size() != 1) return list;
  const auto& [output, wrong] = *failed.wrong.begin();
  if (wrong.size() < kFewestWrong || wrong.size() > kMostWrong) return list;
  if (are_numbers(failed)) {
    const fast::FloatingPointScope scope;
    if (const std::optional<Power> power = power_of(failed, output))
      list.push_back(of_power(failed, output, *power));
  }
  const Neighbourhood around(failed, output);
  std::set<Bits> values;
  for (const std::size_t index : wrong) values.insert(failed.actual.at(output).at(index));
  if (values.size() < kFewestBits) return list;
  for (const std::size_t reach : {1u, 2u, 4u, 8u}) {
    if (const std::optional<Sources> sources = sources_within(around, wrong, reach)) {
      list.push_back(scattered(failed, output, *sources, reach));
      break;
    }
  }
  return list;
}

}  // namespace halfmark::suites
