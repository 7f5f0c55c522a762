// SPDX-License-Identifier: Apache-2.0
#include "reference/fast/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <mutex>
#include <stdexcept>

#include "reference/fast/digest_kernels.hpp"
#include "reference/fast/elementwise_kernels.hpp"

namespace halfmark::fast {
namespace {

using formats::Format;

// Pairs per block. They share a, and their results stay in the level-1 cache.
constexpr std::uint64_t kBlock = 8192;
constexpr std::uint64_t kSecondOperands = std::uint64_t{1} << 16;
static_assert(kBlock == kLongestRun && kSecondOperands % kBlock == 0 &&
              kBlock % ElementwiseKernels::kPairStep == 0);
// Blocks per part, so that threads rarely contend.
constexpr std::uint64_t kPartBlocks = 64;

void require_well_formed(const PairSweep& sweep, std::uint64_t first, std::uint64_t count) {
  if (sweep.format.storage_bits() != 16 || arity(sweep.operation) != 2) {
    throw std::invalid_argument(
        fmt::format("{}.{}: a sweep of pairs takes a format of 16 bits and two operands",
                    sweep.format.name, to_string(sweep.operation)));
  }
  if (first > kPairs || count > kPairs - first) {
    throw std::invalid_argument(
        fmt::format("pairs {} to {} are out of range: there are 2^32 pairs", first, first + count));
  }
}

ElementwiseKernels::Pairs kernel_of(const PairSweep& sweep, Target target) {
  const ElementwiseKernels* kernels = elementwise_kernels(target);
  if (kernels == nullptr) return nullptr;
  const auto index = static_cast<std::size_t>(sweep.operation);
  if (sweep.format == formats::kFp16) return kernels->fp16_pairs[index];
  if (sweep.format == formats::kBf16) return kernels->bf16_pairs[index];
  return nullptr;
}

// Computes the whole block that starts with this pair.
void fill_block(const PairSweep& sweep, ElementwiseKernels::Pairs kernel, std::uint64_t first,
                std::span<std::uint16_t, kBlock> results) {
  const auto a = static_cast<std::uint16_t>(first / kSecondOperands);
  const auto b = static_cast<std::uint16_t>(first % kSecondOperands);
  if (kernel != nullptr) return kernel(a, b, kBlock, results.data());
  const auto fill = [&](auto folded) {
    for (std::uint64_t i = 0; i < kBlock; ++i) {
      results[i] =
          static_cast<std::uint16_t>(soft_element(sweep.operation, folded.format, a, b + i, 0));
    }
  };
  if (!formats::with_constant_format(sweep.format, fill)) {
    fill(formats::RuntimeFormat{sweep.format});
  }
}

// The digest of a range of results, each indexed by its pair's number.
class BlockDigest {
 public:
  BlockDigest(const Format& format, Target target)
      : format_(format), kernels_(digest_kernels(target)), rule_(word_rule(format)) {}

  [[nodiscard]] Digest operator()(std::uint64_t begin,
                                  std::span<const std::uint16_t> results) const {
    if (kernels_ != nullptr) {
      return kernels_->halves(std::as_bytes(results).data(), results.size(), begin, rule_);
    }
    Digest sum;
    for (const std::uint16_t bits : results) sum += digest_of_element(format_, begin++, bits);
    return sum;
  }

 private:
  const Format& format_;
  const DigestKernels* kernels_;
  WordRule rule_;
};

// The first difference, which must exist.
std::uint64_t first_difference(const Format& format, std::span<const std::uint16_t> expected,
                               const std::uint16_t* actual) {
  std::uint64_t i = 0;
  while (expected[i] == actual[i] ||
         (formats::is_nan(format, expected[i]) && formats::is_nan(format, actual[i]))) {
    ++i;
  }
  return i;
}

std::size_t count_differences(const Format& format, Target target, const WordRule& rule,
                              std::span<const std::uint16_t> expected,
                              const std::uint16_t* actual) {
  if (const DigestKernels* kernels = digest_kernels(target)) {
    return kernels->differences(expected.data(), actual, expected.size(), rule);
  }
  std::size_t count = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const bool both_nan =
        formats::is_nan(format, expected[i]) && formats::is_nan(format, actual[i]);
    if (expected[i] != actual[i] && !both_nan) ++count;
  }
  return count;
}

}  // namespace

void for_each_pair_block(const PairSweep& sweep, std::uint64_t first, std::uint64_t count,
                         const PairBlock& body, const Options& options) {
  require_well_formed(sweep, first, count);
  if (count == 0) return;
  const auto kernel = kernel_of(sweep, options.chosen_target());
  constexpr std::uint64_t kPart = kPartBlocks * kBlock;
  const std::uint64_t first_part = first / kPart;
  const std::uint64_t parts = (first + count - 1) / kPart - first_part + 1;
  for_each_part(parts, options.threads, Direction::kNearEven, [&](std::size_t part) {
    alignas(64) std::array<std::uint16_t, kBlock> results;
    const std::uint64_t start = (first_part + part) * kPart;
    for (std::uint64_t block = start; block < start + kPart; block += kBlock) {
      const std::uint64_t begin = std::max(first, block);
      const std::uint64_t end = std::min(first + count, block + kBlock);
      if (begin >= end) continue;
      fill_block(sweep, kernel, block, results);
      body(begin, std::span(results).subspan(begin - block, end - begin));
    }
  });
}

Digest pair_digest(const PairSweep& sweep, std::uint64_t first, std::uint64_t count,
                   const Options& options) {
  const BlockDigest digest_of(sweep.format, options.chosen_target());
  Digest sum;
  std::mutex mutex;
  for_each_pair_block(
      sweep, first, count,
      [&](std::uint64_t begin, std::span<const std::uint16_t> results) {
        const Digest own = digest_of(begin, results);
        const std::scoped_lock lock(mutex);
        sum += own;
      },
      options);
  return sum;
}

void run_digests(const PairSweep& sweep, std::uint64_t first, std::uint64_t run,
                 std::span<Digest> digests, const Options& options) {
  if (!std::has_single_bit(run) || run > kLongestRun || first % run != 0) {
    throw std::invalid_argument(
        fmt::format("runs of {} pairs from {}: a run is a power of two up "
                    "to {}, and begins at a multiple of itself",
                    run, first, kLongestRun));
  }
  const BlockDigest digest_of(sweep.format, options.chosen_target());
  // A block consists of whole runs, so no two threads work on the same run.
  for_each_pair_block(
      sweep, first, run * digests.size(),
      [&](std::uint64_t begin, std::span<const std::uint16_t> results) {
        for (std::uint64_t at = 0; at < results.size(); at += run) {
          digests[(begin + at - first) / run] = digest_of(begin + at, results.subspan(at, run));
        }
      },
      options);
}

Differences compare_pairs(const PairSweep& sweep, std::uint64_t first,
                          std::span<const std::uint16_t> actual, const Options& options) {
  const Target target = options.chosen_target();
  const WordRule rule = word_rule(sweep.format);
  Differences found;
  std::mutex mutex;
  for_each_pair_block(
      sweep, first, actual.size(),
      [&](std::uint64_t begin, std::span<const std::uint16_t> expected) {
        const std::uint16_t* results = actual.data() + (begin - first);
        const std::size_t count = count_differences(sweep.format, target, rule, expected, results);
        if (count == 0) return;
        const std::uint64_t place = begin + first_difference(sweep.format, expected, results);
        const std::scoped_lock lock(mutex);
        found.count += count;
        found.first = std::min(found.first.value_or(place), place);
      },
      options);
  return found;
}

}  // namespace halfmark::fast
