// SPDX-License-Identifier: Apache-2.0
// The identified arithmetics of one device's operators. The runner asks the worker once per
// class of cases, before the first case of the class runs. Decides when a device is probed; the
// suite decides how. If the probes end the worker process, there is no answer, and the cases
// keep their bound.
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
  /// Adds a finding of an earlier part of the same run, or of a scorecard.
  void learn(Identified found);

  /// Null if the case's suite has no modelled tier. Calls `on_new` with each new finding from the
  /// device, unless the run was interrupted meanwhile.
  [[nodiscard]] const Identified* of(const Case& c, Worker& worker,
                                     const std::function<void(const Identified&)>& on_new = {});

  /// All findings, ordered by key.
  [[nodiscard]] std::vector<Identified> all() const;

 private:
  std::map<std::string, Identified> found_;
};

/// Sorts findings by the order in which the cases first need them. A resumed run may have found
/// them in another order, and a scorecard lists them as they come.
void sort_by_use(std::span<const Case> cases, std::vector<Identified>& found);

}  // namespace halfmark::suites
