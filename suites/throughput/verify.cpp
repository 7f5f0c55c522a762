// SPDX-License-Identifier: Apache-2.0
#include "suites/throughput/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "suites/core/execute/memory_fault.hpp"
#include "suites/core/golden/golden.hpp"
#include "suites/core/judge/judge.hpp"
#include "suites/core/run/run_case.hpp"
#include "suites/registry.hpp"
#include "suites/throughput/kept_inputs.hpp"
#include "suites/throughput/sampled_rows.hpp"

namespace halfmark::suites::throughput {
namespace {

// Why nothing can be compared; empty: it can.
std::string obstacle(const Plan& plan) {
  if (plan.needs) return fmt::format("{} is not offered", *plan.needs);
  return plan.no_provider.value_or("");
}

std::uint64_t results_of(const Plan& plan) {
  std::uint64_t count = 0;
  for (const TensorSpec& spec : plan.tensors) {
    if (is_output(spec)) count += spec.count;
  }
  return count;
}

void refuse(Verified& result, Verdict verdict, std::string reason) {
  result.verdict = verdict;
  result.reason = std::move(reason);
}

// Whether the arithmetic found at another size gives every bit here, on data that earns it.
bool is_modelled(Verified& result, const Suite& suite, const Case& c, const TensorSet& inputs,
                 const TensorSet& outputs, const Identified* found) {
  if (found == nullptr || !found->named() || suite.modelling == nullptr) return false;
  const Expectation expected = suite.modelling->refer(c, inputs, *found);
  const Comparison comparison = compare(allowance_of(expected), outputs);
  if (comparison.mismatches > 0) return false;
  const std::string why = unearned(inputs, allowance_of(expected));
  result.tier = std::string(name_of(Tier::kModelled));
  result.elements = comparison.elements;
  refuse(result, why.empty() ? Verdict::kPass : Verdict::kUntrusted, why);
  return true;
}

void compare_with(Verified& result, const Problem& problem, const TensorSet& inputs,
                  const TensorSet& outputs, const ContractRow& row, const std::string& replayed) {
  const Expectation expected = problem.expect_beside(inputs, outputs);
  const Allowance allowed = allowance_of(problem, expected, row.bound_ulps);
  const Comparison comparison = compare(allowed, outputs);
  result.elements = comparison.elements;
  if (comparison.mismatches > 0)
    return refuse(result, Verdict::kFail,
                  fmt::format("{} of {} elements differ; `halfmark replay {}` explains them",
                              comparison.mismatches, comparison.elements, replayed));
  // Bits were earned in the run, on data of the same kind; a bound is as wide as its size makes it,
  // and must be earned here.
  const std::string why = expected.enclosure ? unearned(inputs, allowed) : std::string();
  refuse(result, why.empty() ? Verdict::kPass : Verdict::kUntrusted, why);
}

// Whether a run left exactly these results and changed nothing else. The bytes are compared in
// pieces: results as large as a stream's are not copied.
bool holds(const PreparedPlan& run, const Plan& plan, const TensorSet& inputs,
           const TensorSet& results) {
  return std::ranges::all_of(plan.tensors, [&](const TensorSpec& spec) {
    if (!run.guard_is_intact(spec)) return false;
    if (is_output(spec)) return run.holds(spec, results.at(spec.name));
    return spec.role != Role::kInput || run.holds(spec, inputs.at(spec.name));
  });
}

// The device's answer; without outputs (DeviceResult::known) where the only right results, all of
// which are compared, were there after both runs.
DeviceResult answer_of(Session& session, const Problem& problem, const ContractRow& row,
                       const Plan& plan, std::unique_ptr<PreparedPlan>& run) {
  const TensorSet& inputs = kept_inputs(problem);
  if (!has_single_answer(problem, row) || sampled_rows(problem.c(), session.device().info()))
    return execute(session, plan, inputs, {}, &run);
  const TensorSet results = problem.expect(inputs).middle;
  const Known known = [&](const PreparedPlan& ended) {
    return holds(ended, plan, inputs, results);
  };
  return execute(session, plan, inputs, known, &run);
}

}  // namespace

Verified verify(Session& session, const Case& c, const Identified* found,
                std::unique_ptr<KeptRun>* kept) {
  const Suite& suite = find_suite(c.suite);
  const auto problem = suite.bind(c);
  const backends::DeviceInfo& device = session.device().info();
  const ContractRow& row = problem->row(device);
  auto ran = std::make_unique<KeptRun>(KeptRun{.plan = problem->plan(device), .run = {}});
  Verified result{.name = print_seedless(c),
                  .tier = std::string(name_of(row.tier)),
                  .results = results_of(ran->plan),
                  .reason = {}};
  if (std::string why = obstacle(ran->plan); !why.empty()) {
    refuse(result, Verdict::kNotSupported, std::move(why));
    return result;
  }
  const auto judge = [&](Verified& of, const Problem& part, const TensorSet& given,
                         const TensorSet& outputs) {
    if (row.tier != Tier::kBounded || !is_modelled(of, suite, part.c(), given, outputs, found))
      compare_with(of, part, given, outputs, row, print(c));
  };
  const TensorSet& inputs = kept_inputs(*problem);
  const DeviceResult got = answer_of(session, *problem, row, ran->plan, ran->run);
  if (got.not_supported) {
    refuse(result, Verdict::kNotSupported, *got.not_supported);
  } else if (got.error) {
    refuse(result, got.error->device_lost ? Verdict::kDeviceLost : Verdict::kError,
           got.error->text);
  } else if (const std::string_view fault = memory_fault(got); !fault.empty()) {
    refuse(result, Verdict::kFail, std::string(fault));
  } else if (got.known) {
    result.elements = result.results;
    result.verdict = Verdict::kPass;
  } else if (const auto sample = sampled_rows(c, device)) {
    judge(result, *suite.bind(sample->c), sample->cut(inputs), sample->cut(got.outputs));
  } else {
    judge(result, *problem, inputs, got.outputs);
  }
  if (kept != nullptr && result.verdict == Verdict::kPass && ran->run) *kept = std::move(ran);
  return result;
}

}  // namespace halfmark::suites::throughput
