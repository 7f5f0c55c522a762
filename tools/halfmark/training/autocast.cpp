// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/training/autocast.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "reference/text/visible.hpp"
#include "suites/core/case/errors.hpp"
#include "tools/halfmark/training/operators.hpp"

namespace halfmark::tools {
namespace {

using nlohmann::json;
using suites::UsageError;

std::vector<const CastProfile*> profiles_of(const AutocastOptions& options) {
  if (!options.profile.empty()) return {&known_cast_profile(options.profile)};
  std::vector<const CastProfile*> all;
  for (const CastProfile& profile : cast_profiles()) all.push_back(&profile);
  return all;
}

// Every name once, those of rows first.
std::vector<std::string> names_of(const AutocastOptions& options,
                                  const std::vector<const CastProfile*>& profiles) {
  for (const std::string& name : options.operators) {
    if (is_known_operator(name)) continue;
    throw UsageError(
        fmt::format("there is no operator '{}' on a list or in a suite; `halfmark ref autocast "
                    "--profile {}` lists them",
                    text::visible_line(name), profiles.front()->name));
  }
  if (!options.operators.empty()) return options.operators;
  std::vector<std::string> names;
  if (options.profile.empty()) {
    for (const OperatorRow& row : operator_rows()) {
      if (!row.suite.empty()) names.emplace_back(row.name);
    }
    return names;
  }
  for (const CastList& list : profiles.front()->lists)
    names.insert(names.end(), list.operators.begin(), list.operators.end());
  return names;
}

std::string asserted_by(std::string_view name) {
  const OperatorRow* row = find_operator(name);
  if (row == nullptr || row->suite.empty()) return "-";
  return row->operation.empty() ? std::string(row->suite)
                                : fmt::format("{}: {}", row->suite, row->operation);
}

void print_legend(const std::vector<const CastProfile*>& profiles, std::ostream& out) {
  fmt::print(out, "\n");
  for (const Cast cast : kAllCasts) {
    const bool occurs = std::any_of(profiles.begin(), profiles.end(), [&](const CastProfile* p) {
      return p->unlisted == cast ||
             std::any_of(p->lists.begin(), p->lists.end(),
                         [&](const CastList& list) { return list.cast == cast; });
    });
    if (occurs) fmt::print(out, "{:<15} {}\n", word_of(cast), meaning_of(cast));
  }
  fmt::print(out, "\n");
  for (const CastProfile* profile : profiles)
    fmt::print(out, "{:<15} narrows to {}; {}\n", profile->name, fmt::join(profile->narrow, " or "),
               profile->source);
}

json as_json(const std::vector<std::string>& names,
             const std::vector<const CastProfile*>& profiles) {
  json list = json::array(), sources = json::object();
  for (const std::string& name : names) {
    json row = {{"operator", name}, {"casts", json::object()}};
    for (const CastProfile* profile : profiles)
      row["casts"][std::string(profile->name)] = word_of(cast_in(*profile, name));
    const OperatorRow* known = find_operator(name);
    row["suite"] = known == nullptr || known->suite.empty() ? json() : json(known->suite);
    row["operation"] =
        known == nullptr || known->operation.empty() ? json() : json(known->operation);
    list.push_back(std::move(row));
  }
  for (const CastProfile* profile : profiles)
    sources[std::string(profile->name)] = {{"narrow", profile->narrow},
                                           {"unlisted", word_of(profile->unlisted)},
                                           {"source", profile->source}};
  return {{"operators", std::move(list)}, {"profiles", std::move(sources)}};
}

}  // namespace

void list_casts(const AutocastOptions& options, std::ostream& out) {
  const std::vector<const CastProfile*> profiles = profiles_of(options);
  const std::vector<std::string> names = names_of(options, profiles);
  if (options.as_json) {
    fmt::print(out, "{}\n", as_json(names, profiles).dump(2));
    return;
  }
  std::size_t width = std::size("operator");
  for (const std::string& name : names) width = std::max(width, name.size() + 1);
  fmt::print(out, "{:<{}}", "operator", width);
  for (const CastProfile* profile : profiles) fmt::print(out, " {:<14}", profile->name);
  fmt::print(out, " asserted by\n");
  for (const std::string& name : names) {
    fmt::print(out, "{:<{}}", name, width);
    for (const CastProfile* profile : profiles)
      fmt::print(out, " {:<14}", word_of(cast_in(*profile, name)));
    fmt::print(out, " {}\n", asserted_by(name));
  }
  print_legend(profiles, out);
}

}  // namespace halfmark::tools
