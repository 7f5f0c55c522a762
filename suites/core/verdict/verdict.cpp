// SPDX-License-Identifier: Apache-2.0
#include "suites/core/verdict/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reference/formats/ulp.hpp"
#include "suites/core/diagnose/diagnose.hpp"
#include "suites/core/execute/memory_fault.hpp"
#include "suites/core/judge/classification.hpp"
#include "suites/core/judge/digest.hpp"
#include "suites/core/suite/describe.hpp"
#include "suites/core/suite/metamorphic.hpp"
#include "suites/core/suite/padding.hpp"
#include "suites/core/suite/promisor.hpp"

namespace halfmark::suites {
namespace {

void fail_as(CaseResult& result, std::string_view finding_class, std::string reason) {
  result.verdict = Verdict::kFail;
  result.standing = Standing::kViolation;
  result.finding_class = finding_class;
  result.reason = std::move(reason);
}

// Memory faults take precedence over wrong values: they make every value doubtful, and no rule
// permits them.
bool broke_memory(CaseResult& result, const DeviceResult& got) {
  const std::string_view fault = memory_fault(got);
  if (!fault.empty()) fail_as(result, fault, memory_fault_reason(got));
  return !fault.empty();
}

// The results differ from run to run, but the row allows each of them, as with a varying order of
// operations. If the row allows only one result, the order of operations cannot explain two.
bool only_order_varies(const Problem& problem, const TensorSet& inputs, const DeviceResult& got,
                       const Allowance& allowed) {
  const auto is_allowed = [&](const TensorSet& outputs) {
    if (compare(allowed, outputs).mismatches == 0) return true;
    const Expectation beside = problem.expect_beside(inputs, outputs);
    return compare(allowance_of(problem, beside, allowed.bound_ulps), outputs).mismatches == 0;
  };
  return got.guards_broken.empty() && got.inputs_changed.empty() && got.unwritten.empty() &&
         !got.variants.empty() && is_allowed(got.outputs) &&
         std::ranges::all_of(got.variants, is_allowed) &&
         (!got.others || (is_allowed(got.others->least) && is_allowed(got.others->greatest) &&
                          is_allowed(got.others->any_nan)));
}

// Refines the class of memory_fault() with what the suite or the row knows.
void name_memory_fault(CaseResult& result, const Problem& problem, const TensorSet& inputs,
                       const DeviceResult& got, const Allowance& allowed) {
  if (result.finding_class == "race" && only_order_varies(problem, inputs, got, allowed)) {
    result.finding_class = "nondet";
    const std::string_view freedom = freedom_of(got.apart);
    if (!freedom.empty()) {
      result.standing = Standing::kDeviation;
      result.permitted_by = fmt::format("nobody promises {}", freedom);
    }
  }
  if (!got.unwritten.empty() && result.finding_class == "uninit")
    result.finding_class = problem.unwritten_class(got.unwritten.begin()->second);
}

// Wrong addresses can lead to memory between the operands. A hypothesis that says which addresses
// is more informative than the bare over-read.
void name_over_read(CaseResult& result, const Problem& problem, const TensorSet& inputs,
                    const Allowance& allowed, const DeviceResult& got) {
  constexpr std::string_view kOfPlaces[] = {"layout", "align", "index_ovf", "edge_tile"};
  if (result.finding_class != "over_read" || result.mismatches == 0) return;
  for (const Explanation& e : diagnose(problem, inputs, allowed, got.outputs)) {
    if (!e.exact(result.mismatches)) continue;
    if (std::find(std::begin(kOfPlaces), std::end(kOfPlaces), e.finding_class) ==
        std::end(kOfPlaces))
      continue;
    result.finding_class = e.finding_class;
    result.reason += fmt::format("; {}", e.sentence);
    result.explanations = {e};
    return;
  }
}

void describe_places(CaseResult& result, const Problem& problem,
                     const std::map<std::string, std::vector<std::size_t>>& wrong,
                     const TensorSet& expected) {
  for (const auto& [name, elements] : wrong) {
    const std::size_t count = expected.at(std::string(name_in_first(name))).count();
    result.geometry.push_back(describe_geometry(name, extent_of(problem, name, count), elements));
  }
}

void describe_wrong(CaseResult& result, const Problem& problem, const Comparison& comparison,
                    const TensorSet& expected, const TensorSet& actual) {
  for (const auto& [name, elements] : comparison.wrong) {
    const formats::Tensor& right = expected.at(name);
    const Extent extent = extent_of(problem, name, right.count());
    result.geometry.push_back(describe_geometry(name, extent, elements, right, actual.at(name),
                                                problem.holds_integers(name)));
  }
}

void note_accuracy(CaseResult& result, const Problem& problem, const TensorSet& inputs,
                   const TensorSet& expected, const TensorSet& actual) {
  const std::optional<Farthest> found = problem.farthest(inputs, expected, actual);
  if (!found) return;
  const formats::Tensor& right = expected.at(found->tensor);
  const formats::Bits got = actual.at(found->tensor).at(found->index);
  const Mismatch place{.tensor = found->tensor,
                       .index = found->index,
                       .expected = right.at(found->index),
                       .actual = got,
                       .ulps = formats::ulp_distance(*right.format, right.at(found->index), got)};
  result.accuracy = {.thousandths = found->thousandths,
                     .allowed_halves = found->allowed_halves,
                     .results = found->results,
                     .farthest = describe_element(problem, inputs, *right.format, place)};
}

// Whether an explanation that permits one part of a case accounts for all of its digests.
bool permits_all(const CaseResult& part, const Assertion& assertion, const DeviceResult& got,
                 std::uint64_t mismatches) {
  const auto& [problem, row, device, inputs, allowed] = assertion;
  const Promisor promisor = promisor_of(problem, device);
  const auto permits = [&](const Hypothesis& hypothesis) {
    return std::ranges::any_of(part.explanations, [&](const Explanation& e) {
      return e.hypothesis == hypothesis.name && e.exact(part.mismatches) &&
             permission_of(e, row, promisor);
    });
  };
  return std::ranges::any_of(all_hypotheses(problem, {}, got.outputs), [&](const Hypothesis& h) {
    return permits(h) && weigh(h, problem.c(), inputs, allowed, got.outputs).exact(mismatches);
  });
}

// Whether a part leaves more open, one element at a time, than any hypothesis about digests says:
// these then cannot contradict parts each of which differs only so.
bool leaves_more_open(const Assertion& assertion, const Comparison& comparison,
                      const Observation& observation) {
  const auto& [problem, row, device, inputs, allowed] = assertion;
  const auto is_open = [](const CaseResult& part) { return part.standing == Standing::kDeviation; };
  const std::optional<Digested> digests = problem.digested();
  if (!digests || !std::ranges::all_of(observation.parts, is_open)) return false;
  const auto parts = digests->parts({comparison.wrong.begin()->second.front()});
  const Problem& part = *parts.at(0);
  const std::vector<Hypothesis> known = all_hypotheses(problem, {}, observation.got.outputs);
  const TensorSet right = part.expect(part.inputs()).middle;
  const Promisor promisor = promisor_of(problem, device);
  return std::ranges::any_of(all_hypotheses(part, {}, right), [&](const Hypothesis& h) {
    return permission_of(explanation_of(h), row, promisor) &&
           std::ranges::find(known, h.name, &Hypothesis::name) == known.end();
  });
}

// Takes the verdict of one of the parts that were compared as that of the whole case.
void adopt(CaseResult& result, const CaseResult& part, const Observation& observation) {
  result.verdict = part.verdict;
  result.standing = part.standing;
  result.finding_class = part.finding_class;
  result.permitted_by = part.permitted_by;
  result.elements = part.elements;
  result.mismatches = part.mismatches;
  result.wrong = part.wrong;
  result.explanations = part.explanations;
  result.geometry = part.geometry;
  const bool is_first = &part == &observation.parts.front();
  result.reason = fmt::format("{} parts differ, {} {}: {}", observation.differing_parts,
                              is_first ? "the first one" : "among them", part.name, part.reason);
}

// Differing digests say only that something is wrong. A part's deviation counts for the case if it
// explains every digest, or if no digest can contradict it.
void judge_parts(CaseResult& result, const Assertion& assertion, const Comparison& comparison,
                 const Observation& observation) {
  const std::size_t count = observation.differing_parts, tried = observation.parts.size();
  fail_as(result, "unexplained",
          fmt::format("the digests of {} parts differ, the first one {}; computed again element by "
                      "element {} right",
                      count, observation.parts.at(0).name,
                      tried < count ? fmt::format("{} of them are", tried) : "they are"));
  for (const CaseResult& part : observation.parts) {
    if (part.verdict == Verdict::kPass) continue;
    adopt(result, part, observation);
    if (settles(part, assertion, comparison, observation.got)) return;
  }
  if (result.standing != Standing::kDeviation) return;
  if (leaves_more_open(assertion, comparison, observation)) {
    result.reason += "; no digest can show whether all that differs does so";
    return;
  }
  result.standing = Standing::kViolation;
  result.permitted_by.clear();
  result.reason += "; not every part that differs is explained so";
}

void weigh_pass(CaseResult& result, const TensorSet& inputs, const Allowance& allowed) {
  result.reason = unearned(inputs, allowed);
  result.verdict = result.reason.empty() ? Verdict::kPass : Verdict::kUntrusted;
}

void add_reason(CaseResult& result, const std::string& reason) {
  result.reason += (result.reason.empty() ? "" : "; ") + reason;
}

// A result inside its bound is explained if the identified arithmetic gives all of its bits. Such a
// match can earn a pass that the bound is too wide to earn.
void weigh_model(CaseResult& result, const Problem& problem, const Modelling& modelling,
                 const TensorSet& inputs, const TensorSet& outputs, const Identified& found) {
  if (!found.named()) {
    add_reason(result, fmt::format("no named arithmetic explains it: {}", found.evidence));
    return;
  }
  const Expectation expected = modelling.refer(problem.c(), inputs, found);
  const Allowance allowed = allowance_of(problem, expected);
  const Comparison comparison = compare(allowed, outputs);
  if (comparison.mismatches > 0) {
    const Mismatch& m = comparison.shown.front();
    const formats::Format& format = *expected.middle.at(m.tensor).format;
    add_reason(result,
               fmt::format("{} was found, and does not explain {} of {} elements, first "
                           "{}[{}]: it gives {}, the device {}",
                           found.arithmetic, comparison.mismatches, comparison.elements, m.tensor,
                           m.index, describe_value(problem, m.tensor, format, m.expected),
                           describe_value(problem, m.tensor, format, m.actual)));
    return;
  }
  assert_row(result, *modelling.row);
  weigh_pass(result, inputs, allowed);
}

void describe_memory_fault(CaseResult& result, const Problem& problem, const TensorSet& inputs,
                           const Allowance& allowed, const DeviceResult& got) {
  name_memory_fault(result, problem, inputs, got, allowed);
  name_over_read(result, problem, inputs, allowed, got);
  if (memory_fault(got) == "uninit" && !got.unwritten.empty())
    describe_places(result, problem, got.unwritten, allowed.expected);
  else if (!got.unrepeated.empty())
    describe_places(result, problem, got.unrepeated, allowed.expected);
}

void explain_wrong(CaseResult& result, const Assertion& assertion, const Comparison& comparison,
                   const TensorSet& outputs) {
  const auto& [problem, row, device, inputs, allowed] = assertion;
  const Promisor promisor = promisor_of(problem, device);
  result.verdict = Verdict::kFail;
  for (const Mismatch& m : comparison.shown) {
    const formats::Format& format = *allowed.expected.at(m.tensor).format;
    result.wrong.push_back(describe_element(problem, inputs, format, m));
  }
  describe_wrong(result, problem, comparison, allowed.expected, outputs);
  result.explanations = diagnose(problem, inputs, allowed, outputs, permits_of(row, promisor));
  decide_standing(result, row, promisor);
}

// Reports writes to padding between the results. If results are wrong too, their explanation
// says more.
bool wrote_into_padding(CaseResult& result, const Problem& problem, const Comparison& comparison,
                        const TensorSet& expected) {
  const std::optional<Padded> padded = only_padding(problem, comparison.wrong);
  if (!padded) return false;
  fail_as(result, "out_of_bounds", words_of(*padded));
  describe_places(result, problem, comparison.wrong, expected);
  return true;
}

// Sets the class and the reason of what is wrong, or the pass.
void judge_values(CaseResult& result, const Assertion& assertion, const Comparison& comparison,
                  const Observation& observation) {
  const auto& [problem, row, device, inputs, allowed] = assertion;
  const DeviceResult& got = observation.got;
  if (const auto& fault = observation.copy_fault) {
    fail_as(result, fault->finding_class, fault->sentence);
    return;
  }
  if (broke_memory(result, got)) {
    describe_memory_fault(result, problem, inputs, allowed, got);
    return;
  }
  note_accuracy(result, problem, inputs, allowed.expected, got.outputs);
  if (comparison.mismatches == 0) {
    weigh_pass(result, inputs, allowed);
  } else if (!observation.parts.empty()) {
    judge_parts(result, assertion, comparison, observation);
  } else if (!wrote_into_padding(result, problem, comparison, allowed.expected)) {
    explain_wrong(result, assertion, comparison, got.outputs);
  }
}

}  // namespace

void assert_row(CaseResult& result, const ContractRow& row) {
  result.tier = std::string(name_of(row.tier));
  result.rule = std::string(row.id);
  result.promise = std::string(row.promise);
  result.source = std::string(row.source);
}

bool may_be_copies(const Problem& problem, const Comparison& comparison, const DeviceResult& got) {
  const bool is_wrong = comparison.mismatches > 0 || !memory_fault(got).empty();
  return is_wrong && problem.own_work() == nullptr;
}

std::vector<std::unique_ptr<const Problem>> parts_to_compare(const Problem& problem,
                                                             const Comparison& comparison,
                                                             const Observation& observation) {
  const bool is_decided = observation.copy_fault || !memory_fault(observation.got).empty();
  const std::optional<Digested> digests = problem.digested();
  if (is_decided || !digests || comparison.mismatches == 0) return {};
  return digests->parts(comparison.wrong.begin()->second);
}

bool settles(const CaseResult& part, const Assertion& assertion, const Comparison& comparison,
             const DeviceResult& got) {
  if (part.verdict == Verdict::kPass) return false;
  return part.standing != Standing::kDeviation ||
         permits_all(part, assertion, got, comparison.mismatches);
}

void judge(CaseResult& result, const Assertion& assertion, const Comparison& comparison,
           const Observation& observation, const ModelledBy& modelled) {
  const auto& [problem, row, device, inputs, allowed] = assertion;
  const TensorSet& outputs = observation.got.outputs;
  const std::optional<Digested> digests = problem.digested();
  result.elements = digests ? digests->results : comparison.elements;
  result.mismatches = comparison.mismatches;
  result.digest = digest(outputs);
  judge_values(result, assertion, comparison, observation);
  const bool inside = result.verdict == Verdict::kPass || result.verdict == Verdict::kUntrusted;
  if (const auto relation = problem.relation(); inside && relation) {
    assert_row(result, *relation->row);
    judge_relation(result, problem, inputs, outputs, observation.related);
  } else if (inside && row.tier == Tier::kBounded && modelled.by != nullptr &&
             modelled.found != nullptr) {
    weigh_model(result, problem, *modelled.by, inputs, outputs, *modelled.found);
  }
}

}  // namespace halfmark::suites
