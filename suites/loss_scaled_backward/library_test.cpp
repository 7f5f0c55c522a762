// SPDX-License-Identifier: Apache-2.0
// Steps whose products a library computes: where its calls stand, that no rounding of a product
// counts against anything else, and that what is wrong around the products is named.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "reference/formats/classify.hpp"
#include "suites/core/verdict/verdict.hpp"
#include "suites/loss_scaled_backward/testing/steps.hpp"

namespace halfmark::suites::loss_scaled_backward {
namespace {

using formats::kFp16;
using formats::Tensor;

// Those of level smoke. The sizes that libraries need in 8 bits show nothing more here.
std::vector<Case> library_cases() {
  std::vector<Case> cases = suite().cases(Level::kSmoke, kSeed);
  std::erase_if(cases, [](const Case& c) { return c.word("provider") != "library"; });
  for (Case& c : cases) {
    if (c.word("format") != "fp8") continue;
    for (Token& token : c.tokens) {
      if (token.axis == "shape") token.text = "b5i7h19o3";
    }
  }
  return cases;
}

// Products that another order of the sums might give: every third result is one encoding nearer to
// zero where the bound allows that. Each is made for the operands that the ones before it lead to.
operators::TrainingProducts neighbours(const Case& c, const TensorSet& inputs) {
  operators::TrainingProducts products = products_in(bind(c), outputs_of(bind(c), specified(c)));
  for (const Product& product : provided_products(bind(c))) {
    const Expectation around = expect_beside(c, inputs, products);
    const Allowed allowed(allowance_of(around), product.d);
    Tensor own = around.middle.at(product.d);
    for (std::size_t i = 0; i < own.count(); i += 3) {
      const formats::Bits near = own.at(i) - 1;
      if (!formats::is_zero(*own.format, own.at(i)) && allowed(i, near)) own.set(i, near);
    }
    products.*product.member = std::move(own);
  }
  return products;
}

// Products as specified, for the operands that a mistake around them leads to.
operators::TrainingProducts mistaken(const Case& c, const TensorSet& inputs,
                                     const std::string& mistake) {
  const Binding b = bind(c);
  operators::TrainingProducts products = products_in(b, outputs_of(bind(c), specified(c)));
  for (std::size_t i = 0; i < provided_products(b).size(); ++i) {
    const auto own = hypotheses(c, std::make_shared<const operators::TrainingProducts>(products));
    const auto h = std::ranges::find(own, mistake, &Hypothesis::name);
    products = products_in(b, h->evaluate(c, inputs).middle);
  }
  return products;
}

// Correct products that are not the specified ones, and what follows from them, are right.
TEST(LossScaledBackwardLibrary, NothingCountsAgainstOtherOrdersOfSums) {
  std::size_t different = 0;
  for (const Case& c : library_cases()) {
    const auto problem = suite().bind(c);
    const TensorSet inputs = problem->inputs();
    const operators::TrainingProducts products = neighbours(c, inputs);
    const TensorSet right = outputs_of(bind(c), evaluate(c, inputs, {}, {}, &products));
    const Expectation expected = problem->expect_beside(inputs, right);
    EXPECT_EQ(0U, compare(allowance_of(expected), right).mismatches) << print(c);
    different += compare(allowance_of(problem->expect(inputs)), right).mismatches > 0 ? 1U : 0U;
  }
  EXPECT_LE(2U, different);
}

// A library whose sums change their order from run to run is no race, but what follows from them
// must follow in each run.
TEST(LossScaledBackwardLibrary, OtherOrdersFromRunToRunAreNoRace) {
  const Case c = any_named("bf16.library.b17i33h40o9.scale1.fragile.s7");
  const auto problem = suite().bind(c);
  const backends::DeviceInfo device;
  const TensorSet inputs = problem->inputs();
  const operators::TrainingProducts products = neighbours(c, inputs);
  Observation observed;
  observed.got.outputs = outputs_of(bind(c), specified(c));
  observed.got.variants = {outputs_of(bind(c), evaluate(c, inputs, {}, {}, &products))};
  observed.got.unrepeated["07_dg"] = {0};
  const Expectation expected = problem->expect_beside(inputs, observed.got.outputs);
  const Assertion assertion{*problem, problem->row(device), device, inputs, allowance_of(expected)};
  EXPECT_LT(0U, compare(allowance_of(expected), observed.got.variants[0]).mismatches);
  const auto judged = [&] {
    CaseResult result;
    judge(result, assertion, compared(assertion, observed.got), observed, {});
    return result.finding_class;
  };
  EXPECT_EQ("nondet", judged());
  Tensor& weights = observed.got.variants[0].at("12_w1");
  weights.set(0, weights.at(0) ^ 1U);
  EXPECT_EQ("race", judged());
}

// Each mistake around a library's products shows, and is named wherever it shows.
TEST(LossScaledBackwardLibrary, AroundALibrarysProductsEveryMistakeIsNamed) {
  std::set<std::string> shown, hidden;
  for (const Case& c : library_cases()) {
    const auto problem = suite().bind(c);
    const TensorSet inputs = problem->inputs();
    for (const Hypothesis& any : problem->mistakes_seen_in({}, outputs_of(bind(c), specified(c)))) {
      if (!any.freedoms.empty()) continue;  // an interface may leave it open
      const operators::TrainingProducts products = mistaken(c, inputs, any.name);
      const auto known =
          hypotheses(c, std::make_shared<const operators::TrainingProducts>(products));
      const auto h = std::ranges::find(known, any.name, &Hypothesis::name);
      const TensorSet wrong = h->evaluate(c, inputs).middle;
      const Expectation beside = problem->expect_beside(inputs, wrong);
      const bool is_shown = compare(allowance_of(beside), wrong).mismatches > 0;
      (is_shown ? shown : hidden).insert(any.name);
      if (!is_shown) continue;
      EXPECT_TRUE(explains(*h, *problem, inputs, allowance_of(beside), wrong))
          << print(c) << ": " << any.name;
    }
  }
  std::erase_if(hidden, [&](const std::string& name) { return shown.contains(name); });
  EXPECT_EQ((std::set<std::string>{}), hidden);
}

// No mistake around them stands for a wrong product.
TEST(LossScaledBackwardLibrary, AWrongProductHasNoExplanationAroundIt) {
  const Case c = any_named("biases.library.b17i33h40o9.scale1.fragile.s7");
  const auto problem = suite().bind(c);
  const TensorSet inputs = problem->inputs();
  operators::TrainingProducts products = products_in(bind(c), outputs_of(bind(c), specified(c)));
  products.dw2.set(3, products.dw2.at(3) ^ 0x100U);
  const TensorSet wrong = outputs_of(bind(c), evaluate(c, inputs, {}, {}, &products));
  const Expectation expected = problem->expect_beside(inputs, wrong);
  const Comparison comparison = compare(allowance_of(expected), wrong);
  EXPECT_EQ(1U, comparison.mismatches);
  EXPECT_EQ("06_dw2", comparison.shown.at(0).tensor);
  for (const Explanation& e : diagnose(*problem, inputs, allowance_of(expected), wrong))
    EXPECT_FALSE(e.exact(comparison.mismatches) && !e.is_generic) << e.hypothesis;
}

// Products of a library that flushes the results of each, and where `flushes` says so its operands.
operators::TrainingProducts flushed_products(const Case& c, const TensorSet& inputs,
                                             Flushes flushes) {
  operators::TrainingProducts products = products_in(bind(c), outputs_of(bind(c), specified(c)));
  for (const Product& product : provided_products(bind(c))) {
    Tensor own = expect_beside(c, inputs, products, {.products = flushes}).middle.at(product.d);
    for (std::size_t i = 0; i < own.count(); ++i) {
      if (formats::is_subnormal(kFp16, own.at(i))) own.set(i, own.at(i) & 0x8000U);
    }
    products.*product.member = std::move(own);
  }
  return products;
}

// What an API may leave open is no violation: a library that flushes in its products, operands and
// results or results alone.
TEST(LossScaledBackwardLibrary, ProductsThatFlushAreExplainedByAFreedom) {
  const Case c = any_named("library.b17i33h40o9.scale1.fragile.s7");
  const auto problem = suite().bind(c);
  const TensorSet inputs = problem->inputs();
  const auto explained = [&](Flushes flushes) {
    const operators::TrainingProducts products = flushed_products(c, inputs, flushes);
    const TensorSet flushed = outputs_of(bind(c), evaluate(c, inputs, {}, {}, &products));
    const Expectation expected = problem->expect_beside(inputs, flushed);
    const std::uint64_t mismatches = compare(allowance_of(expected), flushed).mismatches;
    EXPECT_LT(100U, mismatches);
    const auto found = diagnose(*problem, inputs, allowance_of(expected), flushed);
    EXPECT_TRUE(!found.empty() && found.front().exact(mismatches));
    return found.empty() ? Explanation{} : found.front();
  };
  const Explanation both = explained(Flushes::kOperandsAndResults);
  EXPECT_EQ("products-flush-subnormals", both.hypothesis);
  EXPECT_EQ((std::vector<std::string>{"operation_subnormals", "conversion_subnormals"}),
            both.freedoms);
  const Explanation results = explained(Flushes::kNone);
  EXPECT_EQ("products-flush-results", results.hypothesis);
  EXPECT_EQ((std::vector<std::string>{"conversion_subnormals"}), results.freedoms);
}

// The inverse of the largest scale is subnormal, and so are some gradients: around a library's
// products, too, kernels may flush them.
TEST(LossScaledBackwardLibrary, KernelsThatFlushFaintGradientsAreExplainedByAFreedom) {
  const Case c = any_named("fp8.library.b16i32h48o16.scale1.faint.s7");
  const auto problem = suite().bind(c);
  const TensorSet inputs = problem->inputs();
  for (const char* name :
       {"kernels-flush-operands", "kernels-flush-results", "kernels-flush-subnormals"}) {
    const operators::TrainingProducts products = mistaken(c, inputs, name);
    const auto known = hypotheses(c, std::make_shared<const operators::TrainingProducts>(products));
    const auto h = std::ranges::find(known, name, &Hypothesis::name);
    ASSERT_NE(known.end(), h) << name;
    EXPECT_EQ((std::vector<std::string>{"operation_subnormals"}), h->freedoms);
    const TensorSet flushed = h->evaluate(c, inputs).middle;
    const Expectation beside = problem->expect_beside(inputs, flushed);
    EXPECT_LT(0U, compare(allowance_of(beside), flushed).mismatches) << name;
    EXPECT_TRUE(explains(*h, *problem, inputs, allowance_of(beside), flushed)) << name;
  }
}

TEST(LossScaledBackwardLibrary, ALibrarysCallsStandBetweenTheLaunches) {
  backends::DeviceInfo device;
  device.max_group_items = 256;
  device.libraries.push_back({.name = "BLAS",
                              .version = "1",
                              .kind = "library",
                              .operators = {"gemm"},
                              .usable = true,
                              .evidence = "a test"});
  const Plan plan =
      suite().bind(any_named("biases.library.b5i7h19o3.scale1.normal.s7"))->plan(device);
  ASSERT_EQ(5U, plan.operators.size());
  const std::pair<std::string, std::string> neighbours[] = {
      {"training_cast_each", "training_bias_each"},
      {"training_gelu_each", "training_bias_each"},
      {"training_output_gradient_each", "training_bias_gradient"},
      {"training_bias_gradient", "training_hidden_gradient_each"},
      {"training_hidden_gradient_each", "training_bias_gradient"}};
  for (std::size_t i = 0; i < 5; ++i) {
    const std::size_t at = plan.operators[i].launches_before;
    ASSERT_LT(at, plan.launches.size());
    EXPECT_EQ(neighbours[i].first, plan.launches[at - 1].entry);
    EXPECT_EQ(neighbours[i].second, plan.launches[at].entry);
  }
  EXPECT_EQ("01_acc", plan.operators[0].tensors.at(2).tensor);
  device.libraries.clear();
  const Plan none =
      suite().bind(any_named("biases.library.b5i7h19o3.scale1.normal.s7"))->plan(device);
  EXPECT_TRUE(none.no_provider);
  EXPECT_TRUE(none.launches.empty());
}

}  // namespace
}  // namespace halfmark::suites::loss_scaled_backward
