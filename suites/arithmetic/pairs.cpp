// SPDX-License-Identifier: Apache-2.0
#include "suites/arithmetic/pairs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reference/fast/functions.hpp"
#include "reference/fast/sweep.hpp"
#include "suites/core/case/errors.hpp"

namespace halfmark::suites::arithmetic {
namespace {

using formats::Bits;
using formats::Format;
using formats::Tensor;

constexpr std::uint64_t kRun = 1024;  // HM_PAIRS_RUN of kernels/pairs.hk
constexpr std::uint64_t kRowRuns = kRowPairs / kRun;
constexpr std::uint64_t kBlockPairs = 1u << 24;  // per launch: 32 MiB of results
constexpr std::uint32_t kGroupItems = 64;

// A word that is not a number: no encoding equals another, unlike NaNs in a floating-point format.
constexpr Format kWord{.name = "word",
                       .bits = 32,
                       .exponent_bits = 8,
                       .fraction_bits = 23,
                       .bias = 127,
                       .non_finite = formats::NonFinite::kNone};

std::uint64_t count_of(const Case& c) { return c.number("size", 'n'); }
std::uint64_t first_pair(const Case& c) { return c.seed * kRowPairs; }

Launch launch_of(std::string entry, std::uint64_t runs, std::vector<PlanArgument> arguments) {
  return {.family = "pairs",
          .defines = {},
          .entry = std::move(entry),
          .groups = {static_cast<std::uint32_t>((runs + kGroupItems - 1) / kGroupItems), 1, 1},
          .items = {kGroupItems, 1, 1},
          .arguments = std::move(arguments)};
}

TensorSet as_words(std::span<const fast::Digest> digests) {
  Tensor words = Tensor::zeros(kWord, 2 * digests.size());
  for (std::size_t i = 0; i < digests.size(); ++i) {
    words.set(2 * i, digests[i].low);
    words.set(2 * i + 1, digests[i].high);
  }
  TensorSet set;
  set.emplace("digests", std::move(words));
  return set;
}

}  // namespace

std::optional<fast::Operation> engine_operation(const Operation& operation) {
  return fast::parse_operation(plain_name(operation));
}

bool has_pairs(const Operation& operation) {
  return operation.arity == 2 && operation.operand == &formats::kFp16 &&
         operation.result == &formats::kFp16 && !is_bounded(operation) &&
         engine_operation(operation).has_value();
}

void require_pairs(const Case& c, std::uint64_t count) {
  if (c.seed >= kRowPairs || count > fast::kPairs - first_pair(c)) {
    throw UsageError(
        fmt::format("case '{}': there are 2^32 pairs, and {} of them do not follow row {}; the "
                    "seed is the encoding of the first operand, up to 65535",
                    print(c), count, c.seed));
  }
  if (count > kMostListed && count % kRowPairs != 0) {
    throw UsageError(
        fmt::format("case '{}': more than {} pairs are digested by rows; take a multiple of {}",
                    print(c), kMostListed, kRowPairs));
  }
}

bool is_digested(const Case& c) {
  return c.word("fill") == kPairsFill && count_of(c) > kMostListed;
}

Plan digest_plan(const Operation& operation, const Case& c) {
  const std::uint64_t count = count_of(c);
  Plan plan;
  plan.tensors = {{"encodings", &formats::kFp16, kRowPairs, Role::kInput},
                  {"results", &formats::kFp16, std::min(count, kBlockPairs), Role::kScratch},
                  {"digests", &kWord, 2 * count / kRun, Role::kOutput}};
  for (std::uint64_t done = 0; done < count; done += kBlockPairs) {
    const std::uint64_t runs = std::min(count - done, kBlockPairs) / kRun;
    const auto first_run = static_cast<std::int32_t>((first_pair(c) + done) / kRun);
    const auto first_digest = static_cast<std::int32_t>(done / kRun);
    const auto all_runs = static_cast<std::int32_t>(runs);
    plan.launches.push_back(
        launch_of(fmt::format("pairs_{}_{}", operation.format, operation.name), runs,
                  {TensorRef{"encodings"}, TensorRef{"results"}, first_run, all_runs}));
    plan.launches.push_back(
        launch_of("pairs_digest", runs,
                  {TensorRef{"results"}, TensorRef{"digests"}, first_run, first_digest, all_runs}));
  }
  return plan;
}

TensorSet every_encoding() {
  TensorSet set;
  set.emplace("encodings", fast::every_encoding(formats::kFp16));
  return set;
}

TensorSet digests_of(const Case& c, const PairResult& result) {
  std::vector<fast::Digest> digests(count_of(c) / kRun);
  fast::for_each_part(digests.size(), 0, fast::Direction::kNearEven, [&](std::size_t run) {
    const std::uint64_t first = first_pair(c) + run * kRun;
    fast::Digest own;
    for (std::uint64_t pair = first; pair < first + kRun; ++pair) {
      const Bits bits = result(pair / kRowPairs, pair % kRowPairs);
      own += fast::digest_of_element(formats::kFp16, pair, bits);
    }
    digests[run] = own;
  });
  return as_words(digests);
}

TensorSet digests_of(const Operation& operation, const Case& c) {
  std::vector<fast::Digest> digests(count_of(c) / kRun);
  const fast::PairSweep sweep{formats::kFp16, engine_operation(operation).value()};
  fast::run_digests(sweep, first_pair(c), kRun, digests);
  return as_words(digests);
}

std::vector<Case> rows_of(const Case& c, const std::vector<std::size_t>& elements) {
  std::vector<Case> rows;
  for (const std::size_t element : elements) {
    const std::uint64_t row = c.seed + element / (2 * kRowRuns);
    if (!rows.empty() && rows.back().seed == row) continue;
    Case part = c;
    part.seed = row;
    for (Token& token : part.tokens) {
      if (token.axis == "size") token.text = fmt::format("n{}", kRowPairs);
    }
    rows.push_back(std::move(part));
  }
  return rows;
}

}  // namespace halfmark::suites::arithmetic
