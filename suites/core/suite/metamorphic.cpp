// SPDX-License-Identifier: Apache-2.0
#include "suites/core/suite/metamorphic.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reference/soft/soft.hpp"
#include "suites/core/case/fills.hpp"
#include "suites/core/execute/plan_builder.hpp"
#include "suites/core/execute/provider.hpp"
#include "suites/core/judge/digest.hpp"
#include "suites/core/judge/judge.hpp"
#include "suites/core/judge/result.hpp"
#include "suites/core/suite/describe.hpp"
#include "suites/core/suite/problem.hpp"

namespace halfmark::suites {
namespace {

std::string related(std::string_view tensor) { return fmt::format("{}{}", tensor, kRelated); }

void rename(Launch& launch) {
  for (PlanArgument& argument : launch.arguments) {
    if (auto* tensor = std::get_if<TensorRef>(&argument)) tensor->name += kRelated;
  }
}
void rename(OperatorStep& step) {
  for (TensorSlice& slice : step.tensors) slice.tensor += kRelated;
}
void rename(TensorSpec& spec) { spec.name += kRelated; }

// Appends a copy of each part for the second call, with tensors of its own.
template <typename Part>
void repeat(std::vector<Part>& parts) {
  std::vector<Part> again = parts;
  for (Part& part : again) rename(part);
  parts.insert(parts.end(), again.begin(), again.end());
}

struct Imaged {
  formats::Tensor tensor;
  bool exact = true;
};

Imaged image_of(const formats::Tensor& source, const Image& image) {
  Imaged made{source, true};
  if (image.exponent == 0 && !image.negated) return made;
  const formats::Format& f = *source.format;
  for (std::size_t i = 0; i < source.count(); ++i) {
    formats::Bits bits = source.at(i);
    const auto take = [&](const soft::Result& step) {
      made.exact = made.exact && step.flags == 0;
      bits = step.bits;
    };
    if (image.exponent != 0) take(soft::ldexp(f, bits, image.exponent));
    if (image.negated) bits = soft::neg(f, bits);
    made.tensor.set(i, bits);
  }
  return made;
}

// The second call's tensor of this name.
Imaged image_of(const TensorSet& first, const std::vector<Image>& images, const std::string& name) {
  const auto image =
      std::find_if(images.begin(), images.end(), [&](const Image& i) { return i.tensor == name; });
  if (image == images.end()) return {first.at(name), true};
  return image_of(first.at(image->source.empty() ? name : image->source), *image);
}

// True if the second call has the operands of the first: any kernel that repeats itself would pass.
bool changes_nothing(const Relation& relation, const TensorSet& first) {
  return std::all_of(first.begin(), first.end(), [&](const auto& entry) {
    return image_of(first, relation.operands, entry.first).tensor == entry.second;
  });
}

}  // namespace

bool is_related(std::string_view tensor) { return tensor.ends_with(kRelated); }

std::string_view name_in_first(std::string_view tensor) {
  if (is_related(tensor)) tensor.remove_suffix(kRelated.size());
  return tensor;
}

namespace {

// A plan that needs what the device lacks; nothing if it lacks nothing.
std::optional<Plan> lacking(const Plan& plan, const backends::DeviceInfo& device) {
  Plan none;
  const bool computes = !plan.launches.empty() || !plan.operators.empty();
  if (computes && lacks_full_profile(device)) none.needs = kFullProfile;
  for (const Launch& launch : plan.launches) {
    const auto& [x, y, z] = launch.items;
    if (!none.needs) static_cast<void>(require_group(none, device, x * y * z));
  }
  return none.needs ? std::optional(none) : std::nullopt;
}

}  // namespace

Plan plan_of_calls(const Problem& problem, const backends::DeviceInfo& device) {
  Plan plan = problem.plan(device);
  if (std::optional<Plan> none = lacking(plan, device)) return *std::move(none);
  if (!problem.relation()) return plan;
  repeat(plan.tensors);
  repeat(plan.launches);
  repeat(plan.operators);
  return plan;
}

std::optional<TensorSet> operands_of_calls(const Problem& problem, const TensorSet& first) {
  const std::optional<Relation> relation = problem.relation();
  TensorSet all = first;
  if (!relation) return all;
  for (const auto& [name, tensor] : first) {
    Imaged image = image_of(first, relation->operands, name);
    if (!image.exact) return std::nullopt;
    all.emplace(related(name), std::move(image.tensor));
  }
  return all;
}

TensorSet take_related(TensorSet& outputs) {
  TensorSet second;
  for (auto at = outputs.begin(); at != outputs.end();) {
    const auto next = std::next(at);
    if (is_related(at->first)) second.insert(outputs.extract(at));
    at = next;
  }
  return second;
}

TensorSet related_results(const Relation& relation, const TensorSet& first) {
  TensorSet expected;
  for (const auto& [name, tensor] : first)
    expected.emplace(related(name), image_of(first, relation.results, name).tensor);
  return expected;
}

Comparison compare_related(const TensorSet& expected, const TensorSet& second) {
  const Enclosure only{.low = expected, .high = expected};
  return compare({expected, 0, &only}, second);
}

namespace {

// Whether the second call's results are right by themselves.
bool is_right(const Problem& problem, const Relation& relation, const TensorSet& inputs,
              const TensorSet& second) {
  TensorSet operands, results;
  for (const auto& [name, tensor] : inputs)
    operands.emplace(name, image_of(inputs, relation.operands, name).tensor);
  for (const auto& [name, tensor] : second)
    results.emplace(std::string(name_in_first(name)), tensor);
  const Expectation expected = problem.expect(operands);
  return compare(allowance_of(problem, expected), results).mismatches == 0;
}

}  // namespace

void judge_relation(CaseResult& result, const Problem& problem, const TensorSet& inputs,
                    const TensorSet& first, const TensorSet& second) {
  const Relation relation = *problem.relation();
  const TensorSet expected = related_results(relation, first);
  const Comparison comparison = compare_related(expected, second);
  result.elements += comparison.elements;
  TensorSet both = first;
  both.insert(second.begin(), second.end());
  result.digest = digest(both);
  if (comparison.mismatches == 0) {
    if (!changes_nothing(relation, inputs)) return;
    result.verdict = Verdict::kUntrusted;
    result.reason = "both calls have the same operands";
    return;
  }
  result.verdict = Verdict::kFail;
  result.standing = Standing::kViolation;
  if (!relation.unpromised.empty() && is_right(problem, relation, inputs, second)) {
    result.standing = Standing::kDeviation;
    result.permitted_by = fmt::format("nobody promises {}", relation.unpromised);
  }
  result.finding_class = "formula";
  result.mismatches = comparison.mismatches;
  result.reason = fmt::format("{} differs from {} in {} of {} elements", relation.second,
                              relation.first, comparison.mismatches, comparison.elements);
  for (const Mismatch& m : comparison.shown) {
    result.wrong.push_back(describe_element(problem, inputs, *expected.at(m.tensor).format, m));
  }
  for (const auto& [name, elements] : comparison.wrong) {
    const formats::Tensor& right = expected.at(name);
    const Extent extent = extent_of(problem, name, right.count());
    result.geometry.push_back(describe_geometry(name, extent, elements, right, second.at(name)));
  }
}

}  // namespace halfmark::suites
