// SPDX-License-Identifier: Apache-2.0
// Every relation that a suite claims: its operands are exact, the right library and all that are
// legally different keep it, impostors do not, and faults that no bound can see break it.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "suites/core/judge.hpp"
#include "suites/core/line.hpp"
#include "suites/core/shrink.hpp"
#include "suites/registry.hpp"

namespace halfmark::suites {
namespace {

constexpr std::uint64_t kSeed = 7;

template <typename Check>
void each_related(Level level, Check check) {
  for (const Suite* suite : all_suites()) {
    if (suite->relation == nullptr) continue;
    for (const Case& c : suite->cases(level, kSeed)) {
      if (const auto relation = suite->relation(c)) check(*suite, c, *relation);
    }
  }
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
    const TensorSet inputs = suite.inputs(c);
    const auto all = operands_of_calls(suite, c, inputs);
    ASSERT_TRUE(all) << print(c);
    bool changed = false;
    for (const auto& [name, tensor] : inputs)
      changed = changed || all->at(name + std::string(kRelated)) != tensor;
    EXPECT_TRUE(changed) << print(c);
  });
  EXPECT_EQ(7u, cases.size());
}

// Results of the reference keep the relation, whatever it is made of.
TEST(Related, TheSpecifiedSequencesKeepThem) {
  each_related(Level::kStandard, [](const Suite& suite, const Case& c, const Relation& relation) {
    if (c.word("provider") != "portable") return;
    TensorSet second = *operands_of_calls(suite, c, suite.inputs(c));
    second = take_related(second);
    TensorSet named_as_first;
    for (auto& [name, tensor] : second)
      named_as_first.emplace(std::string(name_in_first(name)), std::move(tensor));
    const TensorSet first = suite.refer(c, suite.inputs(c), {});
    TensorSet got;
    for (const auto& [name, tensor] : suite.refer(c, named_as_first, {}))
      got.emplace(name + std::string(kRelated), tensor);
    EXPECT_EQ(0u, compare_related(related_results(relation, first), got).mismatches) << print(c);
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

// What a kernel that does not compute leaves in one call or in both: caught by the row of the first
// call or by the relation. The last answer alone keeps a relation between equal results: there the
// first call is what catches a device that goes on giving it.
TEST(Related, ImpostorsAreCaught) {
  each_related(Level::kSmoke, [](const Suite& suite, const Case& c, const Relation& relation) {
    const TensorSet inputs = suite.inputs(c);
    const TensorSet right = suite.refer(c, inputs, {});
    std::optional<Enclosure> enclosure;
    if (suite.enclose != nullptr) enclosure = suite.enclose(c, inputs);
    const Allowance allowed{right, 0, enclosure ? &*enclosure : nullptr};
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

// All else of level smoke is within its bound.
TEST_P(OnlyARelation, SeesTheFault) {
  const auto [fault, name, words] = GetParam();
  const Suite& suite = find_suite(name);
  Session session = software_device(fault);
  int broken = 0;
  for (const Case& c : suite.cases(Level::kSmoke, kSeed)) {
    if (c.word("provider") != "library") continue;
    const CaseResult result = run_case(session, suite, c);
    if (result.verdict == Verdict::kPass) continue;
    ASSERT_TRUE(suite.relation(c)) << result.name << ": " << result.reason;
    EXPECT_EQ("formula", result.finding_class) << result.name;
    EXPECT_NE(std::string::npos, result.reason.find(words)) << result.reason;
    const auto reduced = shrink(session, suite, c, failure_of(result), {});
    ASSERT_TRUE(reduced) << result.name;
    EXPECT_FALSE(reduced->wrong.empty()) << result.name;
    ++broken;
  }
  EXPECT_LT(0, broken);
}

INSTANTIATE_TEST_SUITE_P(
    Library, OnlyARelation,
    testing::Values(Planted{"S20", "softmax", "softmax(x + 60) differs from softmax(x) in"},
                    Planted{"E05", "loss", "mse(x2 / 8, x / 8) differs from mse(x, x2) / 64"}),
    [](const auto& row) { return std::string(row.param.fault); });

}  // namespace
}  // namespace halfmark::suites
