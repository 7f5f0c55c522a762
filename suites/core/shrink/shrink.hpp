// SPDX-License-Identifier: Apache-2.0
// A failing case made small: first its shape, letter by letter, then its operands, to zero and to
// simple values, as long as it fails in the same way (the same fault of memory, or wrong bits that
// the same hypothesis reproduces exactly). Decides the order of attempts and when enough was tried.
// Runs where the case ran, in a worker: what it does to a device costs nothing measured before.
#pragma once

#include <chrono>
#include <optional>

#include "suites/core/execute/execute.hpp"
#include "suites/core/judge/result.hpp"
#include "suites/core/suite/suite.hpp"

namespace halfmark::suites {

/// What a failure must keep to be the same one.
struct Failure {
  std::string finding_class;
  std::string hypothesis;    // the exact one; empty: nothing explains it, any wrong bits will do
  bool of_memory = false;    // written outside, unwritten, unrepeated: no values are compared
  bool of_relation = false;  // between two calls, of which the first is right
};

[[nodiscard]] Failure failure_of(const CaseResult& failed);

struct ShrinkBudget {
  std::uint64_t trials = 400;  // the measure, since it is the same in every run
  std::chrono::milliseconds time = std::chrono::seconds(30);  // the emergency brake
};

/// Nothing when the case does not fail again.
[[nodiscard]] std::optional<Reduction> shrink(Session& session, const Suite& suite, const Case& c,
                                              const Failure& failure, const ShrinkBudget& budget);

/// The elements of all operands that are not zero.
[[nodiscard]] std::vector<ReducedTensor> listed_operands(const Problem& problem,
                                                         const TensorSet& inputs);
/// The operands of a reduction: those listed, and zeros.
[[nodiscard]] TensorSet operands_of(const Reduction& reduction);

}  // namespace halfmark::suites
