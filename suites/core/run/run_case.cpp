// SPDX-License-Identifier: Apache-2.0
#include "suites/core/run/run_case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "suites/core/execute/copy_fault.hpp"
#include "suites/core/execute/memory_fault.hpp"
#include "suites/core/execute/plan_builder.hpp"
#include "suites/core/golden/device_digest.hpp"
#include "suites/core/suite/metamorphic.hpp"

namespace halfmark::suites {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

void not_supported(CaseResult& result, std::string reason) {
  result.verdict = Verdict::kNotSupported;
  result.reason = std::move(reason);
}

std::string lacking(const std::string& capability, const backends::DeviceInfo& device) {
  if (capability.starts_with(kGroupCapability))
    return fmt::format("{} is not offered: a group has at most {} items", capability,
                       device.max_group_items);
  const backends::Promise* promise = device.promise(capability);
  return promise == nullptr ? fmt::format("the device says nothing of {}", capability)
                            : fmt::format("{} is not offered: {}", capability, promise->evidence);
}

CaseResult describe_problem(const Problem& problem, const backends::DeviceInfo& device) {
  const Case& c = problem.c();
  CaseResult result;
  result.name = print(c);
  result.suite = c.suite;
  result.operation = problem.operation();
  result.provider = std::string(c.word("provider"));
  assert_row(result, problem.row(device));
  return result;
}

// Whether there are results to judge; otherwise, says why not.
bool answered(CaseResult& result, const DeviceResult& got) {
  if (got.not_supported) {
    not_supported(result, *got.not_supported);
    return false;
  }
  if (!got.error) return true;
  result.verdict = got.error->device_lost ? Verdict::kDeviceLost : Verdict::kError;
  result.reason = got.error->text + (got.error->log.empty() ? "" : "\n" + got.error->log);
  return false;
}

Observation observe_calls(Session& session, const Problem& problem, const Plan& plan,
                          const TensorSet& operands, const Known& known = {}) {
  Observation observed{.got = ask_device(session, problem, plan, operands, known), .related = {}};
  observed.related = take_related(observed.got.outputs);
  for (TensorSet& variant : observed.got.variants) static_cast<void>(take_related(variant));
  return observed;
}

// Observes what tells causes of a failure apart: copies by themselves, and the parts behind
// digests, until one of them decides.
void observe_failure(Observation& observed, Session& session, const Plan& plan,
                     const TensorSet& operands, const Assertion& assertion,
                     const Comparison& comparison) {
  const Problem& problem = assertion.problem;
  if (may_be_copies(problem, comparison, observed.got))
    observed.copy_fault = find_copy_fault(session, plan, operands);
  const auto parts = parts_to_compare(problem, comparison, observed);
  observed.differing_parts = parts.size();
  for (const std::size_t i : parts_tried(parts.size())) {
    observed.parts.push_back(run_problem(session, *parts[i]));
    if (settles(observed.parts.back(), assertion, comparison, observed.got)) return;
  }
}

// The golden digests where they may decide; null elsewhere. Digests take NaN as a class, and so do
// not tell integers apart.
const GoldenCheck* usable(const GoldenCheck* golden, const Problem& problem, const Plan& plan,
                          const backends::DeviceInfo& device) {
  const bool tell_apart = std::ranges::none_of(plan.tensors, [&](const TensorSpec& spec) {
    return is_output(spec) && problem.holds_integers(spec.name);
  });
  const bool decide = tell_apart && has_single_answer(problem, problem.row(device));
  return decide ? golden : nullptr;
}

// Whether the results have the golden digests, and nothing else is wrong.
bool matches(const GoldenCheck* golden, const DeviceResult& got) {
  if (golden == nullptr || golden->recompute) return false;
  return got.known || (memory_fault(got).empty() && golden_of(got.outputs) == golden->expected);
}

void pass_by(const Golden& golden, const Problem& problem, const Plan& plan, CaseResult& result) {
  result.verdict = Verdict::kPass;
  result.golden = kGoldenMatched;
  result.digest = golden.digest;
  const std::optional<Digested> digests = problem.digested();
  if (digests) result.elements = digests->results;
  for (const TensorSpec& spec : plan.tensors) {
    if (!digests && is_output(spec)) result.elements += spec.count;
  }
}

}  // namespace

std::vector<std::size_t> parts_tried(std::size_t differing) {
  constexpr std::size_t kMost = 16;
  const std::size_t count = std::min(differing, kMost);
  std::vector<std::size_t> tried;
  for (std::size_t i = 0; i < count; ++i) tried.push_back(i * differing / count);
  return tried;
}

DeviceResult ask_device(Session& session, const Problem& problem, const Plan& plan,
                        const TensorSet& operands, const Known& known) {
  const auto own_work = problem.own_work();
  return own_work == nullptr ? execute(session, plan, operands, known)
                             : own_work(session, problem.c());
}

std::optional<Observation> observe(Session& session, const Problem& problem,
                                   const TensorSet& inputs) {
  const Plan plan = plan_of_calls(problem, session.device().info());
  if (plan.needs || plan.no_provider) return std::nullopt;
  const std::optional<TensorSet> operands = operands_of_calls(problem, inputs);
  if (!operands) return std::nullopt;
  return observe_calls(session, problem, plan, *operands);
}

namespace {

// What the device was asked.
struct Asked {
  const Problem& problem;
  const Plan& plan;
  const TensorSet& inputs;
  const TensorSet& operands;  // of all calls
};

// Refers, compares and judges.
void judge_by_reference(CaseResult& result, Session& session, const Asked& asked,
                        Observation observed, const ModelledBy& modelled,
                        const GoldenCheck* golden) {
  const auto& [problem, plan, inputs, operands] = asked;
  const auto refer_start = Clock::now();
  const Expectation expected = problem.expect_beside(inputs, observed.got.outputs);
  result.refer_seconds = seconds_since(refer_start);
  if (golden != nullptr)
    result.golden =
        golden_of(expected.middle) == golden->expected ? kGoldenConfirmed : kGoldenRefuted;
  const backends::DeviceInfo& device = session.device().info();
  const ContractRow& row = problem.row(device);
  const Assertion assertion{problem, row, device, inputs,
                            allowance_of(problem, expected, row.bound_ulps)};
  const Comparison comparison = compared(assertion, observed.got);
  observe_failure(observed, session, plan, operands, assertion, comparison);
  judge(result, assertion, comparison, observed, modelled);
}

}  // namespace

CaseResult run_problem(Session& session, const Problem& problem, const ModelledBy& modelled,
                       const GoldenCheck* given) {
  const backends::DeviceInfo& device = session.device().info();
  CaseResult result = describe_problem(problem, device);
  const Plan plan = plan_of_calls(problem, device);
  if (plan.needs || plan.no_provider) {
    not_supported(result, plan.needs ? lacking(*plan.needs, device) : *plan.no_provider);
    return result;
  }
  const TensorSet inputs = problem.inputs();
  const auto execute_start = Clock::now();
  const TensorSet operands = operands_of_calls(problem, inputs).value();
  const GoldenCheck* const golden = usable(given, problem, plan, device);
  DeviceDigests digests(session, plan, operands, least_bytes_digested(device));
  Known known;
  if (golden != nullptr && !golden->recompute && may_be_digested(plan))
    known = [&](const PreparedPlan& run) {
      const auto start = Clock::now();
      const bool is_right = digests.hold(run, golden->expected.sum);
      result.verify_seconds += seconds_since(start);
      return is_right;
    };
  Observation observed = observe_calls(session, problem, plan, operands, known);
  result.execute_seconds = seconds_since(execute_start);
  result.device_ns = observed.got.device_ns;
  if (!answered(result, observed.got)) return result;
  if (matches(golden, observed.got)) {
    pass_by(golden->expected, problem, plan, result);
  } else {
    judge_by_reference(result, session, {problem, plan, inputs, operands}, std::move(observed),
                       modelled, golden);
  }
  return result;
}

CaseResult describe_case(const Suite& suite, const Case& c, const backends::DeviceInfo& device) {
  return describe_problem(*suite.bind(c), device);
}

CaseResult run_case(Session& session, const Suite& suite, const Case& c, const Identified* found,
                    const GoldenCheck* golden) {
  return run_problem(session, *suite.bind(c), {.by = suite.modelling, .found = found}, golden);
}

}  // namespace halfmark::suites
