// SPDX-License-Identifier: Apache-2.0
// Verifies a case at the size at which it is timed, without diagnosis, which at such sizes would
// take minutes and belongs to the cases of the run. Decides nothing about conformance.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "suites/core/execute/execute.hpp"
#include "suites/core/judge/result.hpp"
#include "suites/core/suite/suite.hpp"

namespace halfmark::suites::throughput {

struct Verified {
  std::string name;  // without its seed
  std::string tier;  // of the row that applied
  Verdict verdict = Verdict::kError;
  std::uint64_t elements = 0;  // number of compared elements
  std::uint64_t results = 0;   // of all of the case, of which a large one compares a sample of rows
  std::string reason;          // one line; empty for a pass
};

/// A plan and its buffers on the device, with the inputs in them.
struct KeptRun {
  Plan plan;
  std::unique_ptr<PreparedPlan> run;  // refers to the plan
};

/// Runs the plan twice, each time with another poison pattern: every result must be written, and
/// the same in both runs. Every result is compared, of a large problem those of sampled rows.
/// `found`: the arithmetic that probes identified for the operator at another size
/// (Suite::modelling); null: none. If it gives every bit here too, the tier is `modelled`;
/// otherwise a row that promises a bound applies.
/// `kept`, unless null, takes over what a case that passes ran in, so that its speed is measured in
/// the memory in which it was verified.
[[nodiscard]] Verified verify(Session& session, const Case& c, const Identified* found = nullptr,
                              std::unique_ptr<KeptRun>* kept = nullptr);

}  // namespace halfmark::suites::throughput
