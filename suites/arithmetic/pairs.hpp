// SPDX-License-Identifier: Apache-2.0
// The fill `pairs`: n consecutive pairs of fp16 encodings, starting at (seed, 0). All 2^32 pairs
// are split into cases of kSweepPairs each, so that a sweep can be resumed, distributed over
// machines and monitored. Up to kMostListed pairs form an ordinary case. For more, the device
// digests its results in place, one 64-bit digest per run of pairs, and each run that differs is
// repeated as an ordinary case: the row of its first operand.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "reference/fast/elementwise.hpp"
#include "suites/arithmetic/operations.hpp"
#include "suites/core/case/case.hpp"

namespace halfmark::suites::arithmetic {

inline constexpr std::string_view kPairsFill = "pairs";
inline constexpr std::uint64_t kRowPairs = 1u << 16;    // with the same first operand
inline constexpr std::uint64_t kMostListed = 1u << 20;  // most pairs that are compared one by one
inline constexpr std::uint64_t kSweepPairs = 1u << 28;  // per case of a sweep

/// The fast engine's operation with the same results; nothing if there is none.
[[nodiscard]] std::optional<fast::Operation> engine_operation(const Operation& operation);

/// Whether every pair of its operands can be enumerated, and has one right result: digests know no
/// bound.
[[nodiscard]] bool has_pairs(const Operation& operation);

/// Throws UsageError if fewer than n pairs remain from (seed, 0) on, or if digested pairs are not
/// whole rows.
void require_pairs(const Case& c, std::uint64_t count);

[[nodiscard]] bool is_digested(const Case& c);

/// Input tensor `encodings`, output tensor `digests`: two words per run.
[[nodiscard]] Plan digest_plan(const Operation& operation, const Case& c);
[[nodiscard]] TensorSet every_encoding();

/// Expected digests when pair (a, b) gives result(a, b).
using PairResult = std::function<formats::Bits(formats::Bits a, formats::Bits b)>;
[[nodiscard]] TensorSet digests_of(const Case& c, const PairResult& result);
/// Expected digests of the operation itself, from the fast engine.
[[nodiscard]] TensorSet digests_of(const Operation& operation, const Case& c);

/// The rows that contain the given elements of `digests`, as ordinary cases, in order.
[[nodiscard]] std::vector<Case> rows_of(const Case& c, const std::vector<std::size_t>& elements);

}  // namespace halfmark::suites::arithmetic
