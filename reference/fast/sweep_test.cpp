// SPDX-License-Identifier: Apache-2.0
// Sweeps over pairs against the soft-float: whole rows of one first operand, a random share of all
// 2^32 pairs, ranges that start and end anywhere, digests and comparisons.
#include "reference/fast/sweep.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>

#include "reference/fast/hostile.hpp"
#include "reference/fast/testing/operands.hpp"

namespace halfmark::fast {
namespace {

using formats::Format;
using formats::Tensor;

constexpr Operation kBinary[] = {
    Operation::kAdd,     Operation::kSub,     Operation::kMul,           Operation::kDiv,
    Operation::kMinimum, Operation::kMaximum, Operation::kMinimumNumber, Operation::kMaximumNumber};

std::uint16_t soft_pair(const PairSweep& sweep, std::uint64_t number) {
  return static_cast<std::uint16_t>(
      soft_element(sweep.operation, sweep.format, number >> 16, number & 0xffff, 0));
}

std::vector<std::uint16_t> results_of(const PairSweep& sweep, std::uint64_t first,
                                      std::uint64_t count, const Options& options) {
  std::vector<std::uint16_t> all(count, 0xdead);
  for_each_pair_block(
      sweep, first, count,
      [&](std::uint64_t begin, std::span<const std::uint16_t> results) {
        std::copy(results.begin(), results.end(),
                  all.begin() + static_cast<std::ptrdiff_t>(begin - first));
      },
      options);
  return all;
}

std::vector<std::uint16_t> soft_results(const PairSweep& sweep, std::uint64_t first,
                                        std::uint64_t count) {
  std::vector<std::uint16_t> all(count);
  for (std::uint64_t i = 0; i < count; ++i) all[i] = soft_pair(sweep, first + i);
  return all;
}

// First operands of every kind, each with all 2^16 second ones.
TEST(PairSweep, WholeRows) {
  for (const Format* format : {&formats::kFp16, &formats::kBf16}) {
    std::vector<std::uint64_t> firsts = {0, 1, formats::max_finite(*format, true),
                                         formats::infinity(*format), formats::quiet_nan(*format)};
    std::mt19937_64 random(1);
    for (int i = 0; i < 3; ++i) firsts.push_back(random() & 0xffff);
    for (const Operation operation : kBinary) {
      const PairSweep sweep{*format, operation};
      for (const std::uint64_t a : firsts) {
        const auto expected = soft_results(sweep, a << 16, 65536);
        for (const Target target : host_targets()) {
          if (target == Target::kPortable && a != 1) continue;
          ASSERT_EQ(expected, results_of(sweep, a << 16, 65536, {.target = target}))
              << format->name << '.' << to_string(operation) << ", " << to_string(target)
              << std::hex << ", a " << a;
        }
      }
    }
  }
}

TEST(PairSweep, RangesThatStartAndEndAnywhere) {
  const PairSweep sweep{formats::kFp16, Operation::kSub};
  for (const std::uint64_t first :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{8191}, std::uint64_t{0x3c00fff0}}) {
    for (const std::uint64_t count : {1U, 15U, 8192U, 8193U, 70000U}) {
      const auto expected = soft_results(sweep, first, count);
      for (const Target target : host_targets()) {
        const Options options{.threads = 3, .target = target};
        ASSERT_EQ(expected, results_of(sweep, first, count, options));
      }
    }
  }
}

TEST(PairSweep, TheLastPairs) {
  const PairSweep sweep{formats::kFp16, Operation::kAdd};
  EXPECT_EQ(soft_results(sweep, kPairs - 100, 100), results_of(sweep, kPairs - 100, 100, {}));
}

TEST(PairSweep, TheDigestIsThatOfTheResults) {
  const std::uint64_t first = (std::uint64_t{0x7bff} << 16) - 5000;
  for (const Format* format : {&formats::kFp16, &formats::kBf16}) {
    const PairSweep sweep{*format, Operation::kMul};
    Digest expected;
    for (std::uint64_t i = 0; i < 30000; ++i) {
      expected += digest_of_element(*format, first + i, soft_pair(sweep, first + i));
    }
    for (const std::uint64_t state : kHostStates) {
      const HostileHost host(state);
      for (const Target target : host_targets()) {
        for (const unsigned threads : {1U, 3U}) {
          const Options options{.threads = threads, .target = target};
          EXPECT_EQ(expected, pair_digest(sweep, first, 30000, options)) << to_string(target);
        }
      }
    }
  }
}

TEST(PairSweep, RunsAreDigestedEachOnItsOwn) {
  const PairSweep sweep{formats::kFp16, Operation::kAdd};
  const std::uint64_t first = (std::uint64_t{0x3c00} << 16) + 5 * 1024;
  for (const Target target : host_targets()) {
    std::vector<Digest> runs(21);
    run_digests(sweep, first, 1024, runs, {.threads = 3, .target = target});
    for (std::size_t i = 0; i < runs.size(); ++i) {
      EXPECT_EQ(pair_digest(sweep, first + i * 1024, 1024), runs[i]) << to_string(target) << i;
    }
  }
}

TEST(PairSweep, RunsThatDoNotLieInBlocksAreRefused) {
  const PairSweep sweep{formats::kFp16, Operation::kAdd};
  std::vector<Digest> runs(2);
  EXPECT_THROW(run_digests(sweep, 0, 1000, runs), std::invalid_argument);
  EXPECT_THROW(run_digests(sweep, 0, 16384, runs), std::invalid_argument);
  EXPECT_THROW(run_digests(sweep, 512, 1024, runs), std::invalid_argument);
}

// A device's results in which every NaN has another encoding, and then with planted errors.
TEST(PairSweep, ComparisonFindsExactlyTheErrors) {
  const PairSweep sweep{formats::kFp16, Operation::kDiv};
  const std::uint64_t first = 0x0000fe00;  // NaN operands, then the results of +0 / b, then of 1
                                           // / b
  std::vector<std::uint16_t> results = soft_results(sweep, first, 100'000);
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (results[i] == 0x7e00) results[i] = static_cast<std::uint16_t>(0xfc01 + i % 3);
  }
  for (const Target target : host_targets()) {
    const Options options{.threads = 2, .target = target};
    EXPECT_EQ((Differences{0, {}}), compare_pairs(sweep, first, results, options));
    std::vector<std::uint16_t> wrong = results;
    for (const std::size_t place : {99'999U, 70'000U, 1234U}) wrong[place] ^= 0x8000;  // numbers
    wrong[5] ^= 0x8000;                                                                // a NaN
    EXPECT_EQ((Differences{3, first + 1234}), compare_pairs(sweep, first, wrong, options));
  }
}

TEST(PairSweep, RefusesWhatItCannotSweep) {
  const auto call = [](const PairSweep& sweep, std::uint64_t first, std::uint64_t count) {
    static_cast<void>(pair_digest(sweep, first, count));
  };
  EXPECT_THROW(call({formats::kFp32, Operation::kAdd}, 0, 1), std::invalid_argument);
  EXPECT_THROW(call({formats::kFp16, Operation::kFma}, 0, 1), std::invalid_argument);
  EXPECT_THROW(call({formats::kFp16, Operation::kSqrt}, 0, 1), std::invalid_argument);
  EXPECT_THROW(call({formats::kFp16, Operation::kAdd}, kPairs, 1), std::invalid_argument);
  EXPECT_THROW(call({formats::kFp16, Operation::kAdd}, 1, kPairs), std::invalid_argument);
  EXPECT_EQ(Digest{}, pair_digest({formats::kFp16, Operation::kAdd}, kPairs, 0));
}

}  // namespace
}  // namespace halfmark::fast
