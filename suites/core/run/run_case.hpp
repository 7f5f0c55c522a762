// SPDX-License-Identifier: Apache-2.0
// The straight line for one case: inputs, device result, reference result, verdict, diagnosis,
// finding. The only file that sees all of the stages. Decides the order of reasons when several
// things are wrong.
#pragma once

#include "suites/core/execute/execute.hpp"
#include "suites/core/judge/result.hpp"
#include "suites/core/suite/suite.hpp"

namespace halfmark::suites {

/// `found`: what the operator was found to compute before (Suite::modelling); null: not asked.
[[nodiscard]] CaseResult run_case(Session& session, const Suite& suite, const Case& c,
                                  const Identified* found = nullptr);

/// What the operator was found to compute before its cases ran, and the suite's way to compute
/// that. Null: not known.
struct ModelledBy {
  const Modelling* by = nullptr;
  const Identified* found = nullptr;
};

[[nodiscard]] CaseResult run_problem(Session& session, const Problem& problem,
                                     const ModelledBy& modelled = {});

/// The outputs of all calls of a problem, or of what it does instead of calls.
[[nodiscard]] DeviceResult ask_device(Session& session, const Problem& problem, const Plan& plan,
                                      const TensorSet& operands);

/// What a case is, before anything ran: name, suite, provider, tier, rule. Used for verdicts that
/// the worker could not give itself (crash, hang).
[[nodiscard]] CaseResult describe_case(const Suite& suite, const Case& c,
                                       const backends::DeviceInfo& device);

}  // namespace halfmark::suites
