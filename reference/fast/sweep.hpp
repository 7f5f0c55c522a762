// SPDX-License-Identifier: Apache-2.0
// Exhaustive sweeps: one operation on every pair of encodings of a 16-bit format. Pair number
// a * 2^16 + b is (a, b); 2^32 pairs in all. What a pair gives is what soft_element() gives.
// Results come in blocks that never leave a thread's cache: they are digested or compared where
// they arise, and no table of 2^32 expected results exists.
//
//   The device's digest of results first .. first + count against
//     pair_digest(sweep, first, count).word(),
//   or its results themselves, piece by piece, against compare_pairs(sweep, first, results).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "reference/fast/digest.hpp"
#include "reference/fast/elementwise.hpp"

namespace halfmark::fast {

struct PairSweep {
  const formats::Format& format;  // 16 bits
  Operation operation;            // of two operands
};

inline constexpr std::uint64_t kPairs = std::uint64_t{1} << 32;

// Calls body(number of the block's first pair, results) for blocks that together are the pairs
// first .. first + count: once each, in any order, from any of the options' threads. Throws
// std::invalid_argument when the sweep is not as PairSweep says, or the range leaves kPairs.
using PairBlock = std::function<void(std::uint64_t first, std::span<const std::uint16_t> results)>;
void for_each_pair_block(const PairSweep& sweep, std::uint64_t first, std::uint64_t count,
                         const PairBlock& body, const Options& options = {});

// The digest of the results, each under its pair's number.
[[nodiscard]] Digest pair_digest(const PairSweep& sweep, std::uint64_t first, std::uint64_t count,
                                 const Options& options = {});

// The same in runs of `run` results each, the first one beginning at pair `first`: a multiple of
// `run`, which is a power of two up to kLongestRun.
inline constexpr std::uint64_t kLongestRun = 8192;
void run_digests(const PairSweep& sweep, std::uint64_t first, std::uint64_t run,
                 std::span<Digest> digests, const Options& options = {});

struct Differences {
  std::uint64_t count = 0;
  std::optional<std::uint64_t> first = {};  // the least number of a pair whose results differ

  [[nodiscard]] bool operator==(const Differences&) const = default;
};

// What a device gave for the pairs from `first` on, NaN taken as a class.
[[nodiscard]] Differences compare_pairs(const PairSweep& sweep, std::uint64_t first,
                                        std::span<const std::uint16_t> actual,
                                        const Options& options = {});

}  // namespace halfmark::fast
