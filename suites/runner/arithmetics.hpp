// SPDX-License-Identifier: Apache-2.0
// What the operators of one device were found to compute, asked of its worker once for a class of
// cases, before the first case of the class runs. Decides when a device is asked; what is asked is
// the suite's affair. A device that does not survive the question has no answer, and its cases keep
// their bound.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "suites/core/case/case.hpp"
#include "suites/core/suite/identified_arithmetic.hpp"
#include "suites/runner/worker.hpp"

namespace halfmark::suites {

class Arithmetics {
 public:
  /// Of an earlier part of the same run, or of a scorecard.
  void learn(Identified found);

  /// Null when the case's suite looks for nothing. `on_new` is called with what the device had to
  /// be asked for, unless the run was interrupted meanwhile.
  [[nodiscard]] const Identified* of(const Case& c, Worker& worker,
                                     const std::function<void(const Identified&)>& on_new = {});

  /// In the order of their keys.
  [[nodiscard]] std::vector<Identified> all() const;

 private:
  std::map<std::string, Identified> found_;
};

/// In the order in which the cases first need them: a run that was resumed may have asked in
/// another one, and a scorecard lists them as they come.
void sort_by_use(std::span<const Case> cases, std::vector<Identified>& found);

}  // namespace halfmark::suites
