// SPDX-License-Identifier: Apache-2.0
#include "suites/core/judge/classification.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

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
                                    const backends::DeviceInfo& device) {
  for (const Freedom& freedom : row.freedoms) {
    if (freedom.name != name) continue;
    const backends::Promise* promise = device.promise(freedom.capability);
    if (promise == nullptr && name == kProfile) return &not_promised();
    if (promise != nullptr && !promise->offered) return promise;
  }
  return nullptr;
}

void decide_standing(CaseResult& result, const ContractRow& row,
                     const backends::DeviceInfo& device) {
  const auto exact = std::find_if(result.explanations.begin(), result.explanations.end(),
                                  [&](const Explanation& e) { return e.exact(result.mismatches); });
  const bool explained = exact != result.explanations.end();
  result.finding_class = explained ? exact->finding_class : "unexplained";
  result.standing = Standing::kViolation;
  const std::string_view because =
      explained ? std::string_view(exact->sentence) : "no named arithmetic explains them";
  result.reason =
      fmt::format("{} of {} elements differ: {}", result.mismatches, result.elements, because);
  if (!explained || exact->freedoms.empty()) return;
  std::string permitted_by;
  for (const std::string& taken : exact->freedoms) {
    const backends::Promise* promise = permission(taken, row, device);
    if (promise == nullptr) return;
    permitted_by += fmt::format("{}{} ({})", permitted_by.empty() ? "" : "; ", promise->clause,
                                promise->evidence);
  }
  result.standing = Standing::kDeviation;
  result.permitted_by = permitted_by;
}

}  // namespace halfmark::suites
