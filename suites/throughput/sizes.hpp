// SPDX-License-Identifier: Apache-2.0
// How large a problem must be for its time to show compute units and memory rather than launch
// overhead. Decides how kernels grow and which cases are verified at the timed size; measures only
// as much as finding the size takes.
//
// Assumption: a larger case of one kernel fills a device at least as well.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "suites/core/case/case.hpp"
#include "suites/core/execute/execute.hpp"

namespace halfmark::suites::throughput {

/// The minimum time of one launch, if a larger case exists.
inline constexpr std::uint64_t kSpeakingNs = 2'000'000;
/// The same for chains, which must also show that the time follows the steps.
inline constexpr std::uint64_t kSpeakingChainNs = 4'000'000;
/// The same for chains that have as many rounds as their format allows, and grow by items alone.
inline constexpr std::uint64_t kSpeakingShortChainNs = 1'000'000;
/// A launch with half the steps takes at most 1 / 1.75 of the whole; otherwise launch overhead is a
/// significant part, and the chain grows further.
inline constexpr double kFollowsSteps = 1.75;
/// The maximum number of multiply-adds of a product per host thread: the reference bounds or
/// computes that many within seconds (2048 cubed within ten on two threads).
inline constexpr std::uint64_t kMostProductsPerThread = std::uint64_t{1} << 32;
/// The minimum launch time of softmax and normalisations, whose time shows memory; and the maximum
/// number of elements that they grow to, since the reference computes each. Fewer do not load the
/// memory of a GPU.
inline constexpr std::uint64_t kSpeakingRowsNs = 200'000;
inline constexpr std::uint64_t kMostInRows = 1u << 20, kMostInRowsOnGpu = 1u << 24;
/// The minimum launch time of streams: the launch overhead of a few microseconds is below a
/// twentieth, and the host, which makes and checks every word, holds hundreds of MB instead of GB.
inline constexpr std::uint64_t kSpeakingStreamNs = 100'000;
/// The minimum side of a square product on a GPU: smaller ones do not fill it.
inline constexpr std::uint64_t kLeastSideOnGpu = 2048;

/// True for chains, streams, square products whose side is a multiple of 64 below 1024 (larger ones
/// are points of a sweep), and rows of softmax and normalisations, on random data; products in tf32
/// on any.
[[nodiscard]] bool may_grow(const Case& c);

/// The same kernel with about `factor` times the work, never less than the case itself has; the
/// case itself if it does not grow any further. Rows grow to `most_in_rows` elements.
[[nodiscard]] Case grown(const Case& c, double factor,
                         std::uint64_t most_in_rows = kMostInRowsOnGpu);

/// The case `c` with the sizes of `like`, a case of the same suite; `c` if its suite has no
/// such case.
[[nodiscard]] Case as_large_as(const Case& c, const Case& like);

/// The same chains with half the rounds; nothing for other cases.
[[nodiscard]] std::optional<Case> with_half_the_steps(const Case& c);

/// The case, or a larger one of the same kernel whose launch takes long enough; streams are
/// also twice as large as the device's last cache. Stops growing once a launch keeps the host
/// waiting for long or a library declines a larger case, and never grows if the device's clock is a
/// model. Driver errors propagate as BackendError.
[[nodiscard]] Case speaking_size(Session& session, const Case& c);

/// The cases to verify before timing a case at a size that the run did not verify: the case itself,
/// and for a product also data that reveals operands of a narrower format (`permutation`) and, if
/// sums are fp32, narrower sums (`wide`).
[[nodiscard]] std::vector<Case> witnesses_of(const Case& c);

}  // namespace halfmark::suites::throughput
