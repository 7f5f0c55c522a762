// SPDX-License-Identifier: Apache-2.0
// Exhaustive sweeps: one operation on every pair of encodings of a 16-bit format. Pair number a *
// 2^16 + b is (a, b); there are 2^32 pairs. The result of a pair is that of soft_element(). Results
// come in blocks that never leave a thread's cache: they are digested or compared at once, so no
// table of 2^32 expected results exists.
//
//   Compare the device's digest of results first .. first + count with
//     pair_digest(sweep, first, count).word(),
//   or its results themselves, piece by piece, with compare_pairs(sweep, first, results).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "reference/fast/digest.hpp"
#include "reference/fast/elementwise.hpp"

namespace halfmark::fast {

struct PairSweep {
  const formats::Format& format;  // a format of 16 bits
  Operation operation;            // a binary operation
};

inline constexpr std::uint64_t kPairs = std::uint64_t{1} << 32;

// Calls body(number of the block's first pair, results) for blocks that together are the pairs
// first .. first + count: each once, in any order, from any of the threads in `options`. Throws
// std::invalid_argument if the sweep is not as PairSweep requires, or if the range exceeds kPairs.
using PairBlock = std::function<void(std::uint64_t first, std::span<const std::uint16_t> results)>;
void for_each_pair_block(const PairSweep& sweep, std::uint64_t first, std::uint64_t count,
                         const PairBlock& body, const Options& options = {});

// The digest of the results, each indexed by its pair's number.
[[nodiscard]] Digest pair_digest(const PairSweep& sweep, std::uint64_t first, std::uint64_t count,
                                 const Options& options = {});

// The same in runs of `run` results each. `first` must be a multiple of `run`, which is a power of
// two of at most kLongestRun.
inline constexpr std::uint64_t kLongestRun = 8192;
void run_digests(const PairSweep& sweep, std::uint64_t first, std::uint64_t run,
                 std::span<Digest> digests, const Options& options = {});

struct Differences {
  std::uint64_t count = 0;
  std::optional<std::uint64_t> first = {};  // the smallest number of a pair whose results differ

  [[nodiscard]] bool operator==(const Differences&) const = default;
};

// Compares a device's results for the pairs from `first` on; any NaN equals any other.
[[nodiscard]] Differences compare_pairs(const PairSweep& sweep, std::uint64_t first,
                                        std::span<const std::uint16_t> actual,
                                        const Options& options = {});

}  // namespace halfmark::fast
