// SPDX-License-Identifier: Apache-2.0
#include "suites/core/line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "reference/formats/text.hpp"
#include "suites/core/diagnose.hpp"
#include "suites/core/digest.hpp"
#include "suites/core/judge.hpp"

namespace halfmark::suites {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

OperandText text_of(const Operand& o) {
  if (o.format == nullptr) {
    return {o.label, fmt::format("{:08x}", o.bits),
            std::to_string(static_cast<std::int32_t>(o.bits))};
  }
  return {o.label, formats::hex(*o.format, o.bits), formats::hex_float(*o.format, o.bits)};
}

Element describe(const Suite& suite, const Case& c, const TensorSet& inputs,
                 const formats::Format& format, const Mismatch& m) {
  Element e{.tensor = m.tensor,
            .index = m.index,
            .operands = {},
            .expected_hex = formats::hex(format, m.expected),
            .expected_value = formats::hex_float(format, m.expected),
            .actual_hex = formats::hex(format, m.actual),
            .actual_value = formats::hex_float(format, m.actual),
            .ulps = m.ulps};
  if (suite.operands == nullptr) return e;
  for (const Operand& o : suite.operands(c, inputs, m.tensor, m.index)) {
    e.operands.push_back(text_of(o));
  }
  return e;
}

void not_supported(CaseResult& result, const std::string& capability,
                   const backends::DeviceInfo& device) {
  result.verdict = Verdict::kNotSupported;
  const backends::Promise* promise = device.promise(capability);
  result.reason = promise == nullptr
                      ? fmt::format("the device says nothing of {}", capability)
                      : fmt::format("{} is not offered: {}", capability, promise->evidence);
}

void fail_as(CaseResult& result, std::string_view finding_class, std::string reason) {
  result.verdict = Verdict::kFail;
  result.standing = Standing::kViolation;
  result.finding_class = std::string(finding_class);
  result.reason = std::move(reason);
}

// Faults of memory handling come before wrong values: they make every value doubtful, and no rule
// permits them.
bool broke_memory(CaseResult& result, const DeviceResult& got) {
  if (!got.guards_broken.empty()) {
    fail_as(result, "out_of_bounds",
            fmt::format("memory behind the end of '{}' was written", got.guards_broken[0]));
  } else if (!got.inputs_changed.empty()) {
    fail_as(result, "input_changed",
            fmt::format("input '{}' was written to", got.inputs_changed[0]));
  } else if (!got.unwritten.empty()) {
    const auto& [name, elements] = *got.unwritten.begin();
    fail_as(result, "uninit",
            fmt::format("{} elements of '{}' were never written, the first at {}", elements.size(),
                        name, elements[0]));
  } else if (!got.unrepeated.empty()) {
    const auto& [name, elements] = *got.unrepeated.begin();
    fail_as(result, "race",
            fmt::format("{} elements of '{}' differ between two identical runs, the first at {}",
                        elements.size(), name, elements[0]));
  } else {
    return false;
  }
  return true;
}

// The driver's own answer that leaves the freedom open, or null when the row or the device does
// not.
const backends::Promise* permission(std::string_view name, const ContractRow& row,
                                    const backends::DeviceInfo& device) {
  for (const Freedom& freedom : row.freedoms) {
    if (freedom.name != name) continue;
    const backends::Promise* promise = device.promise(freedom.capability);
    if (promise != nullptr && !promise->offered) return promise;
  }
  return nullptr;
}

// Violation or deviation: a freedom of the row counts only if the device does not promise otherwise
// and an exact explanation says that this freedom, and nothing else, was taken.
void decide_standing(CaseResult& result, const ContractRow& row,
                     const backends::DeviceInfo& device) {
  const auto exact = std::find_if(result.explanations.begin(), result.explanations.end(),
                                  [&](const Explanation& e) { return e.exact(result.mismatches); });
  const bool explained = exact != result.explanations.end();
  result.finding_class = explained ? exact->finding_class : "unexplained";
  result.standing = Standing::kViolation;
  const std::string_view because =
      explained ? std::string_view(exact->sentence) : "no named arithmetic explains them";
  result.reason =
      fmt::format("{} of {} elements differ: {}", result.mismatches, result.elements, because);
  if (!explained || exact->freedoms.empty()) return;
  std::string permitted_by;
  for (const std::string& taken : exact->freedoms) {
    const backends::Promise* promise = permission(taken, row, device);
    if (promise == nullptr) return;
    permitted_by += fmt::format("{}{} ({})", permitted_by.empty() ? "" : "; ", promise->clause,
                                promise->evidence);
  }
  result.standing = Standing::kDeviation;
  result.permitted_by = permitted_by;
}

void judge_values(CaseResult& result, const Suite& suite, const Case& c, const ContractRow& row,
                  const TensorSet& inputs, const TensorSet& expected, const DeviceResult& got,
                  const backends::DeviceInfo& device) {
  std::optional<Enclosure> enclosure;
  if (suite.enclose != nullptr) enclosure = suite.enclose(c, inputs);
  const Allowance allowed{expected, row.bound_ulps, enclosure ? &*enclosure : nullptr};
  const Comparison comparison = compare(allowed, got.outputs);
  result.elements = comparison.elements;
  result.mismatches = comparison.mismatches;
  result.digest = digest(got.outputs);
  if (broke_memory(result, got)) return;
  if (comparison.mismatches > 0) {
    result.verdict = Verdict::kFail;
    for (const Mismatch& m : comparison.shown) {
      result.wrong.push_back(describe(suite, c, inputs, *expected.at(m.tensor).format, m));
    }
    result.explanations = diagnose(suite, c, inputs, allowed, got.outputs);
    decide_standing(result, row, device);
    return;
  }
  result.reason = unearned(inputs, allowed);
  result.verdict = result.reason.empty() ? Verdict::kPass : Verdict::kUntrusted;
}

}  // namespace

CaseResult describe_case(const Suite& suite, const Case& c, const backends::DeviceInfo& device) {
  const ContractRow& row = suite.row(c, device);
  CaseResult result;
  result.name = print(c);
  result.suite = c.suite;
  result.provider = std::string(c.word("provider"));
  result.tier = std::string(name_of(row.tier));
  result.rule = std::string(row.id);
  result.promise = std::string(row.promise);
  result.source = std::string(row.source);
  return result;
}

CaseResult run_case(Session& session, const Suite& suite, const Case& c) {
  const backends::DeviceInfo& device = session.device().info();
  CaseResult result = describe_case(suite, c, device);
  const Plan plan = suite.plan(c, device);
  if (plan.needs) {
    not_supported(result, *plan.needs, device);
    return result;
  }
  if (plan.no_provider) {
    result.verdict = Verdict::kNotSupported;
    result.reason = *plan.no_provider;
    return result;
  }
  const TensorSet inputs = suite.inputs(c);
  const auto execute_start = Clock::now();
  const DeviceResult got = execute(session, plan, inputs);
  result.execute_seconds = seconds_since(execute_start);
  result.device_ns = got.device_ns;
  if (got.not_supported) {
    result.verdict = Verdict::kNotSupported;
    result.reason = *got.not_supported;
    return result;
  }
  if (got.error) {
    result.verdict = got.error->device_lost ? Verdict::kDeviceLost : Verdict::kError;
    result.reason =
        got.error->log.empty() ? got.error->text : got.error->text + "\n" + got.error->log;
    return result;
  }
  const auto refer_start = Clock::now();
  const TensorSet expected = suite.refer(c, inputs, models::Machine{});
  result.refer_seconds = seconds_since(refer_start);
  judge_values(result, suite, c, suite.row(c, device), inputs, expected, got, device);
  return result;
}

}  // namespace halfmark::suites
