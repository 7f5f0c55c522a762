// SPDX-License-Identifier: Apache-2.0
// All 2^32 pairs of the operation whose second rounding rests on the finest argument, fp16
// quotients, and a share of bf16 products and quotients. This takes minutes, not seconds; ci/test
// takes every 37th first operand.
#include <gtest/gtest.h>

#include <mutex>
#include <random>

#include "reference/fast/sweep.hpp"
#include "reference/slow/effort.hpp"

namespace halfmark::fast {
namespace {

constexpr Options kSoft{.target = Target::kPortable};

// Compares the soft-float's results of a range with those of every target with vector code.
Differences differences(const PairSweep& sweep, std::uint64_t first, std::uint64_t count) {
  Differences all;
  std::mutex mutex;
  for_each_pair_block(
      sweep, first, count,
      [&](std::uint64_t begin, std::span<const std::uint16_t> soft_results) {
        for (const Target target : host_targets()) {
          if (target == Target::kPortable) continue;
          const Options options{.threads = 1, .target = target};
          const Differences found = compare_pairs(sweep, begin, soft_results, options);
          if (found.count == 0) continue;
          const std::scoped_lock lock(mutex);
          all.count += found.count;
          all.first = std::min(all.first.value_or(*found.first), *found.first);
        }
      },
      kSoft);
  return all;
}

TEST(PairSweepFull, EveryQuotientOfFp16) {
  constexpr std::uint64_t kRow = 65536;  // one first operand
  const std::uint64_t step = slow::effort<std::uint64_t>(1, 37) * kRow;
  for (std::uint64_t first = 0; first < kPairs; first += step) {
    ASSERT_EQ(Differences{}, differences({formats::kFp16, Operation::kDiv}, first, kRow));
  }
}

// Whole rows of random first operands: all exponents of the second operand.
TEST(PairSweepFull, AShareOfEveryOperation) {
  std::mt19937_64 random(1);
  for (const formats::Format* format : {&formats::kFp16, &formats::kBf16}) {
    for (const Operation operation :
         {Operation::kAdd, Operation::kSub, Operation::kMul, Operation::kDiv, Operation::kMinimum,
          Operation::kMaximum, Operation::kMinimumNumber, Operation::kMaximumNumber}) {
      for (int row = 0; row < slow::effort(500, 30); ++row) {
        const std::uint64_t first = (random() & 0xffff) << 16;
        EXPECT_EQ(Differences{}, differences({*format, operation}, first, 65536))
            << format->name << '.' << to_string(operation);
      }
    }
  }
}

}  // namespace
}  // namespace halfmark::fast
