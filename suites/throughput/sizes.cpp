// SPDX-License-Identifier: Apache-2.0
#include "suites/throughput/sizes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <iterator>
#include <string>
#include <thread>

#include "reference/formats/format.hpp"
#include "suites/core/case/errors.hpp"
#include "suites/registry.hpp"
#include "suites/throughput/conditions.hpp"
#include "suites/throughput/kept_inputs.hpp"
#include "suites/throughput/targets.hpp"

namespace halfmark::suites::throughput {
namespace {

using SteadyClock = std::chrono::steady_clock;

// Overshoot, so that the next launch is not slightly too short.
constexpr double kAim = 1.25;
constexpr int kMostTrials = 6;
constexpr int kPairsOfSteps = 5;
constexpr double kGrowth = 4;        // while launch overhead is a part of the time
constexpr double kMostGrowth = 512;  // per trial; the first launches of a program mislead
constexpr auto kLongestWait = std::chrono::milliseconds(60);
// Two copies of the buffers are launched in alternation, so that four caches lie between
// two visits.
constexpr std::uint64_t kCachesOfAStream = 2;
// Twice what two processors with memory of their own, HBM2e of 1 TB/s each, have.
constexpr double kMostBytesPerNsOfProcessors = 4000;

constexpr std::uint64_t kSides[] = {128,  192,  256,  384,  512,  768,   1024, 1536,
                                    2048, 3072, 4096, 6144, 8192, 12288, 16384};
// A product of this side is a point of its own, timed at its size (targets.cpp).
constexpr std::uint64_t kLeastPoint = 1024;
constexpr std::string_view kLength = "length";
constexpr std::string_view kShape = "shape";
// Work-items of a chain or packs of a stream, limited by the elements that a tensor may have, and
// the items of a work-group.
constexpr std::uint64_t kGroup = 64;
constexpr std::uint64_t kMostItems = std::uint64_t{1} << 28;

bool has_axis(const Case& c, std::string_view axis) {
  return std::ranges::any_of(c.tokens, [&](const Token& token) { return token.axis == axis; });
}

Case with_word(Case c, std::string_view axis, std::string text) {
  std::ranges::find(c.tokens, axis, &Token::axis)->text = std::move(text);
  return c;
}

// The suites whose rows grow.
constexpr std::string_view kRowSuites[] = {"softmax", "layernorm"};

bool is_stream(const Case& c) { return has_axis(c, kLength) && c.number(kLength, 'r') < 2; }

bool is_of_rows(const Case& c) { return std::ranges::count(kRowSuites, c.suite) > 0; }

bool exists(const Case& c) {
  try {
    static_cast<void>(find_suite(c.suite).bind(c));
    return true;
  } catch (const UsageError&) {
    return false;
  }
}

// Few bits may make a product faster, never slower, so that it serves as a roof all the same.
bool is_only_on_few_bits(const Case& c) { return c.word("format") == "tf32"; }

std::uint64_t side_of(const Case& c) { return c.number(kShape, 'm'); }

Case with_side(const Case& c, std::uint64_t side) {
  return with_word(c, kShape, fmt::format("m{0}n{0}k{0}", side));
}

bool can_be_verified(std::uint64_t side) {
  const std::uint64_t threads = std::max(1u, std::thread::hardware_concurrency());
  return side * side * side <= kMostProductsPerThread * threads;
}

// The first side that is large enough, or else the largest one available.
Case grown_product(const Case& c, double factor) {
  const double wanted = static_cast<double>(side_of(c)) * std::cbrt(factor);
  Case largest = c;
  for (const std::uint64_t side : kSides) {
    if (side <= side_of(c)) continue;
    Case next = with_side(c, side);
    if (!can_be_verified(side) || !exists(next)) break;
    largest = std::move(next);
    if (static_cast<double>(side) >= wanted) break;
  }
  return largest;
}

Case with_length(const Case& c, std::uint64_t items, std::uint64_t rounds) {
  return with_word(c, kLength, fmt::format("n{}r{}", items, rounds));
}

// Longer chains first, since they cost neither memory nor reference time; then more items.
Case grown_chain(const Case& c, double factor) {
  const std::uint64_t items = c.number(kLength, 'n');
  std::uint64_t rounds = c.number(kLength, 'r');
  const bool is_chain = rounds > 1;
  while (is_chain && factor > 1 && exists(with_length(c, items, 2 * rounds))) {
    rounds *= 2;
    factor /= 2;
  }
  const double wanted = static_cast<double>(items) * std::max(factor, 1.0);
  auto more = static_cast<std::uint64_t>(std::min(wanted, static_cast<double>(kMostItems)));
  more = std::max(items, (more + kGroup - 1) / kGroup * kGroup);
  while (more > items && !exists(with_length(c, more, rounds))) more = more / 2 / kGroup * kGroup;
  return with_length(c, std::max(more, items), rounds);
}

Case grown_rows(const Case& c, double factor, std::uint64_t most_elements) {
  const std::uint64_t width = c.number(kShape, 'n');
  const double wanted = static_cast<double>(c.number(kShape, 'r')) * factor;
  const std::uint64_t most =
      std::max(most_elements / std::max<std::uint64_t>(width, 1), c.number(kShape, 'r'));
  const std::uint64_t rows =
      wanted < static_cast<double>(most) ? static_cast<std::uint64_t>(wanted) : most;
  return with_word(c, kShape, fmt::format("r{}n{}", rows, width));
}

struct Trial {
  std::uint64_t event_ns = 0;
  SteadyClock::duration waited{};
};

// Times the second of two launches: the first includes one-time costs of the program. Nothing if
// the library declines the case.
std::optional<Trial> launch_twice(Session& session, const Case& c) {
  const Suite& suite = find_suite(c.suite);
  const auto problem = suite.bind(c);
  const Plan plan = problem->plan(session.device().info());
  PreparedPlan prepared(session, plan, kept_inputs(*problem), Unset{});
  static_cast<void>(prepared.launch());
  const auto begin = SteadyClock::now();
  const std::uint64_t event_ns = prepared.launch();
  if (prepared.not_supported()) return std::nullopt;
  return Trial{.event_ns = event_ns, .waited = SteadyClock::now() - begin};
}

std::uint64_t wanted_ns(const Case& c) {
  if (is_of_rows(c)) return kSpeakingRowsNs;
  if (is_stream(c)) return kSpeakingStreamNs;
  if (with_half_the_steps(c) &&
      !exists(with_length(c, c.number(kLength, 'n'), 2 * c.number(kLength, 'r'))))
    return kSpeakingShortChainNs;
  return with_half_the_steps(c) ? kSpeakingChainNs : kSpeakingNs;
}

SteadyClock::duration longest_wait(const Case& c) {
  return with_half_the_steps(c) ? 2 * kLongestWait : kLongestWait;
}

// Only chains have steps that their time could follow. A busy host lengthens single launches, and
// clocks change, so that half the steps are compared with all of them side by side; they count as
// too slow only if every pair says so.
bool follows_steps(Session& session, const Case& c, Trial whole) {
  const std::optional<Case> half = with_half_the_steps(c);
  if (!half) return true;
  for (int i = 0; i < kPairsOfSteps; ++i) {
    if (i > 0) whole = launch_twice(session, c).value_or(Trial{});
    const Trial trial = launch_twice(session, *half).value_or(Trial{});
    if (static_cast<double>(whole.event_ns) >= kFollowsSteps * static_cast<double>(trial.event_ns))
      return true;
  }
  return false;
}

// Whether no processor moves so many bytes in less than the time wanted. Trying it would allocate
// and fill them once more.
bool is_surely_long(const backends::DeviceInfo& device, const Case& c) {
  if (!is_stream(c) || device.kind != "cpu") return false;
  const auto bytes = static_cast<double>(traffic_bytes(find_suite(c.suite).bind(c)->plan(device)));
  return bytes >= kMostBytesPerNsOfProcessors * static_cast<double>(wanted_ns(c));
}

Case least_size(const backends::DeviceInfo& device, const Case& c) {
  if (c.suite == "gemm" && device.kind == "gpu" && side_of(c) < kLeastSideOnGpu)
    return with_side(c, kLeastSideOnGpu);
  if (!is_stream(c)) return c;
  const std::uint64_t bytes = traffic_bytes(find_suite(c.suite).bind(c)->plan(device));
  const std::uint64_t wanted = kCachesOfAStream * cache_bytes(device);
  return bytes >= wanted || bytes == 0
             ? c
             : grown(c, static_cast<double>(wanted) / static_cast<double>(bytes));
}

}  // namespace

bool may_grow(const Case& c) {
  if (find_target(c) == nullptr) return false;
  const Labels labels = labels_of(c);
  const bool is_random = regime_of(labels.fill) == Regime::kRandom;
  if (has_axis(c, kLength) || (is_of_rows(c) && is_random)) return true;
  if (c.suite != "gemm" || !labels.shape.ends_with(".plain")) return false;
  const std::uint64_t side = side_of(c);
  return side % 64 == 0 && side < kLeastPoint && c.number(kShape, 'n') == side &&
         c.number(kShape, 'k') == side && (is_random || is_only_on_few_bits(c));
}

Case grown(const Case& c, double factor, std::uint64_t most_in_rows) {
  if (factor <= 1) return c;
  if (is_of_rows(c)) return grown_rows(c, factor, most_in_rows);
  return has_axis(c, kLength) ? grown_chain(c, factor) : grown_product(c, factor);
}

Case as_large_as(const Case& c, const Case& like) {
  const std::string_view axis = has_axis(c, kLength) ? kLength : kShape;
  Case same = with_word(c, axis, std::string(like.word(axis)));
  return exists(same) ? same : c;
}

std::optional<Case> with_half_the_steps(const Case& c) {
  if (!has_axis(c, kLength) || c.number(kLength, 'r') < 2) return std::nullopt;
  return with_length(c, c.number(kLength, 'n'), c.number(kLength, 'r') / 2);
}

Case speaking_size(Session& session, const Case& c) {
  const backends::DeviceInfo& device = session.device().info();
  if (!may_grow(c) || has_modelled_clock(device)) return c;
  Case now = least_size(device, c), offered = c;
  if (is_surely_long(device, now)) return now;
  const std::uint64_t most_in_rows = device.kind == "gpu" ? kMostInRowsOnGpu : kMostInRows;
  for (int i = 0; i < kMostTrials; ++i) {
    const std::optional<Trial> trial = launch_twice(session, now);
    if (!trial) return offered;
    offered = now;
    if (trial->waited >= longest_wait(now)) break;
    const double lacks = kAim * static_cast<double>(wanted_ns(now)) /
                         static_cast<double>(std::max<std::uint64_t>(trial->event_ns, 1));
    const bool is_long = trial->event_ns >= wanted_ns(now);
    if (is_long && follows_steps(session, now, *trial)) break;
    Case next = grown(now, is_long ? kGrowth : std::clamp(lacks, kAim, kMostGrowth), most_in_rows);
    if (next == now) break;
    now = std::move(next);
  }
  return now;
}

std::vector<Case> witnesses_of(const Case& c) {
  std::vector<Case> cases = {c};
  if (c.suite != "gemm") return cases;
  const formats::Format* operands = formats::find_format(c.word("format"));
  if (operands->precision() >= formats::kFp32.precision()) return cases;
  cases.push_back(with_word(c, "fill", "permutation"));
  if (c.word("accumulator") == "acc-fp32" && !is_only_on_few_bits(c))
    cases.push_back(with_word(c, "fill", "wide"));
  return cases;
}

}  // namespace halfmark::suites::throughput
