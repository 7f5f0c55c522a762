// SPDX-License-Identifier: Apache-2.0
// Every relation that a suite claims: its operands are exact, the correct library and all legally
// different ones keep it, impostors break it, and so do faults that no bound can detect.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "reference/slow/effort.hpp"
#include "suites/core/judge/judge.hpp"
#include "suites/core/run/run_case.hpp"
#include "suites/core/shrink/shrink.hpp"
#include "suites/registry.hpp"

namespace halfmark::suites {
namespace {

constexpr std::uint64_t kSeed = 7;

template <typename Check>
void each_related(Level level, Check check) {
  for (const Suite* suite : all_suites()) {
    for (const Case& c : suite->cases(level, kSeed)) {
      if (const auto relation = suite->bind(c)->relation()) check(*suite, c, *relation);
    }
  }
}

// With the names that the suite uses.
TensorSet second_operands(const Suite& suite, const Case& c, const TensorSet& first) {
  TensorSet all = *operands_of_calls(*suite.bind(c), first);
  TensorSet named;
  for (auto& [name, tensor] : take_related(all))
    named.emplace(std::string(name_in_first(name)), tensor);
  return named;
}
TensorSet named_as_second(const TensorSet& results) {
  TensorSet named;
  for (const auto& [name, tensor] : results) named.emplace(name + std::string(kRelated), tensor);
  return named;
}

Session software_device(const std::string& fault) {
  nlohmann::json options = nlohmann::json::object();
  if (!fault.empty()) options["fault"] = fault;
  return Session(backends::Device::open("host", options));
}

TEST(Related, EverySuiteClaimsWhatItsTensorsCanHold) {
  std::map<std::string_view, int> cases;
  each_related(Level::kStandard, [&](const Suite& suite, const Case& c, const Relation& relation) {
    ++cases[suite.name];
    const auto in_contract = [&](const ContractRow& row) { return &row == relation.row; };
    EXPECT_TRUE(std::any_of(suite.contract.begin(), suite.contract.end(), in_contract));
    EXPECT_EQ(Tier::kExact, relation.row->tier) << print(c);
    EXPECT_TRUE(relation.row->id.ends_with(".related")) << relation.row->id;
    const TensorSet inputs = suite.bind(c)->inputs();
    const auto all = operands_of_calls(*suite.bind(c), inputs);
    ASSERT_TRUE(all) << print(c);
    bool changed = false;
    for (const auto& [name, tensor] : inputs)
      changed = changed || all->at(name + std::string(kRelated)) != tensor;
    EXPECT_TRUE(changed) << print(c);
  });
  EXPECT_EQ(7u, cases.size());
}

// The reference's results keep every relation.
TEST(Related, TheSpecifiedSequencesKeepThem) {
  each_related(Level::kStandard, [](const Suite& suite, const Case& c, const Relation& relation) {
    if (c.word("provider") != "portable") return;
    const TensorSet inputs = suite.bind(c)->inputs();
    const TensorSet first = suite.bind(c)->expect(inputs).middle;
    const TensorSet second =
        named_as_second(suite.bind(c)->expect(second_operands(suite, c, inputs)).middle);
    EXPECT_EQ(0u, compare_related(related_results(relation, first), second).mismatches) << print(c);
  });
}

TEST(Related, TheSoftwareDeviceAndLegalLibrariesKeepThem) {
  for (const char* fault :
       {"", "N01:order=1", "N01:order=3", "N02", "N03", "N04", "N05", "N06", "N07", "N09"}) {
    Session session = software_device(fault);
    int passed = 0;
    each_related(Level::kSmoke, [&](const Suite& suite, const Case& c, const Relation& relation) {
      const CaseResult result = run_case(session, suite, c);
      if (result.verdict == Verdict::kNotSupported) return;
      EXPECT_EQ("pass", name_of(result.verdict))
          << fault << ": " << result.name << ": " << result.reason;
      EXPECT_EQ(relation.row->id, result.rule);
      ++passed;
    });
    EXPECT_LT(20, passed) << fault;
  }
}

// The named ways to evaluate an operator: a correct library may use any of them.
struct Ways {
  std::string_view suite, operation;  // for a product: its operands' format
  std::vector<std::vector<std::string_view>> choices;
};

const std::vector<std::string_view> kSums = {"fp32.sequential", "fp32.strided-64-halves"};
const std::vector<Ways> kWays = {
    {"softmax", "forward", {kSums, {"exp", "exp2", "exp2-fused"}, {"divide", "reciprocal"}}},
    {"softmax", "backward", {kSums, {"mul", "fma"}, {"factored", "expanded", "expanded-fused"}}},
    {"softmax", "log-backward", {kSums, {"mul", "fma"}}},
    {"layernorm",
     "forward",
     {kSums,
      {"divide", "reciprocal"},
      {"two-pass", "two-pass-fma", "moments"},
      {"rsqrt", "sqrt-divide"},
      {"plain", "fused", "folded"}}},
    {"cross_entropy",
     "backward",
     {kSums,
      {"exp", "exp2", "exp2-fused"},
      {"quotient", "product", "exp-of-log"},
      {"factored", "expanded"}}},
    {"gemm", "fp32", {{"fp32.sequential.fma", "fp32.pairwise.mul", "fp32.pairwise.fma"}}},
    {"gemm",
     "fp16",
     {{"fp32.sequential.mul", "unit.volta.mma.fp16.fp32", "unit.ampere.mma.fp16.fp32",
       "unit.hopper.mma.fp16.fp32", "unit.cdna2.mfma.fp16.fp32", "unit.cdna3.mfma.fp16.fp32",
       "unit.amx.tdp.fp16.fp32"}}},
    {"reduction", "sum", {kSums}},
    {"reduction", "mean", {kSums, {"divide", "reciprocal"}}},
    {"loss", "mse", {kSums, {"mul", "fma"}, {"divide", "reciprocal"}}},
    {"loss", "mse-backward", {{"factor-first", "factor-last", "upstream-first"}}},
    {"activation",
     "gelu-backward",
     {{"product", "quotient"},
      {"density-first", "density-last", "power-first"},
      {"sum", "sum-fused"}}},
    {"activation",
     "gelu_tanh-backward",
     {{"cube", "cube-fused", "square", "square-fused"}, {"sum", "sum-fused"}}},
};

std::vector<std::string> names_of(const Ways& ways) {
  std::vector<std::string> names{""};
  for (const std::vector<std::string_view>& choice : ways.choices) {
    std::vector<std::string> longer;
    for (const std::string& name : names) {
      for (const std::string_view word : choice)
        longer.push_back(name + (name.empty() ? "" : ".") + std::string(word));
    }
    names = std::move(longer);
  }
  return names;
}

TEST(Related, NamedArithmeticsKeepThem) {
  int evaluated = 0;
  const Level level = slow::effort(Level::kStandard, Level::kSmoke);
  each_related(level, [&](const Suite& suite, const Case& c, const Relation& relation) {
    if (c.word("provider") != "library") return;
    const std::string_view axis = suite.name == "gemm" ? "format" : "operation";
    for (const Ways& ways : kWays) {
      if (ways.suite != suite.name || ways.operation != c.word(axis)) continue;
      const TensorSet inputs = suite.bind(c)->inputs();
      const TensorSet others = second_operands(suite, c, inputs);
      for (const std::string& name : names_of(ways)) {
        // Lanes without terms have no name of their own.
        if (name.find("strided") != std::string::npos && c.number("shape", 'n') < 64) continue;
        Identified found;
        found.arithmetic = name;
        const TensorSet first = suite.modelling->refer(c, inputs, found).middle;
        const TensorSet second = named_as_second(suite.modelling->refer(c, others, found).middle);
        EXPECT_EQ(0u, compare_related(related_results(relation, first), second).mismatches)
            << print(c) << " as " << name;
        ++evaluated;
      }
    }
  });
  EXPECT_LT(100, evaluated);
}

// The output of a kernel that computes nothing in one call or in both is caught by the first call's
// row or by the relation. Repeating the previous result keeps a relation between equal results;
// there, the first call catches a device that always does so.
TEST(Related, ImpostorsAreCaught) {
  each_related(Level::kSmoke, [](const Suite& suite, const Case& c, const Relation& relation) {
    const TensorSet inputs = suite.bind(c)->inputs();
    const Expectation expectation = suite.bind(c)->expect(inputs);
    const TensorSet& right = expectation.middle;
    const Allowance allowed = allowance_of(expectation);
    EXPECT_EQ("", unearned(inputs, allowed)) << print(c);
    const TensorSet expected = related_results(relation, right);
    TensorSet zeros, constant, again;
    for (const auto& [name, tensor] : expected) {
      formats::Tensor same = tensor;
      for (std::size_t i = 0; i < same.count(); ++i) same.set(i, tensor.at(0));
      zeros.emplace(name, formats::Tensor::zeros(*tensor.format, tensor.count()));
      constant.emplace(name, std::move(same));
      again.emplace(name, right.at(std::string(name_in_first(name))));
    }
    EXPECT_LT(0u, compare_related(expected, zeros).mismatches) << print(c);
    EXPECT_LT(0u, compare_related(expected, constant).mismatches) << print(c);
    const bool same_results = relation.results.empty();
    EXPECT_EQ(same_results, compare_related(expected, again).mismatches == 0) << print(c);
  });
}

struct Planted {
  const char *fault, *suite, *words;
};

class OnlyARelation : public testing::TestWithParam<Planted> {};

// Every other case of level smoke is within its bound.
TEST_P(OnlyARelation, SeesTheFault) {
  const auto [fault, name, words] = GetParam();
  const Suite& suite = find_suite(name);
  Session session = software_device(fault);
  int broken = 0;
  for (const Case& c : suite.cases(Level::kSmoke, kSeed)) {
    if (c.word("provider") != "library") continue;
    const CaseResult result = run_case(session, suite, c);
    if (result.verdict == Verdict::kPass) continue;
    ASSERT_TRUE(suite.bind(c)->relation()) << result.name << ": " << result.reason;
    EXPECT_EQ("formula", result.finding_class) << result.name;
    EXPECT_NE(std::string::npos, result.reason.find(words)) << result.reason;
    const auto reduced = shrink(session, suite, c, failure_of(result), {});
    ASSERT_TRUE(reduced) << result.name;
    EXPECT_FALSE(reduced->wrong.empty()) << result.name;
    ++broken;
  }
  EXPECT_LT(0, broken);
}

INSTANTIATE_TEST_SUITE_P(Library, OnlyARelation,
                         testing::Values(Planted{
                             "E05", "loss", "mse(x2 / 8, x / 8) differs from mse(x, x2) / 64"}),
                         [](const auto& row) { return std::string(row.param.fault); });

}  // namespace
}  // namespace halfmark::suites
