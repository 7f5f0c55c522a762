// SPDX-License-Identifier: Apache-2.0
// Shrinks a failing case: first its shape, letter by letter, then its operands, to zero and to
// simple values, as long as it fails in the same way (the same memory fault, or wrong bits that the
// same hypothesis reproduces exactly). Decides the order of attempts and when to stop. Runs in the
// worker that ran the case, after the case's own measurements.
#pragma once

#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "suites/core/execute/execute.hpp"
#include "suites/core/judge/result.hpp"
#include "suites/core/suite/suite.hpp"

namespace halfmark::suites {

/// What identifies a failure while its case shrinks.
struct Failure {
  std::string finding_class;
  std::string hypothesis;  // the exact one; empty: nothing explains it, and any wrong bits will do
                           // that nothing permits
  bool of_memory = false;  // a memory fault: no values are compared
  bool of_relation = false;   // between two calls, the first of which is right
  bool is_permitted = false;  // a deviation
};

[[nodiscard]] Failure failure_of(const CaseResult& failed);
[[nodiscard]] nlohmann::json to_json(const Failure& failure);
[[nodiscard]] Failure failure_from_json(const nlohmann::json& object);

struct ShrinkBudget {
  std::uint64_t trials = 400;  // the actual limit: the same in every run
  std::chrono::milliseconds time = std::chrono::seconds(30);  // a safety limit only
};

/// Returns nothing if the case does not fail again.
[[nodiscard]] std::optional<Reduction> shrink(Session& session, const Suite& suite, const Case& c,
                                              const Failure& failure, const ShrinkBudget& budget);

/// The nonzero elements of all operands.
[[nodiscard]] std::vector<ReducedTensor> listed_operands(const Problem& problem,
                                                         const TensorSet& inputs);
/// The operands of a reduction: the listed elements, and zeros elsewhere.
[[nodiscard]] TensorSet operands_of(const Reduction& reduction);

}  // namespace halfmark::suites
