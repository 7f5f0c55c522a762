// SPDX-License-Identifier: Apache-2.0
#include "suites/core/experiment/asked_case.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "suites/core/execute/memory_fault.hpp"
#include "suites/core/run/run_case.hpp"
#include "suites/core/suite/promisor.hpp"

namespace halfmark::suites {

bool names_a_cause(const Explanation& e, std::uint64_t wrong) {
  return e.exact(wrong) && e.finding_class != "unexplained";
}

AskedCase::AskedCase(const Suite& suite, const Case& c, const backends::DeviceInfo& device)
    : problem_(suite.bind(c)),
      permits_(permits_of(problem_->row(device), promisor_of(*problem_, device))),
      inputs_(problem_->inputs()),
      expected_(problem_->expect(inputs_)),
      allowed_(allowance_of(*problem_, expected_, problem_->row(device).bound_ulps)),
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
  generic_.clear();
  taken_over_.clear();
  return true;
}

const Failed& AskedCase::failed() {
  if (!failed_)
    failed_ =
        std::make_unique<Failed>(Failed{*problem_, inputs_, allowed_, outputs_, found_.wrong});
  return *failed_;
}

const GenericHypothesis* AskedCase::generic(const Explanation& e) {
  const auto taken = taken_over_.find(e.sentence);
  if (taken != taken_over_.end()) return &taken->second;
  if (generic_.empty()) generic_ = generic_hypotheses(failed());
  const auto own = std::ranges::find(generic_, e.base(), &Hypothesis::name);
  return own == generic_.end() ? nullptr : &*own;
}

const Hypothesis* AskedCase::hypothesis(const Explanation& e, AskedCase& origin) {
  if (known_.empty()) known_ = all_hypotheses(*problem_, found_.wrong, outputs_);
  const auto own = std::ranges::find(known_, e.base(), &Hypothesis::name);
  if (own != known_.end()) return &*own;
  if (!e.is_generic) return nullptr;
  const GenericHypothesis* there = &origin == this ? nullptr : origin.generic(e);
  if (there == nullptr || !there->elsewhere) return generic(e);
  const auto taken = taken_over_.find(there->sentence);
  if (taken != taken_over_.end()) return &taken->second;
  GenericHypothesis same{there->elsewhere(failed()), there->elsewhere};
  return &taken_over_.emplace(there->sentence, std::move(same)).first->second;
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
  std::vector<Explanation> all =
      diagnose(*problem_, inputs_, allowed_, outputs_, permits_, excluded);
  std::erase_if(all, [&](const Explanation& e) { return !names_a_cause(e, found_.mismatches); });
  return all;
}

Explanation AskedCase::weighed(const Hypothesis& hypothesis) const {
  return weigh(hypothesis, c(), inputs_, allowed_, outputs_);
}

}  // namespace halfmark::suites
