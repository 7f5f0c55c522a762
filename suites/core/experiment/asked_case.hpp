// SPDX-License-Identifier: Apache-2.0
// A case as an experiment: its data, what each hypothesis predicts for them, and, once the device
// was asked, what it gave. Decides nothing; experiment.cpp does.
#pragma once

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

/// The hypotheses refer to the object, which therefore does not move.
class AskedCase {
 public:
  /// Computes inputs and expected results; asks no device.
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

  /// The hypothesis behind an explanation, without what confines it. Null: there is none of this
  /// name for these data.
  [[nodiscard]] const Hypothesis* hypothesis(const Explanation& e);
  /// Whether it predicts every element of outputs(); with `part`, as confined to it.
  [[nodiscard]] bool follows(const Hypothesis& hypothesis, const Part* part) const;
  /// The results that it predicts; with `part`, as confined to it.
  [[nodiscard]] TensorSet prediction(const Hypothesis& hypothesis, const Part* part) const;
  /// The exact explanations of outputs() with names that are not excluded.
  [[nodiscard]] std::vector<Explanation> explanations(const std::set<std::string>& excluded) const;
  [[nodiscard]] Explanation weighed(const Hypothesis& hypothesis) const;

 private:
  std::unique_ptr<const Problem> problem_;
  TensorSet inputs_;
  Expectation expected_;
  Allowance allowed_;
  TensorSet outputs_;
  Comparison found_;
  std::vector<Hypothesis> known_, general_;
  std::unique_ptr<Failed> failed_;
};

}  // namespace halfmark::suites
