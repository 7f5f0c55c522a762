// SPDX-License-Identifier: Apache-2.0
#include "suites/core/judge/judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "reference/formats/classify.hpp"
#include "reference/formats/ulp.hpp"

namespace halfmark::suites {
namespace {

using formats::Bits;

constexpr std::size_t kFirstShown = 4;
constexpr std::size_t kWorstShown = 4;
constexpr std::size_t kKindsShown = 4;

bool same_element(const Mismatch& a, const Mismatch& b) {
  return a.tensor == b.tensor && a.index == b.index;
}

// Keeps the worst few, worst first. An earlier element wins a tie: the list is deterministic.
void keep_worst(std::vector<Mismatch>& worst, const Mismatch& candidate) {
  const auto place = std::find_if(worst.begin(), worst.end(),
                                  [&](const Mismatch& m) { return m.ulps < candidate.ulps; });
  worst.insert(place, candidate);
  if (worst.size() > kWorstShown) worst.pop_back();
}

// What is due and what came instead, such as a number and a NaN.
using Kind = std::pair<formats::Class, formats::Class>;

Kind kind_of(const formats::Format& f, const Mismatch& m) {
  return {formats::classify(f, m.expected), formats::classify(f, m.actual)};
}

// Of a kind that is not among the first and the worst ones, the first.
void keep_other_kinds(Comparison& comparison, const TensorSet& expected,
                      const std::map<Kind, Mismatch>& firsts) {
  const std::size_t most = comparison.shown.size() + kKindsShown;
  for (const auto& [kind, first] : firsts) {
    const bool known = std::ranges::any_of(comparison.shown, [&](const Mismatch& m) {
      return kind_of(*expected.at(m.tensor).format, m) == kind;
    });
    if (!known && comparison.shown.size() < most) comparison.shown.push_back(first);
  }
}

std::uint64_t distance(const formats::Format& f, Bits a, Bits b, bool are_integers) {
  if (!are_integers) return formats::ulp_distance(f, a, b);
  const std::int64_t x = integer_in(f, a), y = integer_in(f, b);
  return static_cast<std::uint64_t>(std::max(x, y)) - static_cast<std::uint64_t>(std::min(x, y));
}

bool same_shape(const formats::Tensor& a, const formats::Tensor& b) {
  return a.format == b.format && a.bytes.size() == b.bytes.size();
}

// Whether a kernel would pass that writes impostor(tensor, i) into every element i.
template <typename Impostor>
bool allowed_everywhere(const Allowance& all, Impostor impostor) {
  return std::all_of(all.expected.begin(), all.expected.end(), [&](const auto& entry) {
    const Allowed allowed(all, entry.first);
    for (std::size_t i = 0; i < entry.second.count(); ++i) {
      if (!allowed(i, impostor(entry.second, i))) return false;
    }
    return true;
  });
}

bool allows_copy(const Allowance& all, const formats::Tensor& input) {
  const bool fits = std::all_of(all.expected.begin(), all.expected.end(),
                                [&](const auto& entry) { return same_shape(entry.second, input); });
  return fits && allowed_everywhere(
                     all, [&](const formats::Tensor&, std::size_t i) { return input.at(i); });
}

// The output of a kernel that computes the right numbers and stores them in the wrong places.
struct Shuffle {
  std::string_view words;
  std::size_t (*source)(std::size_t i, std::size_t count);
};
constexpr Shuffle kShuffles[] = {
    {"its answer one place further", [](std::size_t i, std::size_t n) { return (i + 1) % n; }},
    {"its answer backwards", [](std::size_t i, std::size_t n) { return n - 1 - i; }},
    {"the halves of its answer exchanged",
     [](std::size_t i, std::size_t n) { return (i + n / 2) % n; }}};

// The number times 1 + 2^-8, and at least three encodings away: farther off than all results of a
// case may be at once.
Bits off_by_a_little(const formats::Format& f, Bits bits) {
  constexpr int kGoodBits = 8;
  constexpr Bits kLeast = 3;
  const Bits size = formats::magnitude(f, bits);
  if (!formats::is_finite(f, bits) || size == 0) return bits;
  const Bits significand = (size & f.fraction_mask()) | (f.fraction_mask() + 1);
  const Bits moved = size + std::max<Bits>(significand >> kGoodBits, kLeast);
  return (bits & f.sign_mask()) | std::min(moved, formats::max_finite(f));
}

// Why the bound is wider than the signal; empty if it is not, or if there is no bound.
std::string too_wide(const Allowance& all) {
  const bool bounded = all.enclosure != nullptr || all.bound_ulps > 0;
  bool numbers = false;  // zeros, infinities and NaN have no relative error
  const auto scaled = [&numbers](const formats::Tensor& t, std::size_t i) {
    const Bits moved = off_by_a_little(*t.format, t.at(i));
    numbers = numbers || moved != t.at(i);
    return moved;
  };
  return bounded && allowed_everywhere(all, scaled) && numbers
             ? "a kernel whose every result is wrong by 2^-8 would pass"
             : "";
}

}  // namespace

Allowed::Allowed(const Allowance& all, const std::string& name)
    : expected_(all.expected.at(name)),
      bound_ulps_(all.bound_ulps),
      holds_integers_(std::ranges::count(all.integers, name) > 0) {
  if (all.enclosure == nullptr) return;
  low_ = &all.enclosure->low.at(name);
  high_ = &all.enclosure->high.at(name);
  const auto steps = all.enclosure->steps.find(name);
  if (steps != all.enclosure->steps.end()) steps_ = &steps->second;
}

bool Allowed::operator()(std::size_t i, formats::Bits actual) const {
  const formats::Format& format = *expected_.format;
  if (holds_integers_) return expected_.at(i) == actual;
  if (low_ == nullptr) return agrees(format, expected_.at(i), actual, bound_ulps_);
  const formats::Bits low = low_->at(i);
  const formats::Bits high = high_->at(i);
  const bool or_nan = formats::is_nan(format, high) && !formats::is_nan(format, low);
  if (or_nan) return formats::is_nan(format, actual) || agrees(format, low, actual, 0);
  if (formats::is_nan(format, low) || formats::is_nan(format, actual)) {
    return formats::is_nan(format, low) && formats::is_nan(format, actual);
  }
  const std::int64_t place = formats::ordered(format, actual);
  const bool is_inside =
      formats::ordered(format, low) <= place && place <= formats::ordered(format, high);
  return is_inside && (steps_ == nullptr || !formats::is_finite(format, actual) ||
                       formats::is_multiple(format, actual, steps_->at(i)));
}

std::int64_t integer_in(const formats::Format& format, formats::Bits bits) {
  const int unused = 64 - 8 * static_cast<int>(format.storage_bytes());
  return static_cast<std::int64_t>(bits << unused) >> unused;
}

bool agrees(const formats::Format& format, formats::Bits expected, formats::Bits actual,
            std::uint64_t bound_ulps) {
  if (expected == actual) return true;
  const bool expected_nan = formats::is_nan(format, expected);
  const bool actual_nan = formats::is_nan(format, actual);
  if (expected_nan || actual_nan) return expected_nan && actual_nan;
  return bound_ulps > 0 && formats::ulp_distance(format, expected, actual) <= bound_ulps;
}

Comparison compare(const Allowance& all, const TensorSet& actual) {
  Comparison comparison;
  std::vector<Mismatch> worst;
  std::map<Kind, Mismatch> firsts;
  for (const auto& [name, tensor] : all.expected) {
    const formats::Tensor& got = actual.at(name);
    const Allowed allowed(all, name);
    comparison.elements += tensor.count();
    if (all.enclosure == nullptr && tensor.has_bytes_of(got)) continue;
    for (std::size_t i = 0; i < tensor.count(); ++i) {
      const formats::Bits got_bits = got.at(i);
      if (allowed(i, got_bits)) continue;
      ++comparison.mismatches;
      comparison.wrong[name].push_back(i);
      const formats::Bits want_bits = tensor.at(i);
      const Mismatch mismatch{
          .tensor = name,
          .index = i,
          .expected = want_bits,
          .actual = got_bits,
          .ulps = distance(*tensor.format, want_bits, got_bits, allowed.holds_integers())};
      if (comparison.shown.size() < kFirstShown) comparison.shown.push_back(mismatch);
      keep_worst(worst, mismatch);
      firsts.try_emplace(kind_of(*tensor.format, mismatch), mismatch);
    }
  }
  for (const Mismatch& m : worst) {
    const bool known = std::any_of(comparison.shown.begin(), comparison.shown.end(),
                                   [&](const Mismatch& s) { return same_element(s, m); });
    if (!known) comparison.shown.push_back(m);
  }
  keep_other_kinds(comparison, all.expected, firsts);
  return comparison;
}

std::string unearned(const TensorSet& inputs, const Allowance& all) {
  const auto zero = [](const formats::Tensor&, std::size_t) { return formats::Bits{0}; };
  const auto first = [](const formats::Tensor& t, std::size_t) { return t.at(0); };
  // Empty operands have a single answer: the only possible fault is not to write it, which the
  // poison detects.
  const auto is_empty = [](const auto& entry) { return entry.second.count() == 0; };
  if (!inputs.empty() && std::all_of(inputs.begin(), inputs.end(), is_empty)) return "";
  if (allowed_everywhere(all, zero)) return "a kernel that writes zeros would pass";
  for (const auto& [name, tensor] : inputs) {
    if (allows_copy(all, tensor)) {
      return fmt::format("a kernel that copies its input '{}' would pass", name);
    }
  }
  const bool several = std::any_of(all.expected.begin(), all.expected.end(),
                                   [](const auto& entry) { return entry.second.count() > 1; });
  if (several && allowed_everywhere(all, first)) {
    return "a kernel that writes one constant would pass";
  }
  for (const Shuffle& shuffle : kShuffles) {
    // An output that a shuffle leaves unchanged is the right output; the question is whether wrong
    // numbers would pass.
    bool wrong = false;
    const auto shuffled = [&](const formats::Tensor& t, std::size_t i) {
      const formats::Bits bits = t.at(shuffle.source(i, t.count()));
      wrong = wrong || bits != t.at(i);
      return bits;
    };
    if (allowed_everywhere(all, shuffled) && wrong)
      return fmt::format("a kernel that writes {} would pass", shuffle.words);
  }
  return too_wide(all);
}

}  // namespace halfmark::suites
