// SPDX-License-Identifier: Apache-2.0
#include "suites/core/experiment/asked_case.hpp"

#include <algorithm>
#include <stdexcept>

#include "suites/core/run/run_case.hpp"

namespace halfmark::suites {

AskedCase::AskedCase(const Suite& suite, const Case& c, const backends::DeviceInfo& device)
    : problem_(suite.bind(c)),
      inputs_(problem_->inputs()),
      expected_(problem_->expect(inputs_)),
      allowed_(allowance_of(expected_, problem_->row(device).bound_ulps)),
      outputs_(expected_.middle) {}

bool AskedCase::ask(Session& session) {
  std::optional<Observation> observed = observe(session, *problem_, inputs_);
  if (!observed) return false;
  DeviceResult& got = observed->got;
  if (got.error && got.error->device_lost) throw std::runtime_error(got.error->text);
  if (got.error || got.not_supported || !memory_fault(got).empty()) return false;
  outputs_ = std::move(got.outputs);
  expected_ = problem_->expect_beside(inputs_, outputs_);  // allowed_ refers to it
  found_ = compare(allowed_, outputs_);
  known_.clear();
  general_.clear();
  return true;
}

const Hypothesis* AskedCase::hypothesis(const Explanation& e) {
  if (known_.empty()) known_ = all_hypotheses(*problem_, found_.wrong, outputs_);
  if (general_.empty() && e.is_generic) {
    failed_ =
        std::make_unique<Failed>(Failed{*problem_, inputs_, allowed_, outputs_, found_.wrong});
    general_ = general_hypotheses(*failed_);
  }
  for (const auto* list : {&known_, &general_}) {
    const auto own = std::ranges::find(*list, e.base(), &Hypothesis::name);
    if (own != list->end()) return &*own;
  }
  return nullptr;
}

bool AskedCase::follows(const Hypothesis& hypothesis, const Part* part) const {
  return predicts(hypothesis, part, c(), inputs_, allowed_, outputs_, found_);
}

TensorSet AskedCase::prediction(const Hypothesis& hypothesis, const Part* part) const {
  TensorSet all = hypothesis.evaluate(c(), inputs_).middle;
  if (part == nullptr) return all;
  for (auto& [name, tensor] : all) {
    for (std::size_t i = 0; i < tensor.count(); ++i) {
      if (!part->holds(name, i)) tensor.set(i, expected_.middle.at(name).at(i));
    }
  }
  return all;
}

std::vector<Explanation> AskedCase::explanations(const std::set<std::string>& excluded) const {
  std::vector<Explanation> all = diagnose(*problem_, inputs_, allowed_, outputs_, excluded);
  std::erase_if(all, [&](const Explanation& e) { return !e.exact(found_.mismatches); });
  return all;
}

Explanation AskedCase::weighed(const Hypothesis& hypothesis) const {
  return weigh(hypothesis, c(), inputs_, allowed_, outputs_);
}

}  // namespace halfmark::suites
