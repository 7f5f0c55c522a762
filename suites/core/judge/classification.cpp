// SPDX-License-Identifier: Apache-2.0
#include "suites/core/judge/classification.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "suites/core/case/finding_classes.hpp"

namespace halfmark::suites {
namespace {

// A profile binds only a device that promises it. A device that says nothing about it has this
// freedom, while the other freedoms require the device's own answer.
constexpr std::string_view kProfile = "profile";
const backends::Promise& not_promised() {
  static const backends::Promise kNothing{
      .capability = std::string(kProfile),
      .offered = false,
      .evidence = "the device does not",
      .clause = "a profile asked for by name binds devices that promise it"};
  return kNothing;
}

}  // namespace

const backends::Promise* permission(std::string_view name, const ContractRow& row,
                                    const Promisor& promisor) {
  for (const Freedom& freedom : row.freedoms) {
    if (freedom.name != name) continue;
    const backends::Promise* promise =
        promisor.device.promise_of(promisor.library, freedom.capability);
    if (promise == nullptr && name == kProfile) return &not_promised();
    if (promise != nullptr && !promise->offered) return promise;
  }
  return nullptr;
}

namespace {

// Everywhere: digits that are lost in a part alone are a mistake of places. Where one result alone
// is right, only arithmetic that has a name loses them: a number of good bits fits a sum that
// misses an element, too.
bool loses_digits(const Explanation& e, Tier tier) {
  const FindingClass* of_class = find_class(e.finding_class);
  const bool has_name = tier != Tier::kExact || !e.is_generic;
  return !e.in_part && has_name && of_class != nullptr && of_class->needs == Needs::kAccuracy;
}

}  // namespace

std::optional<std::string> permission_of(const Explanation& e, const ContractRow& row,
                                         const Promisor& promisor) {
  std::vector<std::string> needed = e.freedoms;
  if (needed.empty() && loses_digits(e, row.tier)) needed.emplace_back("accuracy");
  if (needed.empty()) return std::nullopt;
  std::string permitted_by;
  for (const std::string& taken : needed) {
    const backends::Promise* promise = permission(taken, row, promisor);
    if (promise == nullptr) return std::nullopt;
    permitted_by += fmt::format("{}{} ({})", permitted_by.empty() ? "" : "; ", promise->clause,
                                promise->evidence);
  }
  return permitted_by;
}

Permits permits_of(const ContractRow& row, const Promisor& promisor) {
  return [&row, promisor](const Explanation& e) {
    return permission_of(e, row, promisor).has_value();
  };
}

namespace {

// Once more data were asked for, no class is a fact while explanations of several are left.
std::string class_of(const std::vector<const Explanation*>& exact, bool was_tested) {
  if (exact.empty()) return "unexplained";
  const bool agree = !was_tested || std::ranges::all_of(exact, [&](const Explanation* e) {
    return e->finding_class == exact.front()->finding_class;
  });
  return agree ? exact.front()->finding_class : "undecided";
}

std::string cause_in_words(const std::vector<const Explanation*>& exact) {
  if (exact.empty()) return "no named arithmetic explains them";
  if (exact.size() == 1) return exact.front()->sentence;
  constexpr std::size_t kMostNamed = 3;
  std::string words = "one of: ";
  for (std::size_t i = 0; i < std::min(exact.size(), kMostNamed); ++i)
    words += (i == 0 ? "" : "; ") + exact[i]->sentence;
  if (exact.size() > kMostNamed) words += fmt::format("; {} more", exact.size() - kMostNamed);
  return words;
}

}  // namespace

void decide_standing(CaseResult& result, const ContractRow& row, const Promisor& promisor) {
  const Permits permits = permits_of(row, promisor);
  std::vector<Explanation>& all = result.explanations;
  const auto open = std::ranges::find_if(
      all, [&](const Explanation& e) { return e.exact(result.mismatches) && permits(e); });
  const bool is_open = open != all.end();
  if (is_open) std::rotate(all.begin(), open, open + 1);
  std::vector<const Explanation*> exact;
  for (const Explanation& e : all) {
    if (e.exact(result.mismatches)) exact.push_back(&e);
  }
  result.finding_class = class_of(exact, result.experiments.has_value());
  result.standing = is_open ? Standing::kDeviation : Standing::kViolation;
  result.permitted_by = is_open ? *permission_of(all.front(), row, promisor) : "";
  result.reason = fmt::format("{} of {} elements differ: {}", result.mismatches, result.elements,
                              cause_in_words(exact));
}

}  // namespace halfmark::suites
