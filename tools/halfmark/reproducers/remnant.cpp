// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/reproducers/remnant.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "reference/formats/text.hpp"
#include "suites/core/case/finding_classes.hpp"
#include "suites/core/execute/placed.hpp"
#include "suites/core/shrink/shrink.hpp"
#include "suites/registry.hpp"
#include "tools/halfmark/reproducers/slice.hpp"

namespace halfmark::tools {
namespace {

using formats::Format;

bool is_reduced(const suites::CaseResult& finding) {
  return finding.reduction && !finding.reduction->tensors.empty();
}

const suites::Element* element_of(const suites::CaseResult& finding) {
  if (finding.reduction && !finding.reduction->wrong.empty())
    return finding.reduction->wrong.data();
  return finding.wrong.empty() ? nullptr : finding.wrong.data();
}

const suites::TensorSpec* spec_of(const suites::Plan& plan, std::string_view name) {
  const std::size_t at = place_of(plan, name);
  return at == plan.tensors.size() ? nullptr : &plan.tensors[at];
}

// Families whose kernels compute each element from those at its own index, of which they take the
// number last.
bool has_independent_elements(std::string_view family) {
  constexpr std::string_view kFamilies[] = {"arithmetic", "functions", "binary_functions",
                                            "half_functions"};
  return std::ranges::find(kFamilies, family) != std::end(kFamilies);
}

// Keeps the kernel and the operands of one wrong element.
void cut_to_one_element(Remnant& left) {
  suites::Launch& launch = left.plan.launches.at(0);
  suites::TensorSet one;
  for (const suites::OperandText& o : left.wrong.operands) {
    const suites::TensorSpec* spec = spec_of(left.plan, o.label);
    if (spec == nullptr) return;
    formats::Tensor value = formats::Tensor::zeros(*spec->format, 1);
    value.set(0, formats::parse_hex(*spec->format, o.hex).value_or(0));
    one.emplace(o.label, std::move(value));
  }
  for (const suites::TensorSpec& spec : left.plan.tensors) {
    if (spec.role == suites::Role::kInput && !one.contains(spec.name)) return;
  }
  left.inputs = std::move(one);
  left.wrong.index = 0;
  for (suites::TensorSpec& spec : left.plan.tensors) spec.count = 1;
  launch.groups = launch.items = {1, 1, 1};
  launch.arguments.back() = std::int32_t{1};
}

// C expressions that load element x of p as fp32, and store the sum in the only element of d.
std::string loaded(const Format& f, std::string_view p) {
  if (f == formats::kFp32) return fmt::format("{}[x]", p);
  if (f == formats::kFp16) return fmt::format("hm_half_load({}, x)", p);
  return fmt::format("hm_bf16_load({}, x)", p);
}
std::string stored(const Format& f) {
  if (f == formats::kFp32) return "d[0] = sum";
  if (f == formats::kFp16) return "hm_half_store(d, 0, sum)";
  return "hm_bf16_store(d, 0, sum)";
}

// The kernel is not called dot: a kernel with the name of an OpenCL C function crashes PoCL 3.1.
std::string chain_kernel(const Format& of_operands, const Format& of_sum) {
  const auto element = [](const Format& f) {
    return f == formats::kFp32 ? std::string("float") : std::string("HM_HALF");
  };
  return fmt::format(
      "HM_KERNEL chain(HM_GLOBAL const {0}* a, HM_GLOBAL const {0}* b, HM_GLOBAL {1}* d, int n) "
      "{{\n float sum = 0.0f;\n for (int x = 0; x < n; x += 1) sum = HM_FMA({2}, {3}, sum);\n"
      " {4};\n}}",
      element(of_operands), element(of_sum), loaded(of_operands, "a"), loaded(of_operands, "b"),
      stored(of_sum));
}

// If an API leaves elementary operations open, one element of a matrix product shows it: a chain of
// these operations over a row and a column.
void cut_to_chain(const suites::CaseResult& finding, Remnant& left) {
  const bool is_elementary =
      std::ranges::any_of(finding.explanations, [&](const suites::Explanation& e) {
        return e.exact(finding.mismatches) && !e.freedoms.empty();
      });
  const suites::Case& c = left.c;
  const bool plain = c.word("layout") == "nn" && c.word("variant") == "plain";
  if (!is_elementary || !plain || c.word("accumulator") != "acc-fp32") return;
  const auto n = c.number("shape", 'n'), k = c.number("shape", 'k');
  const formats::Tensor &a = left.inputs.at("a"), &b = left.inputs.at("b");
  formats::Tensor row = formats::Tensor::zeros(*a.format, k);
  formats::Tensor column = formats::Tensor::zeros(*b.format, k);
  for (std::uint64_t x = 0; x < k; ++x) {
    row.set(x, a.at(left.wrong.index / n * k + x));
    column.set(x, b.at(x * n + left.wrong.index % n));
  }
  const Format& d = *spec_of(left.plan, "d")->format;
  left.kernel = chain_kernel(*a.format, d);
  left.otherwise = "a single chain is right, so the failure needs the whole kernel";
  left.plan.tensors = {{.name = "a", .format = a.format, .count = k},
                       {.name = "b", .format = b.format, .count = k},
                       {.name = "d", .format = &d, .count = 1, .role = suites::Role::kOutput}};
  left.plan.launches = {{.family = "gemm",
                         .defines = left.plan.launches.at(0).defines,
                         .entry = "chain",
                         .arguments = {suites::TensorRef{"a"}, suites::TensorRef{"b"},
                                       suites::TensorRef{"d"}, static_cast<std::int32_t>(k)}}};
  left.inputs = {{"a", std::move(row)}, {"b", std::move(column)}};
  left.wrong.index = 0;
}

// Keeps the wrong one of two related calls.
void cut_to_call(Remnant& left) {
  const auto takes = [](const suites::OperatorStep& call, const std::string& name) {
    return std::ranges::any_of(call.tensors,
                               [&](const auto& slice) { return slice.tensor == name; });
  };
  std::erase_if(left.plan.operators,
                [&](const auto& call) { return !takes(call, left.wrong.tensor); });
  std::erase_if(left.plan.tensors, [&](const suites::TensorSpec& spec) {
    return std::ranges::none_of(left.plan.operators,
                                [&](const auto& call) { return takes(call, spec.name); });
  });
}

// If runs disagree, the program repeats the case; if a few runs in some hundreds differ, it uses
// many more.
void show_runs(const suites::CaseResult& finding, Remnant& left) {
  constexpr std::size_t kLeast = 2, kFew = 200, kMany = 2000;
  left.form = Form::kRuns;
  const bool varies = suites::differs_between_runs(finding.finding_class);
  if (varies && left.plan.concurrency != suites::Concurrency::kNone)
    throw NoProgram{
        "its runs differ only while other work runs on the device, and a program has one queue and "
        "one thread"};
  left.runs = !varies ? kLeast : std::clamp(10 * left.plan.repeats, kFew, kMany);
  const auto output = std::ranges::find_if(left.plan.tensors, suites::is_output);
  if (output == left.plan.tensors.end()) throw NoProgram{"the case has no result"};
  left.wrong.tensor = finding.geometry.empty() ? output->name : finding.geometry.front().tensor;
}

// A process that dies or hangs has no result: the reference provides the first expected value.
void expect_reference(Remnant& left) {
  const suites::TensorSet expected =
      suites::find_suite(left.c.suite).bind(left.c)->expect(left.inputs).middle;
  const auto output = std::ranges::find_if(left.plan.tensors, [&](const suites::TensorSpec& spec) {
    return suites::is_output(spec) && spec.count > 0;
  });
  if (output == left.plan.tensors.end()) throw NoProgram{"the case has no result"};
  left.wrong.tensor = output->name;
  left.wrong.expected_hex = formats::hex(*output->format, expected.at(output->name).at(0));
}

}  // namespace

Remnant remnant_of(const suites::CaseResult& finding, const backends::DeviceInfo& device) {
  const suites::Element* wrong = element_of(finding);
  const bool uses_reduction =
      is_reduced(finding) && (!finding.reduction->wrong.empty() || wrong == nullptr);
  const std::string name =
      uses_reduction || (finding.reduction && !finding.reduction->wrong.empty())
          ? finding.reduction->case_name
          : finding.name;
  Remnant left{.c = suites::parse_case(name), .plan = {}, .inputs = {}, .wrong = {}};
  const auto problem = suites::find_suite(left.c.suite).bind(left.c);
  left.plan = suites::plan_of_calls(*problem, device);
  if (left.plan.needs || left.plan.no_provider)
    throw NoProgram{"the device as it is described has no such provider"};
  if (left.plan.launches.empty() && left.plan.operators.empty())
    throw NoProgram{"it launches nothing: only copies fail"};
  if (!left.plan.launches.empty() && !left.plan.operators.empty())
    throw NoProgram{"calls of a library alternate with kernels"};
  left.inputs = uses_reduction ? suites::operands_of(*finding.reduction) : problem->inputs();
  left.inputs = suites::operands_of_calls(*problem, left.inputs).value();
  if (wrong != nullptr) {
    left.wrong = *wrong;
  } else if (finding.verdict == suites::Verdict::kFail) {
    show_runs(finding, left);
  } else {
    expect_reference(left);
  }
  const bool is_sequence = left.plan.launches.size() > 1;
  if (is_sequence) cut_to_slice(left);
  if (problem->relation() && !left.plan.operators.empty()) cut_to_call(left);
  if (wrong == nullptr || is_sequence || left.plan.launches.empty()) return left;
  const std::string& family = left.plan.launches[0].family;
  if (has_independent_elements(family)) cut_to_one_element(left);
  if (family == "gemm") cut_to_chain(finding, left);
  return left;
}

}  // namespace halfmark::tools
