// SPDX-License-Identifier: Apache-2.0
#include "suites/core/judge.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reference/formats/classify.hpp"
#include "reference/formats/ulp.hpp"

namespace halfmark::suites {
namespace {

constexpr std::size_t kFirstShown = 4;
constexpr std::size_t kWorstShown = 4;

bool same_element(const Mismatch& a, const Mismatch& b) {
  return a.tensor == b.tensor && a.index == b.index;
}

// Keeps the worst few, worst first; an earlier element wins a tie, so that the list is
// deterministic.
void keep_worst(std::vector<Mismatch>& worst, const Mismatch& candidate) {
  const auto place = std::find_if(worst.begin(), worst.end(),
                                  [&](const Mismatch& m) { return m.ulps < candidate.ulps; });
  worst.insert(place, candidate);
  if (worst.size() > kWorstShown) worst.pop_back();
}

bool same_shape(const formats::Tensor& a, const formats::Tensor& b) {
  return a.format == b.format && a.bytes.size() == b.bytes.size();
}

bool agrees_everywhere(const TensorSet& expected, std::uint64_t bound_ulps,
                       formats::Bits (*impostor)(const formats::Tensor&, std::size_t)) {
  for (const auto& [name, tensor] : expected) {
    for (std::size_t i = 0; i < tensor.count(); ++i) {
      if (!agrees(*tensor.format, tensor.at(i), impostor(tensor, i), bound_ulps)) return false;
    }
  }
  return true;
}

bool agrees_everywhere(const TensorSet& expected, std::uint64_t bound_ulps,
                       const formats::Tensor& impostor) {
  return std::all_of(expected.begin(), expected.end(), [&](const auto& entry) {
    const formats::Tensor& tensor = entry.second;
    if (!same_shape(tensor, impostor)) return false;
    for (std::size_t i = 0; i < tensor.count(); ++i) {
      if (!agrees(*tensor.format, tensor.at(i), impostor.at(i), bound_ulps)) return false;
    }
    return true;
  });
}

}  // namespace

bool agrees(const formats::Format& format, formats::Bits expected, formats::Bits actual,
            std::uint64_t bound_ulps) {
  if (expected == actual) return true;
  const bool expected_nan = formats::is_nan(format, expected);
  const bool actual_nan = formats::is_nan(format, actual);
  if (expected_nan || actual_nan) return expected_nan && actual_nan;
  return bound_ulps > 0 && formats::ulp_distance(format, expected, actual) <= bound_ulps;
}

Comparison compare(const TensorSet& expected, const TensorSet& actual, std::uint64_t bound_ulps) {
  Comparison comparison;
  std::vector<Mismatch> worst;
  for (const auto& [name, tensor] : expected) {
    const formats::Tensor& got = actual.at(name);
    comparison.elements += tensor.count();
    if (tensor.bytes == got.bytes) continue;
    for (std::size_t i = 0; i < tensor.count(); ++i) {
      const formats::Bits want_bits = tensor.at(i);
      const formats::Bits got_bits = got.at(i);
      if (agrees(*tensor.format, want_bits, got_bits, bound_ulps)) continue;
      ++comparison.mismatches;
      const Mismatch mismatch{.tensor = name,
                              .index = i,
                              .expected = want_bits,
                              .actual = got_bits,
                              .ulps = formats::ulp_distance(*tensor.format, want_bits, got_bits)};
      if (comparison.shown.size() < kFirstShown) comparison.shown.push_back(mismatch);
      keep_worst(worst, mismatch);
    }
  }
  for (const Mismatch& m : worst) {
    const bool known = std::any_of(comparison.shown.begin(), comparison.shown.end(),
                                   [&](const Mismatch& s) { return same_element(s, m); });
    if (!known) comparison.shown.push_back(m);
  }
  return comparison;
}

std::string unearned(const TensorSet& inputs, const TensorSet& expected, std::uint64_t bound_ulps) {
  const auto zero = [](const formats::Tensor&, std::size_t) { return formats::Bits{0}; };
  const auto first = [](const formats::Tensor& t, std::size_t) { return t.at(0); };
  if (agrees_everywhere(expected, bound_ulps, zero)) return "a kernel that writes zeros would pass";
  for (const auto& [name, tensor] : inputs) {
    if (agrees_everywhere(expected, bound_ulps, tensor)) {
      return fmt::format("a kernel that copies its input '{}' would pass", name);
    }
  }
  const bool several = std::any_of(expected.begin(), expected.end(),
                                   [](const auto& entry) { return entry.second.count() > 1; });
  if (several && agrees_everywhere(expected, bound_ulps, first)) {
    return "a kernel that writes one constant would pass";
  }
  return {};
}

}  // namespace halfmark::suites
