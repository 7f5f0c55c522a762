// SPDX-License-Identifier: Apache-2.0
// Results in the wrong places: every wrong element holds the right result of another one. The
// places show which rule moved it: a constant distance in rows or columns, neighbours at a power of
// two exchanged, or an index truncated to its lower part. Reported only if the values differ so
// much that chance is an unlikely explanation.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "suites/core/diagnose/generic_hypotheses.hpp"

namespace halfmark::suites {
namespace {

using formats::Tensor;

// Fewer distinct values may appear in other places by chance.
constexpr std::size_t kFewestValues = 4;
constexpr std::size_t kFarthest = 64;

// A rule that replaces the number of a row or column by another; nothing if the rule does not apply
// to it.
struct Rule {
  std::string name;
  FindingClassName finding_class;
  std::string words;
  std::function<std::optional<std::size_t>(std::size_t place, std::size_t extent)> source;
};

void add_distances(std::vector<Rule>& rules, std::size_t extent) {
  for (std::size_t d = 1; d <= std::min(kFarthest, extent - 1); ++d) {
    rules.push_back(
        {fmt::format("{}-before", d), "layout", fmt::format("{} before", d),
         [d](std::size_t x, std::size_t) { return x < d ? std::nullopt : std::optional(x - d); }});
    rules.push_back({fmt::format("{}-behind", d), "layout", fmt::format("{} behind", d),
                     [d](std::size_t x, std::size_t n) {
                       return x + d >= n ? std::nullopt : std::optional(x + d);
                     }});
  }
}

void add_cuts(std::vector<Rule>& rules, std::size_t extent, std::size_t first_wrong) {
  // The first wrong place is where a limit would be past which nothing is right.
  std::vector<std::size_t> limits;
  if (first_wrong > 1) limits.push_back(first_wrong);
  for (std::size_t limit = 2; limit < extent; limit *= 2) {
    if (limit != first_wrong) limits.push_back(limit);
  }
  for (const std::size_t limit : limits) {
    rules.push_back({fmt::format("modulo-{}", limit), "index_ovf",
                     fmt::format("whose number is the same modulo {}", limit),
                     [limit](std::size_t x, std::size_t) { return std::optional(x % limit); }});
    if (!std::has_single_bit(limit)) continue;
    rules.push_back({fmt::format("exchanged-by-{}", limit), "layout",
                     fmt::format("across a border of {}: neighbours are exchanged", limit),
                     [limit](std::size_t x, std::size_t n) {
                       const std::size_t other = x ^ limit;
                       return other < n ? std::optional(other) : std::nullopt;
                     }});
  }
}

std::vector<Rule> rules_of(std::size_t extent, std::size_t first_wrong) {
  std::vector<Rule> rules;
  if (extent < 2) return rules;
  add_cuts(rules, extent, first_wrong);
  add_distances(rules, extent);
  return rules;
}

enum class Along { kRows, kColumns };

// The element whose result element `index` holds; itself if the rule does not apply to it.
std::size_t source_of(const Rule& rule, Along axis, const Extent& extent, std::size_t index) {
  const std::size_t row = index / extent.columns;
  const std::size_t column = index % extent.columns;
  if (axis == Along::kRows) {
    const auto other = rule.source(row, extent.rows);
    return other ? *other * extent.columns + column : index;
  }
  const auto other = rule.source(column, extent.columns);
  return other ? row * extent.columns + *other : index;
}

bool holds(const Failed& failed, const std::string& output, const Rule& rule, Along axis) {
  const Allowed right(failed.allowed, output);
  const Tensor& got = failed.actual.at(output);
  const Extent extent = extent_of(failed, output);
  const std::vector<std::size_t>& wrong = failed.wrong.at(output);
  return std::all_of(wrong.begin(), wrong.end(), [&](std::size_t index) {
    const std::size_t source = source_of(rule, axis, extent, index);
    return source != index && right(source, got.at(index));
  });
}

Tensor moved(const Tensor& tensor, const Rule& rule, Along axis, const Extent& extent) {
  Tensor changed = tensor;
  for (std::size_t i = 0; i < tensor.count(); ++i)
    changed.set(i, tensor.at(source_of(rule, axis, extent, i)));
  return changed;
}

Hypothesis displaced(const Failed& failed, const std::string& output, const Rule& rule,
                     Along axis) {
  const bool rows = axis == Along::kRows;
  const Extent extent = extent_of(failed, output);
  const auto change = [output, rule, axis, extent](TensorSet set) {
    set.at(output) = moved(set.at(output), rule, axis, extent);
    return set;
  };
  const std::string_view word = rows ? "row" : extent.rows == 1 ? "element" : "column";
  return on_results(failed, fmt::format("{}-of-{}-{}", word, output, rule.name), rule.finding_class,
                    fmt::format("{}s of {} hold the results of those {}", word, output, rule.words),
                    change);
}

bool has_many_values(const Tensor& got, const std::vector<std::size_t>& wrong) {
  std::set<formats::Bits> values;
  for (const std::size_t index : wrong) {
    values.insert(got.at(index));
    if (values.size() >= kFewestValues) return true;
  }
  return false;
}

}  // namespace

std::vector<Hypothesis> displaced_results(const Failed& failed) {
  std::vector<Hypothesis> list;
  if (failed.wrong.size() != 1) return list;
  const auto& [output, wrong] = *failed.wrong.begin();
  if (!has_many_values(failed.actual.at(output), wrong)) return list;
  const Extent extent = extent_of(failed, output);
  const auto least_column = std::min_element(
      wrong.begin(), wrong.end(),
      [&](std::size_t a, std::size_t b) { return a % extent.columns < b % extent.columns; });
  for (const Along axis : {Along::kRows, Along::kColumns}) {
    const bool rows = axis == Along::kRows;
    const std::size_t first =
        rows ? wrong.front() / extent.columns : *least_column % extent.columns;
    for (const Rule& rule : rules_of(rows ? extent.rows : extent.columns, first)) {
      if (holds(failed, output, rule, axis)) list.push_back(displaced(failed, output, rule, axis));
    }
  }
  return list;
}

}  // namespace halfmark::suites
