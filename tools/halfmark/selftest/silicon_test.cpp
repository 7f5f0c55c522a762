// SPDX-License-Identifier: Apache-2.0
// The self-test of silicon, on units made of software: the right one passes, wrong ones do not.
// What this processor has is compared, too.
#include "tools/halfmark/selftest/silicon.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tools/halfmark/selftest/silicon_neighbours.hpp"

namespace halfmark::tools {
namespace {

using Evaluate = std::function<formats::Bits(const UnitSum&)>;

// An instruction of one row, one column and two products.
SiliconUnit unit_of(const Evaluate& evaluate) {
  const auto chain = [evaluate](const std::uint16_t* a, const std::uint16_t* b, float* d,
                                std::size_t steps) {
    std::uint32_t word = 0;
    std::memcpy(&word, d, sizeof word);
    for (std::size_t step = 0; step < steps; ++step, a += 2, b += 2)
      word = static_cast<std::uint32_t>(evaluate({{a[0], a[1]}, {b[0], b[1]}, word}));
    std::memcpy(d, &word, sizeof word);
  };
  return {.library = "software",
          .name = "dp.bf16.fp32",
          .shape = "m1n1k2",
          .missing = {},
          .model = models::find_unit("unit.avx512.dp.bf16.fp32"),
          .m = 1,
          .n = 1,
          .k = 2,
          .beside = 2,
          .chain = chain};
}

formats::Bits by_model(const UnitSum& sum) {
  return evaluate(*models::find_unit("unit.avx512.dp.bf16.fp32"), sum);
}

struct Outcome {
  int code;
  nlohmann::json report;
};

Outcome examine(const std::vector<SiliconUnit>& units) {
  std::ostringstream out;
  const int code = selftest_silicon(
      out, {.random_sums = 50'000, .corner_step = 32, .seed = 1, .json = true}, units);
  return {code, nlohmann::json::parse(out.str())};
}

TEST(Silicon, TheModelItselfPassesAndContradictsEveryNeighbour) {
  const Outcome outcome = examine({unit_of(by_model)});
  EXPECT_EQ(0, outcome.code) << outcome.report.dump(2);
  const nlohmann::json& row = outcome.report["units"][0];
  EXPECT_GT(row["compared"], 100'000);
  EXPECT_GE(row["neighbours"].size(), 10U);
  for (const nlohmann::json& neighbour : row["neighbours"])
    EXPECT_NE(0, neighbour["contradicted_after"]) << neighbour["name"];
}

TEST(Silicon, EveryWrongNeighbourIsSeenAsDifferent) {
  for (const SiliconNeighbour& wrong :
       silicon_neighbours(*models::find_unit("unit.avx512.dp.bf16.fp32"))) {
    const Outcome outcome = examine({unit_of(wrong.evaluate)});
    EXPECT_EQ(1, outcome.code) << wrong.name;
    const nlohmann::json& row = outcome.report["units"][0];
    EXPECT_GT(row["failures"], 0) << wrong.name;
    EXPECT_NE("", row["first_failure"]) << wrong.name;
  }
}

TEST(Silicon, AUnitThatIsMissingIsNamedAndNoPass) {
  SiliconUnit absent = unit_of(by_model);
  absent.missing = "the processor has no such thing";
  const Outcome outcome = examine({absent});
  EXPECT_EQ(3, outcome.code);
  EXPECT_EQ(false, outcome.report["passed"]);
  EXPECT_EQ("the processor has no such thing", outcome.report["units"][0]["missing"]);
  EXPECT_EQ(0, examine({absent, unit_of(by_model)}).code);
}

TEST(Silicon, EveryInstructionHasAModel) {
  for (const SiliconUnit& unit : units_of_this_processor())
    EXPECT_NE(nullptr, unit.model) << unit.name;
}

TEST(Silicon, ThisProcessorsUnitsAreTheirModels) {
  std::ostringstream out;
  const int code =
      selftest_silicon(out, {.random_sums = 20'000, .corner_step = 32}, units_of_this_processor());
  if (code == 3) GTEST_SKIP() << out.str();
  EXPECT_EQ(0, code) << out.str();
}

}  // namespace
}  // namespace halfmark::tools
