// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/lab/replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "reference/fast/statistics.hpp"
#include "reference/formats/classify.hpp"
#include "reference/formats/text.hpp"
#include "suites/core/case/errors.hpp"
#include "suites/core/execute/memory_fault.hpp"
#include "suites/core/run/run_case.hpp"
#include "suites/core/suite/promisor.hpp"
#include "tools/halfmark/lab/calls.hpp"
#include "tools/halfmark/lab/left_open.hpp"
#include "tools/halfmark/lab/trace.hpp"

namespace halfmark::tools::lab {
namespace {

using formats::Tensor;
using suites::Comparison;
using suites::DeviceResult;
using suites::Expectation;
using suites::TensorSet;

// The case of an operator, on the operands of a training.
class OnOtherOperands final : public suites::Problem {
 public:
  OnOtherOperands(const suites::Problem& other, const TensorSet& inputs)
      : Problem(other.c()), other_(other), inputs_(inputs) {}

  const suites::ContractRow& row(const backends::DeviceInfo& device) const override {
    return other_.row(device);
  }
  suites::Plan plan(const backends::DeviceInfo& device) const override {
    return other_.plan(device);
  }
  TensorSet inputs() const override { return inputs_; }
  Expectation expect(const TensorSet& inputs, const models::Machine& machine) const override {
    return other_.expect(inputs, machine);
  }
  std::vector<suites::Hypothesis> mistakes() const override { return other_.mistakes(); }
  std::vector<suites::Hypothesis> mistakes_seen_in(const suites::Places& wrong,
                                                   const TensorSet& outputs) const override {
    return other_.mistakes_seen_in(wrong, outputs);
  }
  bool follows_machine() const override { return other_.follows_machine(); }
  suites::Extent extent(std::string_view tensor) const override { return other_.extent(tensor); }
  std::optional<suites::FindingClassName> near_class() const override {
    return other_.near_class();
  }

 private:
  const suites::Problem& other_;
  const TensorSet& inputs_;
};

Comparison compared(const Expectation& expected, const TensorSet& outputs) {
  return suites::compare(suites::allowance_of(expected), outputs);
}

// In the first step drivers still compile, for counting as for operators.
constexpr std::size_t kWholeStep = 1;

void forgive_what_is_left_open(Comparison& comparison, const Operator& op, const Operands& operands,
                               const Expectation& expected, const TensorSet& outputs) {
  for (auto& [name, places] : comparison.wrong) {
    const Tensor& middle = expected.middle.at(name);
    const Tensor& got = outputs.at(name);
    comparison.mismatches -= std::erase_if(places, [&](std::size_t i) {
      return is_left_open(op, operands, i, {*middle.format, middle.at(i), got.at(i)});
    });
  }
}

// Zeros of either sign are equal where the interface leaves their sign open.
void forgive_signs_of_zeros(Comparison& comparison, const Expectation& expected,
                            const TensorSet& outputs, const suites::Promisor& promisor) {
  const backends::Promise* promise =
      promisor.device.promise_of(promisor.library, "fp32.signed_zero");
  if (promise != nullptr && promise->offered) return;
  for (auto& [name, places] : comparison.wrong) {
    const Tensor& middle = expected.middle.at(name);
    const Tensor& got = outputs.at(name);
    comparison.mismatches -= std::erase_if(places, [&](std::size_t i) {
      return formats::is_zero(*got.format, got.at(i)) &&
             formats::is_zero(*middle.format, middle.at(i));
    });
  }
}

// Whether every wrong element is a zero in the place of a subnormal number.
bool are_flushed(const Comparison& comparison, const Expectation& expected,
                 const TensorSet& outputs) {
  for (const auto& [name, places] : comparison.wrong) {
    const Tensor& middle = expected.middle.at(name);
    const Tensor& got = outputs.at(name);
    for (const std::size_t i : places) {
      if (!formats::is_zero(*got.format, got.at(i)) ||
          !formats::is_subnormal(*middle.format, middle.at(i))) {
        return false;
      }
    }
  }
  return true;
}

// Whether flushing subnormal numbers, of the operands or the results or both, gives these bits.
bool flushing_explains(const Call& call, const Operator& op, const Operands& operands,
                       const Expectation& expected, const TensorSet& outputs) {
  if (are_flushed(compared(expected, outputs), expected, outputs)) return true;
  std::vector<Tensor> zeroed;
  Operands pointers;
  for (const Tensor* operand : operands) zeroed.push_back(flushed(*operand));
  for (const Tensor& operand : zeroed) pointers.push_back(&operand);
  const Expectation other = expected_of(call, op, pointers);
  return are_flushed(compared(other, outputs), other, outputs);
}

std::string element(const formats::Format& format, formats::Bits bits) {
  return fmt::format("{} ({})", formats::hex(format, bits), formats::decimal(format, bits));
}

std::string fault_of(const DeviceResult& got) {
  if (got.error) return fmt::format("{}: {}", got.error->stage, got.error->text);
  return std::string(suites::memory_fault(got));
}

// The first wrong element in the order of the operator's results.
void describe(Deviation& deviation, const Call& call, const Comparison& comparison,
              const Expectation& expected, const TensorSet& outputs) {
  for (const std::string& name : call.results) {
    const auto places = comparison.wrong.find(name);
    if (places == comparison.wrong.end() || places->second.empty()) continue;
    const Tensor& middle = expected.middle.at(name);
    deviation.index = places->second.front();
    deviation.expected = element(*middle.format, middle.at(deviation.index));
    deviation.actual = element(*middle.format, outputs.at(name).at(deviation.index));
    return;
  }
}

// What explains every wrong element, as one line; of several, the first and how many there are.
std::string explanation_of(const suites::CaseResult& result) {
  std::vector<std::string> sentences;
  for (const suites::Explanation& each : result.explanations) {
    if (each.exact(result.mismatches)) sentences.push_back(each.sentence);
  }
  if (sentences.empty()) return "nothing known explains it";
  if (sentences.size() == 1) return sentences.front();
  return fmt::format("{}, or {} more", sentences.front(), sentences.size() - 1);
}

// Whether nothing but flushing explains every wrong element.
bool flushes(const suites::CaseResult& result) {
  bool any = false;
  for (const suites::Explanation& each : result.explanations) {
    if (!each.exact(result.mismatches)) continue;
    if (!each.finding_class.starts_with("ftz")) return false;
    any = true;
  }
  return any;
}

// Adds the time that something takes to `seconds`.
template <typename Take>
auto timed(double& seconds, const Take& take) {
  const auto start = std::chrono::steady_clock::now();
  auto taken = take();
  seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return taken;
}

// Where every bit is specified and finite, one run shows what two do as long as it is right.
DeviceResult specified_run(suites::Session& session, const Call& call, const Expectation& expected,
                           double& seconds) {
  const auto is_finite = [](const auto& named) { return fast::all_finite(named.second); };
  if (std::ranges::all_of(expected.middle, is_finite)) {
    DeviceResult got =
        timed(seconds, [&] { return suites::execute_once(session, call.plan, call.inputs); });
    if (got.error) return got;
    const bool is_right =
        suites::memory_fault(got).empty() && compared(expected, got.outputs).mismatches == 0;
    if (is_right) return got;
  }
  return timed(seconds, [&] { return suites::execute(session, call.plan, call.inputs); });
}

// What ran, and what it must give.
struct Replayed {
  const Call& call;
  const Operator& op;
  const Operands& operands;
  const Expectation& expected;
};

// Nothing if the device's answer is as specified, or within the bound of its rule.
std::optional<Deviation> deviation_of(const Replayed& replayed, const DeviceResult& got,
                                      const backends::DeviceInfo& device) {
  const auto& [call, op, operands, expected] = replayed;
  Comparison comparison;
  if (!got.error) {
    comparison = compared(expected, got.outputs);
    forgive_signs_of_zeros(
        comparison, expected, got.outputs,
        call.problem ? suites::promisor_of(*call.problem, device) : suites::Promisor{device});
    if (!call.is_portable)
      forgive_what_is_left_open(comparison, op, operands, expected, got.outputs);
  }
  const std::string fault = fault_of(got);
  if (fault.empty() && comparison.mismatches == 0) return std::nullopt;
  Deviation deviation{.operation = std::string(name_of(op.kind)),
                      .tensor = op.tensor,
                      .rule = call.rule,
                      .fault = fault,
                      .elements = comparison.elements,
                      .wrong = comparison.mismatches};
  describe(deviation, call, comparison, expected, got.outputs);
  deviation.flushed = fault.empty() && flushing_explains(call, op, operands, expected, got.outputs);
  return deviation;
}

void require_runnable(const Call& call, const Operator& op) {
  if (!call.plan.needs) return;
  throw suites::EnvironmentError(
      fmt::format("the device lacks {}, which '{}' needs", *call.plan.needs, op.tensor));
}

void diagnose(suites::Session& session, const Call& call, Deviation& deviation) {
  if (!call.problem) return;
  const OnOtherOperands problem(*call.problem, call.inputs);
  const suites::CaseResult result = suites::run_problem(session, problem);
  if (result.verdict != suites::Verdict::kFail) return;
  deviation.finding_class = result.finding_class;
  deviation.sentence = explanation_of(result);
  // Where no element is a zero: sums whose terms vanished.
  deviation.flushed = deviation.flushed || flushes(result);
}

}  // namespace

// Every result of the second step, of others the gradients of weights. In the first step, one more
// of each format, whose count is not kept: a driver may finish a kernel at its first launch.
void Replay::watch(const Operator& op, const Tensor& result, std::uint64_t operator_ns) {
  Observation& of_step = step_ == kWholeStep ? whole_step_ : observation_;
  of_step.operators_ns += operator_ns;
  if (!is_observable(*result.format)) return;
  if (step_ == kWholeStep || is_gradient_of_parameters(op.tensor)) {
    observe(session_, result, of_step);
  } else if (step_ < kWholeStep && launched_.insert(result.format).second) {
    Observation not_kept;
    observe(session_, result, not_kept);
  }
}

std::vector<Tensor> Replay::run(const Operator& op, const Operands& operands) {
  if (options_.progress)
    options_.progress(fmt::format("step {}, {} '{}'", step_, name_of(op.kind), op.tensor));
  ReplaySeconds now;
  double all = 0;
  auto [results, device_ns] = timed(all, [&] { return judged(op, operands, now.executing); });
  now.judging = all - now.executing;
  timed(now.counting, [&] {
    watch(op, results[0], device_ns);
    return true;
  });
  seconds_.executing += now.executing;
  seconds_.judging += now.judging;
  seconds_.counting += now.counting;
  return results;
}

Replay::Answer Replay::judged(const Operator& op, const Operands& operands, double& executing) {
  const backends::DeviceInfo& device = session_.device().info();
  Call call = call_of(op, operands, device, options_.provider);
  require_runnable(call, op);
  DeviceResult got;
  if (!call.is_portable) {
    got = timed(executing, [&] { return suites::execute(session_, call.plan, call.inputs); });
    if (got.not_supported) call = call_of(op, operands, device, "portable");
  }
  const Expectation expected = expected_of(call, op, operands);
  if (call.is_portable) got = specified_run(session_, call, expected, executing);
  ++operators_;
  if (call.is_portable) ++portable_;
  if (auto deviation = deviation_of({call, op, operands, expected}, got, device)) {
    deviation->step = step_;
    if (options_.diagnoses && deviations_.empty()) diagnose(session_, call, *deviation);
    deviations_.push_back(std::move(*deviation));
  }
  Answer answer{.results = {}, .device_ns = got.device_ns};
  const TensorSet& given = got.error ? expected.middle : got.outputs;
  for (const std::string& name : call.results) answer.results.push_back(given.at(name));
  return answer;
}

}  // namespace halfmark::tools::lab
