// SPDX-License-Identifier: Apache-2.0
// Lives of tensors counted by hand and against lint; runtimes that lie, are silent or do not
// follow, of whose figures none may be used; the report as text.
#include "tools/halfmark/lab/memory.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <sstream>

#include "suites/core/case/errors.hpp"
#include "tools/halfmark/lab/memory_verb.hpp"
#include "tools/halfmark/lint/memory.hpp"

namespace halfmark::tools::lab {
namespace {

using backends::MemoryAnswer;
using nlohmann::json;

constexpr std::uint64_t kTotal = 10'000'000'000;

const MemoryMode& mode_named(std::string_view name) {
  for (const MemoryMode& mode : memory_modes()) {
    if (mode.name == name) return mode;
  }
  throw std::invalid_argument(std::string(name));
}

std::uint64_t most(const Asked& asked, Holds holds) {
  return asked.most[static_cast<std::size_t>(holds)];
}

// 4 x 8 -> 6 -> ReLU -> dropout -> 5 -> ReLU -> dropout -> 3, cross-entropy, Adam.
constexpr Size kTiny{"tiny", 4, {8, 6, 5, 3}};
constexpr std::uint64_t kParameters = 9 * 6 + 7 * 5 + 6 * 3;

TEST(Resident, OfFp32CountedByHand) {
  const Asked asked = asked_of(schedule_of(mlp_design(), kTiny, mode_named("fp32")));
  EXPECT_EQ(4 * kParameters, most(asked, Holds::kWeights));
  EXPECT_EQ(0U, most(asked, Holds::kCopies));
  EXPECT_EQ(4 * kParameters, most(asked, Holds::kGradients));
  EXPECT_EQ(8 * kParameters, most(asked, Holds::kState));
  EXPECT_EQ(12 * kParameters, asked.prepared);
  // x; of each hidden layer ReLU's and dropout's results and a mask; y.
  const std::uint64_t kept = 4 * (4 * 8) + (4 + 4 + 1) * (4 * 6 + 4 * 5) + 4 * (4 * 3);
  EXPECT_EQ(kept, asked.kept);
  EXPECT_EQ(asked.prepared + kept + 4 * 4, asked.forward) << "labels";
}

TEST(Resident, OfAutocastCountedByHand) {
  const Asked asked = asked_of(schedule_of(mlp_design(), kTiny, mode_named("autocast")));
  EXPECT_EQ(4 * kParameters, most(asked, Holds::kWeights));
  EXPECT_EQ(2 * kParameters, most(asked, Holds::kCopies));
  EXPECT_EQ(4 * kParameters, most(asked, Holds::kGradients));
  EXPECT_EQ(2 * (4 * 8) + (2 + 2 + 1) * (4 * 6 + 4 * 5) + 4 * (4 * 3), asked.kept)
      << "the loss takes fp32";
}

TEST(Resident, ComputedAgainKeepsOperandsOfProductsAlone) {
  const Asked asked = asked_of(schedule_of(mlp_design(), kTiny, mode_named("fp32-again")));
  EXPECT_EQ(4U * (4 * 8 + 4 * 6 + 4 * 5 + 4 * 3), asked.kept);
}

// Each tensor comes once and goes once, except for what lives longer than a step.
TEST(Resident, OnlyWeightsAndStateAreLeft) {
  for (const MemoryNetwork& network : memory_networks()) {
    for (const MemoryMode& mode : memory_modes()) {
      const Schedule schedule = schedule_of(network.design(), network.size, mode);
      std::set<std::size_t> alive, seen;
      for (const Event& event : schedule.events) {
        if (event.mark != Mark::kNone) continue;
        if (event.comes) {
          EXPECT_TRUE(seen.insert(event.tensor).second);
        }
        EXPECT_EQ(1U, event.comes ? alive.insert(event.tensor).second : alive.erase(event.tensor))
            << mode.name << ' ' << schedule.tensors[event.tensor].name;
      }
      std::uint64_t left = 0;
      for (const std::size_t tensor : alive) left += schedule.tensors[tensor].bytes;
      EXPECT_EQ(asked_of(schedule).prepared, left) << mode.name;
      EXPECT_EQ(schedule.tensors.size(), seen.size());
    }
  }
}

// Two independent statements of the same: lint's from a description, this one from lives.
TEST(Resident, AsksForWhatLintComputes) {
  for (const MemoryNetwork& network : memory_networks()) {
    const auto rows = lint::memory_by_mode(
        lint::parse_model(description_of(network.design(), network.size).dump()));
    for (const MemoryMode& mode : memory_modes()) {
      for (const lint::Memory& row : rows) {
        if (row.mode != mode.lint) continue;
        const Asked asked = asked_of(schedule_of(network.design(), network.size, mode));
        EXPECT_EQ(row.weights, most(asked, Holds::kWeights)) << mode.name;
        EXPECT_EQ(row.copies, most(asked, Holds::kCopies)) << mode.name;
        EXPECT_EQ(row.gradients, most(asked, Holds::kGradients)) << mode.name;
        EXPECT_EQ(row.state, most(asked, Holds::kState)) << mode.name;
        // The loss takes fp32 here, also where all of lint's layers are in 16 bits.
        const std::size_t outputs = network.design().layers.size();
        const bool is_narrow = row.mode == "master" || row.mode == "narrow";
        const std::uint64_t wider =
            is_narrow ? 2 * network.size.batch * network.size.widths[outputs] : 0;
        EXPECT_EQ(row.activations + wider, asked.kept) << mode.name;
      }
    }
  }
}

// A runtime whose answer is a function of what is held, and of how often it was asked.
struct Runtime {
  std::function<MemoryAnswer(std::uint64_t held, int asked)> says;
  std::map<std::size_t, std::uint64_t> blocks = {};
  int asked = 0;

  [[nodiscard]] MemoryDevice device() {
    return {.come = [this](std::size_t tensor, std::uint64_t bytes) { blocks[tensor] = bytes; },
            .go = [this](std::size_t tensor) { blocks.erase(tensor); },
            .ask =
                [this] {
                  std::uint64_t held = 0;
                  for (const auto& [tensor, bytes] : blocks) held += bytes;
                  return says(held, asked++);
                }};
  }
};

MemoryAnswer in_use(std::uint64_t bytes) {
  return {.known = true,
          .source = "a runtime",
          .used_bytes = bytes,
          .free_bytes = kTotal - bytes,
          .total_bytes = kTotal};
}

Measured measured(std::function<MemoryAnswer(std::uint64_t, int)> says) {
  Runtime runtime{std::move(says)};
  return measure(runtime.device(),
                 schedule_of(fragile_design(), memory_networks()[0].size, memory_modes()[0]));
}

TEST(Measure, OfARuntimeThatCountsGivesWhatWasAskedFor) {
  const Asked asked =
      asked_of(schedule_of(fragile_design(), memory_networks()[0].size, memory_modes()[0]));
  constexpr std::uint64_t kOthers = 123'456'789;
  const Measured got = measured([](std::uint64_t held, int) { return in_use(kOthers + held); });
  EXPECT_EQ("", got.doubt);
  EXPECT_EQ(asked.prepared, got.prepared);
  EXPECT_EQ(asked.forward, got.forward);
  EXPECT_EQ(asked.peak, got.peak);
  EXPECT_EQ(0U, got.left);
  EXPECT_EQ(kTotal - kOthers, got.free_before);
}

TEST(Measure, OfARuntimeThatReservesGivesWhatItReserves) {
  const Measured got = measured([most = std::uint64_t{0}](std::uint64_t held, int) mutable {
    most = std::max(most, held);
    return in_use(2 * most);
  });
  EXPECT_EQ("", got.doubt);
  EXPECT_EQ(got.peak, got.left) << "it returns nothing";
}

TEST(Measure, BelievesNoRuntimeThatDoesNotFollow) {
  const Measured still = measured([](std::uint64_t, int) { return in_use(kTotal / 2); });
  EXPECT_EQ("a runtime says the same before and after 170.2 MB were written", still.doubt);
  const Measured backward =
      measured([](std::uint64_t held, int) { return in_use(kTotal / 2 - held); });
  EXPECT_EQ("a runtime says the same before and after 170.2 MB were written", backward.doubt);
  const Measured half = measured([](std::uint64_t held, int) { return in_use(held / 2); });
  EXPECT_EQ("a runtime says that 85.09 MB are in use where 170.2 MB were written", half.doubt);
  for (const Measured& got : {still, backward, half})
    EXPECT_EQ(json({{"doubt", got.doubt}}), to_json(got)) << "no figure leaves";
}

TEST(Measure, BelievesNoRuntimeWhoseMemoryOthersUse) {
  const Measured got = measured([](std::uint64_t held, int asked) {
    return in_use(held + (asked % 2 == 0 ? 0 : 50'000'000));
  });
  EXPECT_EQ("a runtime changes by 50 MB while nothing is done: others use this memory too",
            got.doubt);
}

TEST(Measure, GivesTheReasonOfARuntimeThatDoesNotSay) {
  EXPECT_EQ("no such call", measured([](std::uint64_t, int) {
                              return MemoryAnswer{.answer = "no such call"};
                            }).doubt);
  const Measured later = measured([](std::uint64_t held, int asked) {
    return asked < 5 ? in_use(held) : MemoryAnswer{.answer = "gone"};
  });
  EXPECT_EQ("gone", later.doubt);
}

TEST(Matrices, AreAsLargeAsTheirFormats) {
  Runtime runtime{[](std::uint64_t held, int) { return in_use(held); }};
  const json matrices = matrices_on(runtime.device());
  EXPECT_EQ("", matrices.at("doubt"));
  EXPECT_TRUE(runtime.blocks.empty()) << "all are released";
  std::map<std::pair<int, std::string>, std::uint64_t> bytes;
  for (const json& row : matrices.at("rows")) {
    EXPECT_EQ(row.at("asked"), row.at("runtime"));
    bytes[{row.at("side"), row.at("format")}] = row.at("runtime");
  }
  EXPECT_EQ(67'108'864U, (bytes[{4096, "fp32"}]));
  EXPECT_EQ(33'554'432U, (bytes[{4096, "fp16"}]));
  EXPECT_EQ(33'554'432U, (bytes[{4096, "bf16"}]));
  EXPECT_EQ(16'777'216U, (bytes[{4096, "e4m3fn"}]));
}

TEST(Matrices, OfARuntimeThatDoesNotFollowHaveNoFigure) {
  Runtime runtime{[](std::uint64_t, int) { return in_use(5); }};
  const json matrices = matrices_on(runtime.device());
  EXPECT_EQ("a runtime says the same before and after 421 MB were written", matrices.at("doubt"));
  for (const json& row : matrices.at("rows")) EXPECT_TRUE(row.at("runtime").is_null());
}

LabOptions memory_options() {
  LabOptions options;
  options.experiment = kMemoryExperiment;
  return options;
}

TEST(MemoryVerb, RefusesOptionsWithoutMeaning) {
  LabOptions options = memory_options();
  options.size = "small";
  std::ostringstream out;
  try {
    run_memory(options, std::nullopt, out);
    FAIL() << "takes --size";
  } catch (const suites::UsageError& error) {
    EXPECT_STREQ("memory holds tensors and computes nothing; leave out --size", error.what());
  }
  EXPECT_EQ("", out.str());
}

TEST(MemoryVerb, WithoutADevicePrintsWhatIsAskedForAlone) {
  std::ostringstream out;
  EXPECT_EQ(0, run_memory(memory_options(), std::nullopt, out));
  EXPECT_NE(std::string::npos, out.str().find("in 16 bits"));
  EXPECT_EQ(std::string::npos, out.str().find("largest batch"));
  EXPECT_EQ(std::string::npos, out.str().find("does not say"));
}

}  // namespace
}  // namespace halfmark::tools::lab
