// SPDX-License-Identifier: Apache-2.0
// Whether a case is right at the size at which it is timed: the line of a case without diagnosis,
// which at such sizes would take minutes and belongs to a case of the run. Decides nothing about
// conformance.
#pragma once

#include <cstdint>
#include <string>

#include "suites/core/execute/execute.hpp"
#include "suites/core/judge/result.hpp"
#include "suites/core/suite/suite.hpp"

namespace halfmark::suites::throughput {

struct Verified {
  std::string name;  // without its seed
  std::string tier;  // of the row that it was held to
  Verdict verdict = Verdict::kError;
  std::uint64_t elements = 0;  // that were compared
  std::string reason;          // one line; empty for a pass
};

/// Runs the plan twice, each time with another poison, and compares every result. `found`: what the
/// operator was found to compute at another size (Suite::modelling); null: nothing. Where it gives
/// every bit here too, the tier is `modelled`; else a row that promises a bound is held to that.
[[nodiscard]] Verified verify(Session& session, const Case& c, const Identified* found = nullptr);

}  // namespace halfmark::suites::throughput
