// SPDX-License-Identifier: Apache-2.0
// A case as an experiment: its data, what each hypothesis predicts for them, and, once the device
// was asked, what it gave. Decides nothing; experiment.cpp does.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "suites/core/diagnose/diagnose.hpp"
#include "suites/core/diagnose/generic_hypotheses.hpp"
#include "suites/core/execute/execute.hpp"
#include "suites/core/suite/suite.hpp"

namespace halfmark::suites {

/// Whether an explanation gives every bit and names a cause. What is only seen has none to test.
[[nodiscard]] bool names_a_cause(const Explanation& e, std::uint64_t wrong);

/// The hypotheses refer to the object, which therefore does not move.
class AskedCase {
 public:
  /// Computes inputs and expected results; asks no device. `device` must outlive it.
  AskedCase(const Suite& suite, const Case& c, const backends::DeviceInfo& device);
  AskedCase(const AskedCase&) = delete;
  AskedCase& operator=(const AskedCase&) = delete;
  ~AskedCase() = default;

  /// Runs the case. False if there are no results to compare: the device does not offer the call,
  /// reports an error, or breaks memory. Throws if the device is lost.
  [[nodiscard]] bool ask(Session& session);

  [[nodiscard]] const Case& c() const { return problem_->c(); }
  [[nodiscard]] const Problem& problem() const { return *problem_; }
  /// After ask(), the actual results; before, the expected ones.
  [[nodiscard]] const TensorSet& inputs() const { return inputs_; }
  [[nodiscard]] const TensorSet& outputs() const { return outputs_; }
  [[nodiscard]] const Comparison& found() const { return found_; }
  [[nodiscard]] const Allowance& allowed() const { return allowed_; }

  /// The hypothesis behind an explanation of the results of `origin`, without what confines it,
  /// with the numbers that it read from them. Null: there is none of this name for these data.
  [[nodiscard]] const Hypothesis* hypothesis(const Explanation& e, AskedCase& origin);
  /// Whether it predicts every element of outputs(); with `part`, as confined to it.
  [[nodiscard]] bool follows(const Hypothesis& hypothesis, const Part* part) const;
  /// The results that it predicts; with `part`, as confined to it.
  [[nodiscard]] TensorSet prediction(const Hypothesis& hypothesis, const Part* part) const;
  /// The explanations of outputs() that name a cause, with names that are not excluded.
  [[nodiscard]] std::vector<Explanation> explanations(const std::set<std::string>& excluded) const;
  [[nodiscard]] Explanation weighed(const Hypothesis& hypothesis) const;

 private:
  const Failed& failed();
  // As these results give it, or as it was taken over.
  const GenericHypothesis* generic(const Explanation& e);

  std::unique_ptr<const Problem> problem_;
  Permits permits_;
  TensorSet inputs_;
  Expectation expected_;
  Allowance allowed_;
  TensorSet outputs_;
  Comparison found_;
  std::vector<Hypothesis> known_;
  std::vector<GenericHypothesis> generic_;
  std::map<std::string, GenericHypothesis> taken_over_;  // by sentence, which has the number
  std::unique_ptr<Failed> failed_;
};

}  // namespace halfmark::suites
