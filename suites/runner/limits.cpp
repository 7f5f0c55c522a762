// SPDX-License-Identifier: Apache-2.0
#include "suites/runner/limits.hpp"

#include <algorithm>

namespace halfmark::suites {
namespace {

// Every name ends in ".FILL.sSEED".
std::string cost_class(const std::string& name) {
  const auto seed = name.rfind('.');
  const auto fill = seed == std::string::npos || seed == 0 ? seed : name.rfind('.', seed - 1);
  return name.substr(0, fill);
}

}  // namespace

void Limits::learn(const CaseResult& result) {
  const bool answered = result.verdict == Verdict::kPass || result.verdict == Verdict::kFail ||
                        result.verdict == Verdict::kUntrusted;
  if (!answered) return;
  double& slowest = slowest_seconds_[cost_class(result.name)];
  slowest = std::max(slowest, result.execute_seconds);
}

Patience Limits::patience(const std::string& case_name) const {
  Patience patience{.total = timeout_,
                    .stage = timeout_,
                    .silence = std::max(kLeastSilence, timeout_ / kSilenceShare),
                    .own = std::max(kLeastOwn, timeout_ * kOwnTimes)};
  const auto seen = slowest_seconds_.find(cost_class(case_name));
  if (seen == slowest_seconds_.end()) return patience;
  const std::chrono::duration<double> learned(seen->second * kFactor);
  patience.stage = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::clamp<std::chrono::duration<double>>(learned, timeout_ / kLeastShare, timeout_));
  return patience;
}

}  // namespace halfmark::suites
