// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/contract_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "suites/core/execute/provider.hpp"
#include "suites/core/suite/suite.hpp"
#include "suites/registry.hpp"

namespace halfmark::tools {
namespace {

using suites::ContractRow;

// By row, and then by provider.
using Counts = std::map<std::string_view, std::map<std::string, std::size_t>>;

std::string_view who_is_bound(std::string_view provider) {
  if (provider == suites::kPortable) return "the device: Halfmark's kernel, built by its compiler";
  return suites::is_unit(provider) ? "the device's matrix unit" : "the library that is called";
}

Counts counted(const std::vector<suites::Case>& cases) {
  const backends::DeviceInfo device;
  Counts counts;
  for (const suites::Case& c : cases) {
    const suites::Suite& suite = suites::find_suite(c.suite);
    const auto problem = suite.bind(c);
    const std::string provider(c.word("provider"));
    ++counts[problem->row(device).id][provider];
    if (const auto relation = problem->relation()) ++counts[relation->row->id][provider];
  }
  return counts;
}

nlohmann::json bound_by(const ContractRow& row, const Counts& counts) {
  if (row.tier == suites::Tier::kModelled)
    return {"nobody: the arithmetic that probes found is a description and no promise"};
  nlohmann::json bound = nlohmann::json::array();
  const auto found = counts.find(row.id);
  if (found == counts.end()) return bound;
  for (const auto& [provider, count] : found->second) {
    const std::string_view words = who_is_bound(provider);
    if (std::find(bound.begin(), bound.end(), words) == bound.end()) bound.push_back(words);
  }
  return bound;
}

nlohmann::json to_json_object(const ContractRow& row, const Counts& counts) {
  nlohmann::json freedoms = nlohmann::json::object();
  for (const suites::Freedom& freedom : row.freedoms)
    freedoms[std::string(freedom.name)] = freedom.capability;
  nlohmann::json object = {{"id", row.id},
                           {"tier", name_of(row.tier)},
                           {"promise", row.promise},
                           {"source", row.source},
                           {"bound", bound_by(row, counts)},
                           {"bound_ulps", row.bound_ulps},
                           {"freedoms", std::move(freedoms)},
                           {"cases", nlohmann::json::object()}};
  if (const auto found = counts.find(row.id); found != counts.end())
    object["cases"] = found->second;
  return object;
}

// A row is printed as a heading and, below it, one line for each thing that it says.
std::string in_words(const nlohmann::json& row, std::string_view separator) {
  const auto text = [&](const char* key) { return row.at(key).get<std::string>(); };
  std::string words = fmt::format("{}{}  ({})\n  holds   {}\n  source  {}\n", separator, text("id"),
                                  text("tier"), text("promise"), text("source"));
  for (const nlohmann::json& who : row.at("bound"))
    words += fmt::format("  binds   {}\n", who.get<std::string>());
  for (const auto& [name, capability] : row.at("freedoms").items()) {
    words +=
        fmt::format("  unless  {}: '{}' is not offered\n", name, capability.get<std::string>());
  }
  std::string cases;
  for (const auto& [provider, count] : row.at("cases").items())
    cases += fmt::format("{}{} {}", cases.empty() ? "" : ", ", count.get<std::size_t>(), provider);
  return words + fmt::format("  cases   {}\n", cases.empty() ? "none of those selected" : cases);
}

}  // namespace

nlohmann::json contract_rows(const std::vector<std::string>& suite_names,
                             const std::vector<suites::Case>& cases) {
  const Counts counts = counted(cases);
  const auto is_selected = [&](const suites::Suite& suite) {
    return suite_names.empty() ||
           std::find(suite_names.begin(), suite_names.end(), suite.name) != suite_names.end();
  };
  nlohmann::json rows = nlohmann::json::array();
  for (const suites::Suite* suite : suites::all_suites()) {
    if (!is_selected(*suite)) continue;
    for (const ContractRow& row : suite->contract) rows.push_back(to_json_object(row, counts));
  }
  return rows;
}

std::string in_words(const nlohmann::json& rows) {
  std::string words;
  for (const nlohmann::json& row : rows) words += in_words(row, words.empty() ? "" : "\n");
  return words;
}

}  // namespace halfmark::tools
