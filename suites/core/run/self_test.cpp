// SPDX-License-Identifier: Apache-2.0
#include "suites/core/run/self_test.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "reference/formats/classify.hpp"
#include "suites/core/golden/device_digest.hpp"
#include "suites/core/run/run_case.hpp"

namespace halfmark::suites {
namespace {

// The problem with a plan that flips a bit. What only explains failures is left out.
class Disturbed final : public Problem {
 public:
  Disturbed(const Problem& problem, FlippedBit bit)
      : Problem(problem.c()), problem_(problem), bit_(std::move(bit)) {}

  const ContractRow& row(const backends::DeviceInfo& device) const override {
    return problem_.row(device);
  }
  Plan plan(const backends::DeviceInfo& device) const override {
    Plan plan = problem_.plan(device);
    plan.flipped = bit_;
    return plan;
  }
  TensorSet inputs() const override { return problem_.inputs(); }
  Expectation expect(const TensorSet& inputs, const models::Machine& machine) const override {
    return problem_.expect(inputs, machine);
  }
  bool follows_machine() const override { return false; }

 private:
  const Problem& problem_;
  FlippedBit bit_;
};

// The first number at or after the middle of an output: flipping a bit of a NaN may give another.
std::optional<FlippedBit> place_in(const Plan& plan, const TensorSet& expected) {
  for (const TensorSpec& spec : plan.tensors) {
    if (!is_output(spec) || spec.stretches > 1 || spec.format->padding_bits > 0) continue;
    const formats::Tensor& right = expected.at(spec.name);
    for (std::size_t i = spec.count / 2; i < spec.count; ++i) {
      if (!formats::is_nan(*spec.format, right.at(i)))
        return FlippedBit{.tensor = spec.name, .index = i};
    }
  }
  return std::nullopt;
}

bool names(const CaseResult& result, const FlippedBit& bit) {
  return std::ranges::any_of(result.wrong, [&](const Element& element) {
    return element.tensor == bit.tensor && element.index == bit.index;
  });
}

void conclude(const CaseResult& by_reference, const CaseResult& by_golden, const FlippedBit& bit,
              SelfTest& test) {
  const auto answered = [](const CaseResult& result) {
    return result.verdict == Verdict::kPass || result.verdict == Verdict::kFail ||
           result.verdict == Verdict::kUntrusted;
  };
  test.is_done = answered(by_reference) && answered(by_golden);
  if (!test.is_done) {
    test.what = answered(by_reference) ? by_golden.reason : by_reference.reason;
    return;
  }
  const bool seen_by_reference = by_reference.verdict == Verdict::kFail;
  const bool seen_by_golden = by_golden.verdict == Verdict::kFail;
  test.caught = seen_by_reference && seen_by_golden;
  test.located = names(by_reference, bit) && names(by_golden, bit);
  const std::string where = fmt::format("a bit flipped in {}[{}]", bit.tensor, bit.index);
  test.what = test.caught ? fmt::format("{} was noticed", where)
                          : fmt::format("{} was not noticed by {}", where,
                                        seen_by_reference ? "golden digests" : "the reference");
}

}  // namespace

SelfTest self_test(Session& session, const Problem& problem) {
  SelfTest test{.case_name = print(problem.c()), .what = "the case is not fit for it"};
  const backends::DeviceInfo& device = session.device().info();
  const Plan plan = problem.plan(device);
  const bool is_offered = !plan.needs && !plan.no_provider;
  if (!is_offered || !may_be_digested(plan) || !has_single_answer(problem, problem.row(device)) ||
      problem.digested())
    return test;
  const Expectation expected = problem.expect(problem.inputs());
  const auto bit = place_in(plan, expected.middle);
  if (!bit || expected.enclosure) return test;
  const GoldenCheck golden{.expected = golden_of(expected.middle)};
  const Disturbed disturbed(problem, *bit);
  conclude(run_problem(session, disturbed), run_problem(session, disturbed, {}, &golden), *bit,
           test);
  return test;
}

SelfTest self_test(Session& session, const Suite& suite, const Case& c) {
  return self_test(session, *suite.bind(c));
}

}  // namespace halfmark::suites
