// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "reference/text/visible.hpp"
#include "suites/core/case/errors.hpp"
#include "suites/registry.hpp"

namespace halfmark::suites {
namespace {

std::string suite_names() {
  std::string names;
  for (const Suite* suite : all_suites())
    names += fmt::format("{}{}", names.empty() ? "" : ", ", suite->name);
  return names;
}

bool selected(const std::vector<std::string>& filters, const std::string& name) {
  if (filters.empty()) return true;
  return std::any_of(filters.begin(), filters.end(),
                     [&](const std::string& filter) { return matches_glob(filter, name); });
}

// Otherwise keeps the requested order.
std::vector<const Suite*> foremost_first(const std::vector<const Suite*>& chosen) {
  std::vector<const Suite*> ordered;
  for (const bool foremost : {true, false}) {
    std::ranges::copy_if(chosen, std::back_inserter(ordered),
                         [&](const Suite* suite) { return suite->foremost == foremost; });
  }
  return ordered;
}

}  // namespace

const Suite& find_suite(std::string_view name) {
  for (const Suite* suite : all_suites()) {
    if (suite->name == name) return *suite;
  }
  throw UsageError(fmt::format("there is no suite '{}'; choose from: {}", text::visible_line(name),
                               suite_names()));
}

Case parse_case(std::string_view name) {
  const Suite& suite = find_suite(name.substr(0, name.find('.')));
  return parse_case(suite.name, suite.axes, name);
}

std::vector<Case> select_cases(const Selection& selection) {
  std::vector<const Suite*> chosen;
  for (const std::string& name : selection.suites) chosen.push_back(&find_suite(name));
  if (chosen.empty()) chosen.assign(all_suites().begin(), all_suites().end());
  std::vector<Case> cases;
  std::uint64_t position = 0;
  for (const Suite* suite : foremost_first(chosen)) {
    for (Case& c : suite->cases(selection.level, selection.seed)) {
      if (!selected(selection.filters, print(c))) continue;
      // Round robin, so that each shard gets its share of the expensive cases.
      if (position++ % selection.shard_count == selection.shard_index - 1)
        cases.push_back(std::move(c));
    }
  }
  if (cases.empty()) {
    throw UsageError(fmt::format(
        "no case is selected at level {}; `halfmark list` shows the names that a filter or "
        "shard can pick from",
        name_of(selection.level)));
  }
  return cases;
}

std::vector<Case> cases_for(const backends::DeviceInfo& device, std::span<const Case> selected) {
  std::vector<Case> held;
  std::copy_if(selected.begin(), selected.end(), std::back_inserter(held), [&](const Case& c) {
    const Suite& suite = find_suite(c.suite);
    return suite.concerns == nullptr || suite.concerns(c, device);
  });
  if (held.empty()) held.assign(selected.begin(), selected.end());
  return held;
}

std::optional<Level> parse_level(std::string_view name) {
  for (const Level level : {Level::kSmoke, Level::kStandard, Level::kFull, Level::kExhaustive}) {
    if (name == name_of(level)) return level;
  }
  return std::nullopt;
}

}  // namespace halfmark::suites
