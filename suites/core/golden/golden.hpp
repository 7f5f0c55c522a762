// SPDX-License-Identifier: Apache-2.0
// Golden digests: the right results of a case, known before it runs. Decides which cases have a
// single right answer and which results have a given digest. A golden digest can only spare work:
// whatever it does not confirm goes the usual way.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "suites/core/execute/plan.hpp"
#include "suites/core/suite/problem.hpp"

namespace halfmark::suites {

/// The outputs of a case in two digests: as scorecards show them, and as a device can compute them.
struct Golden {
  std::string digest;     // suites::digest()
  std::uint64_t sum = 0;  // fast::digest() of all outputs, by name, as one array
  bool operator==(const Golden&) const = default;
};

/// The golden digests of a case in one run. `recompute`: the reference is computed nevertheless, to
/// check the store.
struct GoldenCheck {
  Golden expected;
  bool recompute = false;
};

/// What a run learned of a golden digest (CaseResult::golden): the results had it; the reference
/// was computed and has it; the reference was computed and has another, so the store is in error.
inline constexpr const char* kGoldenMatched = "matched";
inline constexpr const char* kGoldenConfirmed = "confirmed";
inline constexpr const char* kGoldenRefuted = "refuted";

[[nodiscard]] Golden golden_of(const TensorSet& outputs);

/// Whether the row allows one result only, and the problem's verdict depends on nothing but its
/// results: it launches something, is called once, and measures no accuracy.
[[nodiscard]] bool has_single_answer(const Problem& problem, const ContractRow& row);

/// The golden digests of a problem, computed by the reference. Nothing if the row allows several
/// results, if some are integers, which digests take for NaN where they look like it, or if the
/// pass would not be earned.
[[nodiscard]] std::optional<Golden> golden_by_reference(const Problem& problem,
                                                        const ContractRow& row);

}  // namespace halfmark::suites
