// SPDX-License-Identifier: Apache-2.0
#include "suites/runner/timed_sizes.hpp"

#include <fmt/format.h>

#include <set>

#include "suites/registry.hpp"
#include "suites/throughput/autocast.hpp"
#include "suites/throughput/sizes.hpp"
#include "suites/throughput/targets.hpp"

namespace halfmark::suites {
namespace {

using throughput::kAutocast;

// The case of a name, and what precedes it.
struct Parts {
  std::string casts, passed;
};

Parts parts_of(const std::string& name) {
  if (!name.starts_with(kAutocast)) return {.casts = {}, .passed = name};
  return {.casts = std::string(kAutocast), .passed = name.substr(kAutocast.size())};
}

// Rows are named without seeds.
std::string row_name(const Parts& parts, const Case& c) { return parts.casts + print_seedless(c); }

// The group of rows that are compared with each other, whatever their formats, and must have the
// same sizes: products of one layout, and rows of one width. Nothing for chains and streams, which
// are compared by rate and not by time.
std::string peers_of(const Case& c) {
  const throughput::Labels labels = throughput::labels_of(c);
  if (labels.shape_class == "chain" || c.suite == "rates") return {};
  const std::string part = c.suite == "gemm" ? std::string(c.word("layout"))
                                             : fmt::format("n{}", c.number("shape", 'n'));
  return fmt::format("{} {} {} {}", throughput::find_target(c)->operation, labels.provider,
                     labels.fill, part);
}

// Of each set of peers.
std::map<std::string, Case> largest_of(const std::map<std::string, Case>& grown) {
  std::map<std::string, Case> largest;
  for (const auto& [passed, larger] : grown) {
    const std::string peers = peers_of(parse_case(passed));
    if (peers.empty()) continue;
    Case& most = largest.try_emplace(peers, larger).first->second;
    if (throughput::elements_of_work(larger) > throughput::elements_of_work(most)) most = larger;
  }
  return largest;
}

}  // namespace

std::vector<Timed> timed_sizes(const std::vector<std::string>& names,
                               const std::map<std::string, Case>& grown) {
  const std::map<std::string, Case> largest = largest_of(grown);
  std::set<std::string> taken;
  for (const std::string& name : names) {
    const Parts parts = parts_of(name);
    if (!grown.contains(parts.passed)) taken.insert(row_name(parts, parse_case(parts.passed)));
  }
  std::vector<Timed> list;
  for (const std::string& name : names) {
    const Parts parts = parts_of(name);
    const auto found = grown.find(parts.passed);
    if (found == grown.end()) {
      list.push_back({.name = name, .passed = parts.passed});
      continue;
    }
    const auto peers = largest.find(peers_of(parse_case(parts.passed)));
    const Case c = peers == largest.end() ? found->second
                                          : throughput::as_large_as(found->second, peers->second);
    if (taken.insert(row_name(parts, c)).second)
      list.push_back({.name = parts.casts + print(c), .passed = parts.passed});
  }
  return list;
}

}  // namespace halfmark::suites
