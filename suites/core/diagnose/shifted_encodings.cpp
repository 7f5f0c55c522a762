// SPDX-License-Identifier: Apache-2.0
// Results that are a few encodings too large or too small, in all binades or in some (a table of a
// function with a wrong entry, an exponent that is treated separately), or below the normal range.
// Decides how much of a binade must be seen before it counts as shifted, and what is known of
// results below the normal range that are one place too near zero.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "reference/formats/classify.hpp"
#include "suites/core/diagnose/generic_hypotheses.hpp"

namespace halfmark::suites {
namespace {

using formats::Bits;
using formats::Format;
using formats::Tensor;

constexpr std::int64_t kMostSteps = 16;
constexpr std::size_t kFewestWrong = 8;

// The exponent of a number's binade; zeros and subnormals share that of the least normal number.
int binade_of(const Format& f, Bits bits) {
  return std::max(formats::exponent_field(f, bits), 1) - f.bias;
}

// How many encodings `got` is larger than `right` in magnitude; nothing across signs or for other
// than numbers.
std::optional<std::int64_t> steps_between(const Format& f, Bits right, Bits got) {
  if (!formats::is_finite(f, right) || formats::is_nan(f, got)) return std::nullopt;
  if (formats::sign(f, right) != formats::sign(f, got)) return std::nullopt;
  return static_cast<std::int64_t>(formats::magnitude(f, got)) -
         static_cast<std::int64_t>(formats::magnitude(f, right));
}

// The sign with which a step counts: upward in magnitude, or upward in value.
int direction(const Format& f, Bits bits, bool by_value) {
  return by_value && formats::sign(f, bits) ? -1 : 1;
}

// The binades whose results are all off by `steps`, and none of the others.
struct Shift {
  std::int64_t steps = 0;
  bool by_value = false;
  std::map<int, bool> is_shifted;  // for each binade that was seen
};

// Nothing if the wrong results of a binade differ in their distance, or if a binade has right
// results as well.
std::optional<Shift> shift_of(const Tensor& expected, const Tensor& got, bool by_value,
                              std::int64_t steps) {
  constexpr std::size_t kFewestInBinade = 4;
  const Format& f = *expected.format;
  Shift shift{.steps = steps, .by_value = by_value, .is_shifted = {}};
  std::map<int, std::size_t> seen;
  for (std::size_t i = 0; i < expected.count(); ++i) {
    const Bits right = expected.at(i);
    if (!formats::is_finite(f, right)) {
      if (!agrees(f, right, got.at(i), 0)) return std::nullopt;
      continue;
    }
    if (formats::is_zero(f, right) && right == got.at(i)) continue;  // exact, mostly
    const auto off = steps_between(f, right, got.at(i));
    if (!off || (*off != 0 && *off != steps * direction(f, right, by_value))) return std::nullopt;
    const auto [binade, is_new] = shift.is_shifted.emplace(binade_of(f, right), *off != 0);
    if (!is_new && binade->second != (*off != 0)) return std::nullopt;
    ++seen[binade->first];
  }
  std::size_t shifted = 0, elements = 0;
  for (const auto& [binade, is_shifted] : shift.is_shifted) {
    if (!is_shifted) continue;
    ++shifted;
    elements += seen.at(binade);
  }
  if (elements < kFewestInBinade * shifted) return std::nullopt;
  return shift;
}

// Runs of shifted binades; a binade without results belongs to the runs on both sides of it.
std::vector<std::pair<int, int>> runs_of(const Shift& shift) {
  std::vector<std::pair<int, int>> runs;
  bool is_open = false;
  for (const auto& [binade, is_shifted] : shift.is_shifted) {
    if (is_shifted && is_open) runs.back().second = binade;
    if (is_shifted && !is_open) runs.emplace_back(binade, binade);
    is_open = is_shifted;
  }
  return runs;
}

std::string binades_in(const Shift& shift, std::string_view to, std::string_view next) {
  std::string words;
  for (const auto& [first, last] : runs_of(shift)) {
    if (!words.empty()) words += next;
    words +=
        first == last ? fmt::format("2^{}", first) : fmt::format("2^{}{}2^{}", first, to, last);
  }
  return words;
}

Tensor shifted(const Tensor& tensor, const Tensor& expected, const Shift& shift) {
  const Format& f = *tensor.format;
  Tensor changed = tensor;
  for (std::size_t i = 0; i < tensor.count(); ++i) {
    const Bits right = expected.at(i);
    if (!formats::is_finite(f, right)) continue;
    const auto binade = shift.is_shifted.find(binade_of(f, right));
    if (binade == shift.is_shifted.end() || !binade->second) continue;
    const std::int64_t steps = shift.steps * direction(f, right, shift.by_value);
    const auto size = static_cast<std::int64_t>(formats::magnitude(f, tensor.at(i))) + steps;
    if (formats::is_zero(f, right) || size < 0) continue;
    changed.set(i, formats::encode(f, formats::sign(f, right), static_cast<Bits>(size)));
  }
  return changed;
}

Hypothesis of_shift(const Failed& failed, const std::string& output, const Shift& shift) {
  const bool is_everywhere =
      std::ranges::all_of(shift.is_shifted, [](const auto& binade) { return binade.second; });
  const std::int64_t count = std::abs(shift.steps);
  const std::string_view direction = shift.by_value ? (shift.steps > 0 ? "above" : "below")
                                                    : (shift.steps > 0 ? "larger" : "smaller");
  std::string name = fmt::format("{}-{}-ulp-{}", output, count, direction);
  std::string words = fmt::format("results in {} are {} ulp {}", output, count,
                                  shift.by_value ? fmt::format("{} the right ones", direction)
                                                 : fmt::format("{} in magnitude", direction));
  if (!is_everywhere) {
    name += fmt::format("-in-binades-{}", binades_in(shift, "-to-", "-and-"));
    words += fmt::format(", exactly those in the binades of {}", binades_in(shift, " to ", ", "));
  }
  const auto change = [&failed, output, shift](TensorSet set) {
    set.at(output) = shifted(set.at(output), failed.allowed.expected.at(output), shift);
    return set;
  };
  return on_results(failed, std::move(name), "rounding", std::move(words), change);
}

bool is_below_normal(const Format& f, Bits bits) {
  return formats::is_finite(f, bits) && formats::magnitude(f, bits) < formats::min_normal(f);
}

// Whether every wrong result lies below the normal range, one place nearer to zero than allowed.
bool are_too_near_zero(const Failed& failed) {
  if (failed.wrong.size() != 1 || failed.wrong.begin()->second.size() < kFewestWrong) return false;
  const auto& [output, wrong] = *failed.wrong.begin();
  const Enclosure* all = failed.allowed.enclosure;
  const Tensor& low = (all == nullptr ? failed.allowed.expected : all->low).at(output);
  const Tensor& high = (all == nullptr ? failed.allowed.expected : all->high).at(output);
  const Tensor& actual = failed.actual.at(output);
  const Format& f = *actual.format;
  return std::ranges::all_of(wrong, [&](std::size_t i) {
    const Bits nearer =
        std::min(formats::magnitude(f, low.at(i)), formats::magnitude(f, high.at(i)));
    return is_below_normal(f, actual.at(i)) && formats::magnitude(f, actual.at(i)) + 1 == nearer;
  });
}

// Evaluated with another machine, so that right results can contradict it.
Hypothesis cutting_conversions(const Failed& failed) {
  return {.name = "cut-subnormals",
          .finding_class = "cvt_round",
          .sentence = "conversions round results below the normal range toward zero",
          .evaluate = [&failed](const Case&, const TensorSet& inputs) -> Expectation {
            models::Machine machine;
            machine.convert.rounding = soft::Rounding::kTowardZero;
            const TensorSet cut = failed.problem.expect(inputs, machine).middle;
            TensorSet set = failed.allowed.expected;
            for (auto& [name, tensor] : set) {
              const Tensor& results = cut.at(name);
              for (std::size_t i = 0; i < tensor.count(); ++i) {
                if (is_below_normal(*tensor.format, results.at(i))) tensor.set(i, results.at(i));
              }
            }
            return set;
          }};
}

// Whatever made them so. From the right results alone nobody knows which of them a truncation would
// have left as they are, so that this is an observation, and no explanation.
Hypothesis too_near_zero(const Failed& failed) {
  const auto end_of = [&failed](bool up) {
    const Enclosure* all = failed.allowed.enclosure;
    TensorSet set = all == nullptr ? failed.allowed.expected : (up ? all->high : all->low);
    for (auto& [name, tensor] : set) {
      const Format& f = *tensor.format;
      for (std::size_t i = 0; i < tensor.count(); ++i) {
        const Bits end = tensor.at(i);
        const bool is_inner = formats::sign(f, end) == up && !formats::is_zero(f, end);
        if (is_inner && formats::magnitude(f, end) <= formats::min_normal(f))
          tensor.set(i, end - 1);
      }
    }
    return set;
  };
  return {.name = "subnormals-too-near-zero",
          .finding_class = "unexplained",
          .sentence = "some results below the normal range are one place too near zero",
          .evaluate = [&failed, end_of](const Case&, const TensorSet&) {
            return Expectation{failed.allowed.expected, Enclosure{end_of(false), end_of(true)}};
          }};
}

}  // namespace

std::vector<Hypothesis> cut_subnormals(const Failed& failed) {
  std::vector<Hypothesis> list;
  if (!are_numbers(failed) || !are_too_near_zero(failed)) return list;
  if (failed.problem.follows_machine()) list.push_back(cutting_conversions(failed));
  list.push_back(too_near_zero(failed));
  return list;
}

std::vector<Hypothesis> shifted_results(const Failed& failed) {
  std::vector<Hypothesis> list;
  if (failed.wrong.size() != 1 || failed.allowed.enclosure != nullptr || !are_numbers(failed))
    return list;
  const auto& [output, wrong] = *failed.wrong.begin();
  if (wrong.size() < kFewestWrong || failed.allowed.bound_ulps != 0) return list;
  const Tensor& expected = failed.allowed.expected.at(output);
  const Tensor& got = failed.actual.at(output);
  const Bits right = expected.at(wrong.front());
  const auto off = steps_between(*expected.format, right, got.at(wrong.front()));
  if (!off || *off == 0 || std::abs(*off) > kMostSteps) return list;
  for (const bool by_value : {false, true}) {
    const std::int64_t steps = *off * direction(*expected.format, right, by_value);
    if (const auto shift = shift_of(expected, got, by_value, steps))
      list.push_back(of_shift(failed, output, *shift));
  }
  return list;
}

}  // namespace halfmark::suites
