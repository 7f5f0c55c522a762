// SPDX-License-Identifier: Apache-2.0
// The modelled tier of operators that are more than one sum, on the software device: probes name
// what its library computes, and the name explains fresh data. Each planted change of an order,
// a width or a rounding is distinguished: it gets another name or none, and contradicts the
// correct one.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "suites/core/identify/recipe.hpp"
#include "suites/core/run/run_case.hpp"
#include "suites/registry.hpp"

namespace halfmark::suites {
namespace {

Session& session_with(const std::string& fault) {
  static std::map<std::string, Session> sessions;
  auto found = sessions.find(fault);
  if (found != sessions.end()) return found->second;
  nlohmann::json options = nlohmann::json::object();
  if (!fault.empty()) options["fault"] = fault;
  return sessions.try_emplace(fault, backends::Device::open("host", options)).first->second;
}

Identified identified(const std::string& fault, const std::string& name) {
  const Case c = parse_case(name);
  return find_suite(c.suite).modelling->identify(session_with(fault), c, {});
}

CaseResult judged(const std::string& fault, const std::string& name, const Identified& found) {
  const Case c = parse_case(name);
  return run_case(session_with(fault), find_suite(c.suite), c, &found);
}

struct Row {
  const char* name;
  const char* recipe;
};

constexpr Row kRight[] = {
    {"softmax.forward.fp32.out-fp32.library.r16n100.normal.s1", "fp32.sequential.exp.divide"},
    {"softmax.log-forward.fp32.out-fp32.library.r16n100.normal.s1",
     "fp32.sequential.exp.difference"},
    {"softmax.backward.fp32.out-fp32.library.r16n65.normal.s1", "fp32.sequential.mul.factored"},
    {"softmax.log-backward.fp32.out-fp32.library.r16n65.normal.s1", "fp32.sequential.mul"},
    {"layernorm.forward.fp32.library.r16n100.eps1e-5.normal.s1",
     "fp32.sequential.divide.two-pass.rsqrt.plain"},
    {"layernorm.backward.fp32.library.r16n63.eps1e-5.normal.s1",
     "dx:fp32.sequential.mul.divide.plain+weights:fp32.sequential.mul"},
    // Its beta of zero shows in results of -0 only.
    {"layernorm.rms-forward.fp32.library.r16n100.eps1e-5.normal.s1",
     "fp32.sequential.divide.two-pass.rsqrt.plain-shifted"},
    {"layernorm.rms-forward.fp16.library.r10n64.eps1e-5.small.s1",
     "fp32.sequential.divide.two-pass.rsqrt.plain-shifted"},
    {"cross_entropy.forward.fp32.out-fp32.int32.none.library.r32n100.normal.s1",
     "fp32.sequential.exp.difference"},
    {"cross_entropy.forward.fp32.out-fp32.int64.mean.library.r33n40.normal.s1",
     "fp32.sequential.exp.difference.sequential.divide"},
    {"cross_entropy.backward.fp32.out-fp32.int32.mean.library.r33n40.normal.s1",
     "fp32.sequential.exp.quotient.factored.divide"},
    {"reduction.sum.fp32.out-fp32.library.r64n513.normal.s1", "fp32.strided-64-sequential"},
    {"reduction.mean.fp32.out-fp32.library.r64n513.normal.s1", "fp32.strided-64-sequential.divide"},
    {"loss.mse.fp32.out-fp32.library.r8n257p0.normal.s1", "fp32.strided-64-sequential.mul.divide"},
    {"activation.gelu.fp32.library.n512.routes.s1", "product.plain"},
    {"activation.gelu_tanh.fp32.library.n512.routes.s1", "cube.plain"},
};

TEST(Modelled, WhatTheLibraryComputesIsNamedAndExplainsFreshData) {
  for (const Row& row : kRight) {
    const Identified found = identified("", row.name);
    EXPECT_EQ(Identity::kNamed, found.identity) << row.name << ": " << found.evidence;
    EXPECT_EQ(row.recipe, found.arithmetic) << row.name;
    const CaseResult result = judged("", row.name, found);
    EXPECT_EQ("modelled", result.tier) << row.name << ": " << result.reason;
    EXPECT_EQ("pass", name_of(result.verdict)) << row.name << ": " << result.reason;
  }
}

// Without eps, rows of small numbers have another rstd than any recipe gives. Those rows tell
// recipes apart; that none is left there does not refute the one that ordinary rows support.
TEST(Modelled, UnusualDataDoesNotRefuteTheLastRecipe) {
  const char* const name = "layernorm.rms-forward.fp16.library.r16n100.eps1e-12.normal.s1";
  const Identified found = identified("L22", name);
  EXPECT_TRUE(found.named()) << found.evidence;
  EXPECT_EQ("modelled", judged("L22", name, found).tier);
}

// Legal changes that a bound does not detect.
struct Change {
  const char* fault;
  const char* name;
  const char* recipe;  // empty: none
};
constexpr const char* kSoftmax = "softmax.forward.fp32.out-fp32.library.r16n100.normal.s1";
constexpr const char* kNorm = "layernorm.forward.fp32.library.r16n100.eps1e-5.normal.s1";
constexpr const char* kWideNorm = "layernorm.forward.fp32.library.r16n257.eps1e-5.normal.s1";
constexpr Change kChanges[] = {
    {"N01", kSoftmax, "fp32.strided-8-sequential.exp.divide"},  // another order
    {"N03", kSoftmax, "fp64.sequential.exp.divide"},            // a wider sum
    {"N05", kSoftmax, ""},                                      // exp is off by up to 2 ulp
    {"N07", kSoftmax, ""},  // a reciprocal is off by up to 1 ulp
    {"N01", kNorm, "fp32.strided-8-sequential.divide.two-pass.rsqrt.plain"},
    {"N03", kNorm, "fp64.sequential.divide.two-pass.rsqrt.plain"},
    {"N05", kNorm, ""},
    {"N09", kNorm, "fp32.sequential.divide.welford.rsqrt.plain"},
    {"N09:lanes=64,run=4", kNorm, "fp32.blocked-4-halves.divide.welford-reciprocal.rsqrt.plain"},
    {"N09:lanes=64,run=4", kWideNorm,
     "fp32.strided-64x4-halves32-halves.divide.welford-reciprocal.rsqrt.plain"},
    {"N09:lanes=48,run=3", kWideNorm, ""},  // not a usual size
};

TEST(Modelled, LegalChangesHaveAnotherNameOrNone) {
  for (const Change& change : kChanges) {
    const Identified right = identified("", change.name);
    const Identified found = identified(change.fault, change.name);
    EXPECT_EQ(change.recipe, found.arithmetic) << change.fault << ": " << found.evidence;
    EXPECT_EQ(*change.recipe != '\0', found.named()) << change.fault;
    for (const Identified* held : {&right, &found}) {
      const CaseResult result = judged(change.fault, change.name, *held);
      EXPECT_EQ("pass", name_of(result.verdict)) << change.fault << ": " << result.reason;
      const bool explained = held == &found && found.named();
      EXPECT_EQ(explained ? "modelled" : "bounded", result.tier) << change.fault;
      EXPECT_EQ(explained, result.reason.empty()) << change.fault << ": " << result.reason;
    }
  }
}

// Controls that round the exact value once: every operator is named so, and its data are explained.
constexpr Row kExactControls[] = {
    {"N10", "activation.gelu.fp32.library.n4096.routes.s1"},
    {"N10", "activation.gelu.fp16.library.n65536.all.s1"},
    {"N10", "activation.gelu.bf16.library.n65536.all.s1"},
    {"N10", "activation.gelu_tanh.fp32.library.n4096.routes.s1"},
    {"N10", "activation.gelu-backward.fp32.library.n4096.routes.s1"},
    {"N10", "activation.gelu_tanh-backward.fp16.library.n65536.large.s1"},
    {"N16", "layernorm.forward.fp32.library.r16n100.eps1e-5.normal.s1"},
    {"N16", "layernorm.forward.fp16.library.r16n100.eps1e-5.normal.s1"},
    {"N16", "layernorm.rms-forward.fp32.library.r16n100.eps1e-5.normal.s1"},
    {"N18", "softmax.forward.fp32.out-fp32.library.r16n100.normal.s1"},
    {"N18", "softmax.log-forward.fp32.out-fp32.library.r16n100.normal.s1"},
    {"N18", "softmax.log-forward.fp16.out-fp16.library.r16n257.dominant.s1"},
    {"N25", "reduction.sum.fp32.out-fp32.library.r64n513.normal.s1"},
    {"N25", "reduction.mean.fp32.out-fp32.library.r64n513.normal.s1"},
    {"N28", "loss.mse.fp32.out-fp32.library.r8n257p0.normal.s1"},
    {"N29", "cross_entropy.forward.fp32.out-fp32.int32.none.library.r32n100.normal.s1"},
    {"N29", "cross_entropy.forward.fp16.out-fp32.int64.mean.library.r33n40.normal.s1"},
};

TEST(Modelled, WhatIsRoundedOnceIsNamedExactAndExplained) {
  for (const auto& [fault, name] : kExactControls) {
    const Identified found = identified(fault, name);
    EXPECT_EQ(kExact, found.arithmetic) << fault << " " << name << ": " << found.evidence;
    const CaseResult result = judged(fault, name, found);
    EXPECT_EQ("modelled", result.tier) << fault << " " << name << ": " << result.reason;
    if (parse_case(name).word("fill") == "dominant") continue;  // fp32 has the same bits
    const CaseResult other = judged("", name, found);
    EXPECT_EQ("bounded", other.tier) << "the name also explains fp32, " << name;
  }
}

// Narrow results alone do not tell an fp32 library from an exact one.
TEST(Modelled, AnotherNameOfTheLibraryPrecedesExactness) {
  const std::string narrow = "softmax.log-forward.bf16.out-bf16.library.r16n500.normal.s1";
  const Case c = parse_case(narrow);
  const auto named = [&](const std::string& fault, const Identified& known) {
    return find_suite("softmax").modelling->identify(session_with(fault), c, {{known}}).arithmetic;
  };
  EXPECT_EQ("fp32.sequential.exp.difference", named("", identified("", kSoftmax)));
  EXPECT_EQ(kExact, named("N18", identified("N18", kSoftmax)));
}

// The sum of rows wider than 64 lacks their last wave: there is a recipe for narrow rows and none
// for wide ones.
TEST(Modelled, AChangeFromAWidthOnIsSeenThere) {
  const std::string fault = "S07:width=64,wave=64";
  const std::string head = "softmax.forward.fp32.out-fp32.library.r16n";
  EXPECT_TRUE(identified(fault, head + "64.normal.s1").named());
  const Identified narrow = identified(fault, head + "64.normal.s1");
  const Case wide = parse_case(head + "100.normal.s1");
  const Identified found =
      find_suite("softmax").modelling->identify(session_with(fault), wide, {{narrow}});
  EXPECT_EQ(Identity::kUnexplained, found.identity) << found.arithmetic;
}

TEST(Modelled, ANarrowSumHasNoRecipe) {
  for (const char* fault : {"S02", "S15"}) {
    const char* name = *fault == 'S' && fault[1] == '1'
                           ? "softmax.backward.fp16.out-fp16.library.r16n65.normal.s1"
                           : "softmax.forward.fp16.out-fp16.library.r16n100.normal.s1";
    EXPECT_EQ(Identity::kUnexplained, identified(fault, name).identity) << fault;
  }
}

TEST(Modelled, KeysAreOfBoundedCasesAndLayouts) {
  const auto key = [](const std::string& name) {
    const Case c = parse_case(name);
    return find_suite(c.suite).modelling->key(c);
  };
  const std::string head = "softmax.forward.fp16.out-fp16.";
  EXPECT_EQ("", key(head + "portable.r16n64.normal.s1"));
  EXPECT_EQ("", key(head + "library.r16n257.dominant.s1"));
  EXPECT_EQ(key(head + "library.r16n64.normal.s1"), key(head + "library.r16n64.negative.s2"));
  EXPECT_NE(key(head + "library.r16n64.normal.s1"), key(head + "library.r16n64.padded.s1"));
  EXPECT_NE(key(head + "library.r16n64.normal.s1"), key(head + "library.r16n65.normal.s1"));
}

}  // namespace
}  // namespace halfmark::suites
