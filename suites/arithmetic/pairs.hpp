// SPDX-License-Identifier: Apache-2.0
// The fill `pairs`: n consecutive pairs of fp16 encodings, from (seed, 0) on; all 2^32 of them are
// cases of kSweepPairs each, so that a sweep can be resumed, shared among machines and watched.
// Up to kMostListed pairs are an ordinary case. Beyond that the device digests its results where
// they lie, one 64-bit digest for each run of pairs, and a run that differs is asked for again as
// an ordinary case: the row of its first operand.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "reference/fast/elementwise.hpp"
#include "suites/arithmetic/operations.hpp"
#include "suites/core/case/case.hpp"

namespace halfmark::suites::arithmetic {

inline constexpr std::string_view kPairsFill = "pairs";
inline constexpr std::uint64_t kRowPairs = 1u << 16;    // of one first operand
inline constexpr std::uint64_t kMostListed = 1u << 20;  // pairs that are compared one by one
inline constexpr std::uint64_t kSweepPairs = 1u << 28;  // of one case of a sweep

/// The engine's operation with the same results; none where it has none.
[[nodiscard]] std::optional<fast::Operation> engine_operation(const Operation& operation);

/// Whether every pair of its operands can be asked for.
[[nodiscard]] bool has_pairs(const Operation& operation);

/// Throws UsageError where the pairs from (seed, 0) on are fewer than n, or not whole rows though
/// digested.
void require_pairs(const Case& c, std::uint64_t count);

[[nodiscard]] bool is_digested(const Case& c);

/// Tensor `encodings` in, tensor `digests` out: two words for each run.
[[nodiscard]] Plan digest_plan(const Operation& operation, const Case& c);
[[nodiscard]] TensorSet every_encoding();

/// What the digests must be when pair (a, b) gives result(a, b).
using PairResult = std::function<formats::Bits(formats::Bits a, formats::Bits b)>;
[[nodiscard]] TensorSet digests_of(const Case& c, const PairResult& result);
/// The same of the operation itself, by the fast engine.
[[nodiscard]] TensorSet digests_of(const Operation& operation, const Case& c);

/// The rows that hold the given elements of `digests`, as ordinary cases, in order.
[[nodiscard]] std::vector<Case> rows_of(const Case& c, const std::vector<std::size_t>& elements);

}  // namespace halfmark::suites::arithmetic
