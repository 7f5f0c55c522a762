// SPDX-License-Identifier: Apache-2.0
// The pipeline of one case: inputs, observation, expectation, comparison, further observation of a
// failure, verdict. The only file that sees all stages. Decides nothing about the verdict.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "suites/core/execute/execute.hpp"
#include "suites/core/golden/golden.hpp"
#include "suites/core/judge/result.hpp"
#include "suites/core/suite/suite.hpp"
#include "suites/core/verdict/verdict.hpp"

namespace halfmark::suites {

/// `found`: the arithmetic that probes identified for the operator (Suite::modelling); null: none.
/// `golden`: the digests of the right results; null: not known.
[[nodiscard]] CaseResult run_case(Session& session, const Suite& suite, const Case& c,
                                  const Identified* found = nullptr,
                                  const GoldenCheck* golden = nullptr);

/// If the results have the golden digests, the case passes without reference. Otherwise it goes the
/// usual way, and the reference has its say about the digests.
[[nodiscard]] CaseResult run_problem(Session& session, const Problem& problem,
                                     const ModelledBy& modelled = {},
                                     const GoldenCheck* golden = nullptr);

/// Which of so many parts behind differing digests are compared element by element: the first, and
/// others at equal distances. What is wrong in neighbours alone is often one thing, such as flushed
/// subnormals, while something else is wrong farther off.
[[nodiscard]] std::vector<std::size_t> parts_tried(std::size_t differing);

/// Runs all calls of a problem, or its own_work() instead, and returns the outputs. `known` as
/// in execute().
[[nodiscard]] DeviceResult ask_device(Session& session, const Problem& problem, const Plan& plan,
                                      const TensorSet& operands, const Known& known = {});

/// Nothing if the device does not offer the call, or if the operands of the second call would not
/// be exact.
[[nodiscard]] std::optional<Observation> observe(Session& session, const Problem& problem,
                                                 const TensorSet& inputs);

/// The fields of a result that are known before the case runs: name, suite, provider, tier, rule.
/// Used for verdicts that the worker could not give itself (crash, hang).
[[nodiscard]] CaseResult describe_case(const Suite& suite, const Case& c,
                                       const backends::DeviceInfo& device);

}  // namespace halfmark::suites
