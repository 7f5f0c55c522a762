// SPDX-License-Identifier: Apache-2.0
// The whole pipeline on real drivers, and the detection of kernels that take shortcuts.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <variant>

#include "suites/core/run/run_case.hpp"
#include "suites/core/testing/forwarding_problem.hpp"
#include "suites/core/testing/suite_checks.hpp"
#include "suites/rates/binding.hpp"
#include "suites/rates/suite.hpp"

namespace halfmark::suites::rates {
namespace {

Session& session() {
  static Session kSession(backends::Device::open("host"));
  return kSession;
}

CaseResult run_with(AlteredProblem::ChangedPlan plan, const std::string& name) {
  const Case c = parse_case("rates", suite().axes, name);
  return run_problem(session(), AlteredProblem(suite().bind(c), std::move(plan)));
}

TEST(Rates, OfEveryDeviceAreRight) { expect_conforming_everywhere(suite(), Level::kStandard); }

Plan shorter(Plan plan) {
  std::get<std::int32_t>(plan.launches.at(0).arguments.back()) -= 1;
  return plan;
}

TEST(RatesOnHost, AChainThatIsOneRoundShortIsNamed) {
  for (const char* operation : {"add", "mul", "fma", "muladd"}) {
    for (const char* format : {"fp16", "fp32"}) {
      const CaseResult result = run_with(shorter, std::string("rates.") + format + "." + operation +
                                                      ".portable.w1.n64r8.periodic.s7");
      EXPECT_EQ(Verdict::kFail, result.verdict) << result.name;
      EXPECT_EQ("missing_steps", result.finding_class) << result.name;
    }
  }
}

// A group streams 512 packs; the last one may have fewer.
TEST(RatesOnHost, StreamsEndAnywhere) {
  const auto unchanged = [](Plan plan) { return plan; };
  for (const char* stream : {"fp32.copy.portable.w1", "fp16.copy.portable.w1",
                             "fp32.triad.portable.w1", "fp16.triad.portable.w1"}) {
    for (const char* length : {"n1", "n63", "n65", "n511", "n512", "n513", "n1600"}) {
      const std::string name = fmt::format("rates.{}.{}r1.periodic.s7", stream, length);
      EXPECT_EQ(Verdict::kPass, run_with(unchanged, name).verdict) << name;
      EXPECT_EQ(Verdict::kFail, run_with(shorter, name).verdict) << name;
    }
  }
}

Plan fused(Plan plan) {
  plan.launches.at(0).entry = "chain_fma";
  return plan;
}

TEST(RatesOnHost, StepsThatACompilerFusesAreNamed) {
  const CaseResult result = run_with(fused, "rates.fp32.muladd.portable.w8.n64r8.periodic.s7");
  EXPECT_EQ(Verdict::kFail, result.verdict);
  EXPECT_EQ("contraction", result.finding_class);
}

}  // namespace
}  // namespace halfmark::suites::rates
