// SPDX-License-Identifier: Apache-2.0
// How large a problem has to be for its time to speak of units and memory, and not of launching.
// Decides how kernels grow and which cases are verified at the size that is timed; measures only as
// much as finding the size takes.
//
// Assumption: a larger case of one kernel fills a device at least as well.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "suites/core/case/case.hpp"
#include "suites/core/execute/execute.hpp"

namespace halfmark::suites::throughput {

/// What one launch takes at least, where a larger case can be had.
inline constexpr std::uint64_t kSpeakingNs = 2'000'000;
/// The same of chains, which have more to say: that the time follows the steps.
inline constexpr std::uint64_t kSpeakingChainNs = 4'000'000;
/// With half the steps a launch takes at most one part in so many of the whole; else launching is a
/// part of it, and the chain grows on.
inline constexpr double kFollowsSteps = 1.75;
/// The most multiply-adds of a product for each thread of the host: the reference bounds or
/// computes so many within seconds (2048 cubed within ten on two threads).
inline constexpr std::uint64_t kMostProductsPerThread = std::uint64_t{1} << 32;
/// The same of softmax and normalisations, whose time speaks of memory; and the most numbers that
/// they grow to, since the reference computes each. A gpu's memory takes no notice of fewer.
inline constexpr std::uint64_t kSpeakingRowsNs = 200'000;
inline constexpr std::uint64_t kMostInRows = 1u << 20, kMostInRowsOnGpu = 1u << 24;
/// A square product on a gpu has at least this side: smaller ones do not fill it.
inline constexpr std::uint64_t kLeastSideOnGpu = 2048;

/// Chains, streams, square products whose side is a multiple of 64 below 1024 (larger ones are
/// points of a sweep), and rows of softmax and normalisations, on random data.
[[nodiscard]] bool may_grow(const Case& c);

/// The same kernel with about so many times the work, never less than the case itself has; the case
/// itself where it does not grow any further.
[[nodiscard]] Case grown(const Case& c, double factor);

/// The case `c` with the sizes of `like`, a case of the same suite; `c` where its suite has no such
/// case.
[[nodiscard]] Case as_large_as(const Case& c, const Case& like);

/// The same chains with half the rounds; nothing for what has none.
[[nodiscard]] std::optional<Case> with_half_the_steps(const Case& c);

/// The case, or a larger one of the same kernel, of which one launch speaks; streams
/// are also twice as long as the device's last cache. Not larger where a launch keeps the host
/// waiting for long, and where the device's clock is a model. A driver's error leaves as
/// BackendError.
[[nodiscard]] Case speaking_size(Session& session, const Case& c);

/// What is verified before a case is timed at a size that the run did not verify: the case, and a
/// product also on data that shows operands of a narrower format (`permutation`) and, where sums
/// are fp32, narrower sums (`wide`).
[[nodiscard]] std::vector<Case> witnesses_of(const Case& c);

}  // namespace halfmark::suites::throughput
