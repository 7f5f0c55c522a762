// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/reproducers/reproducer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>

#include "backends/reproducers.hpp"
#include "kernels/catalog.hpp"
#include "reference/formats/text.hpp"
#include "suites/core/shrink.hpp"
#include "suites/registry.hpp"
#include "tools/halfmark/reproducers/kernel_cut.hpp"
#include "tools/halfmark/reproducers/reproducer_call.hpp"
#include "tools/halfmark/reproducers/reproducer_text.hpp"

namespace halfmark::tools {
namespace {

using formats::Format;

constexpr std::size_t kMostKernelLines = 9;  // the frames leave no more of forty

struct Array {
  std::string name;
  const Format* format = nullptr;
  std::vector<std::string> hex;
};

// What is left of a finding: a kernel of one item, its operands and the one result.
struct Cut {
  std::string kernel, entry, family;
  std::vector<Array> operands;
  WrongResult result;
  int last_argument = 1;
  std::string_view otherwise = "the device is right";  // when the program finds no difference
};

const suites::Element* element_of(const suites::CaseResult& finding) {
  if (finding.reduction && !finding.reduction->wrong.empty())
    return finding.reduction->wrong.data();
  return finding.wrong.empty() ? nullptr : finding.wrong.data();
}

const suites::TensorSpec* spec_of(const suites::Plan& plan, std::string_view name) {
  const auto found = std::find_if(plan.tensors.begin(), plan.tensors.end(),
                                  [&](const auto& spec) { return spec.name == name; });
  return found == plan.tensors.end() ? nullptr : &*found;
}

std::string replaced(std::string text, std::string_view what, std::string_view by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at)) {
    text.replace(at, what.size(), by);
    at += by.size();
  }
  return text;
}

// On one line, of one item.
std::string alone(const std::string& kernel) {
  std::string text = kernel;
  for (const char* item : {"hm_item()", "function_item()"}) text = replaced(text, item, "0");
  for (const char* space : {"\n", "  ", "  "}) text = replaced(text, space, " ");
  return text;
}

suites::TensorSet tensors_of(const std::vector<Array>& operands) {
  suites::TensorSet inputs;
  for (const Array& operand : operands) {
    formats::Tensor one = formats::Tensor::zeros(*operand.format, 1);
    one.set(0, formats::parse_hex(*operand.format, operand.hex[0]).value_or(0));
    inputs.emplace(operand.name, std::move(one));
  }
  return inputs;
}

// Elementary operations and functions: the kernel as it is, on the operands of one wrong element.
std::optional<Cut> cut_operation(const suites::CaseResult& finding, const suites::Case& c,
                                 const suites::Plan& plan) {
  const suites::Element* wrong = element_of(finding);
  const suites::Launch& launch = plan.launches.at(0);
  Cut cut{.kernel = function_named(kernels::find_family(launch.family)->text, launch.entry),
          .entry = launch.entry,
          .family = launch.family,
          .operands = {},
          .result = {}};
  for (const suites::OperandText& o : wrong->operands) {
    const suites::TensorSpec* spec = spec_of(plan, o.label);
    if (spec == nullptr || spec->format != plan.tensors[0].format) return std::nullopt;
    cut.operands.push_back({o.label, spec->format, {o.hex}});
  }
  cut.result =
      wrong_result(c, *wrong, *spec_of(plan, wrong->tensor)->format, tensors_of(cut.operands), 0);
  return cut;
}

// Element x of p as fp32, and the sum as the one element of d.
std::string loaded(const Format& f, std::string_view p) {
  if (f == formats::kFp32) return fmt::format("{}[x]", p);
  if (f == formats::kFp16) return fmt::format("hm_half_load({}, x)", p);
  return fmt::format("hm_bf16_to_float({}[x])", p);
}
std::string stored(const Format& f) {
  if (f == formats::kFp32) return "d[0] = sum";
  if (f == formats::kFp16) return "hm_half_store(d, 0, sum)";
  return "d[0] = (HM_HALF)hm_float_to_bf16(sum)";
}

// One element of a matrix product is a chain of fused multiply-adds over a row and a column. Where
// the failure lies in the kernel's tiles it is not in this chain; only a run of it can tell. (A
// kernel called dot, as a function of OpenCL C is, crashes PoCL 3.1.)
std::optional<Cut> cut_product(const suites::CaseResult& finding, const suites::Plan& plan) {
  if (!finding.reduction || finding.reduction->tensors.size() != 2) return std::nullopt;
  const suites::Case c = suites::parse_case(finding.reduction->case_name);
  const bool plain = c.word("layout") == "nn" && c.word("variant") == "plain";
  const suites::Element* wrong = element_of(finding);
  if (!plain || c.word("accumulator") != "acc-fp32" || wrong == nullptr) return std::nullopt;
  const suites::TensorSet inputs = suites::operands_of(*finding.reduction);
  const auto n = c.number("shape", 'n');
  const auto k = c.number("shape", 'k');
  const formats::Tensor& a = inputs.at("a");
  const formats::Tensor& b = inputs.at("b");
  Array row{"a", a.format, {}};
  Array column{"b", b.format, {}};
  for (std::uint64_t x = 0; x < k; ++x) {
    row.hex.push_back(formats::hex(*a.format, a.at(wrong->index / n * k + x)));
    column.hex.push_back(formats::hex(*b.format, b.at(x * n + wrong->index % n)));
  }
  const Format& d = *spec_of(plan, "d")->format;
  const auto pointer = [](const Format& f) {
    return f == formats::kFp32 ? std::string("float*") : std::string("HM_HALF*");
  };
  const std::string kernel = fmt::format(
      "HM_KERNEL chain(HM_GLOBAL const {0} a, HM_GLOBAL const {0} b, HM_GLOBAL {1} d, int n) {{\n"
      "  float sum = 0.0f;\n"
      "  for (int x = 0; x < n; x += 1) sum = HM_FMA({2}, {3}, sum);\n"
      "  {4};\n}}",
      pointer(*a.format), pointer(d), loaded(*a.format, "a"), loaded(*b.format, "b"), stored(d));
  return Cut{.kernel = kernel,
             .entry = "chain",
             .family = "arithmetic",  // the prelude is what it needs
             .operands = {row, column},
             .result = {.format = &d, .expected = wrong->expected_hex},
             .last_argument = static_cast<int>(k),
             .otherwise = "one chain alone is right, so the failure needs the whole kernel"};
}

std::optional<Cut> cut_of(const suites::CaseResult& finding, const suites::Case& c,
                          const suites::Plan& plan) {
  if (finding.provider != "portable" || plan.launches.size() != 1) return std::nullopt;
  const std::string& family = plan.launches[0].family;
  if (family == "arithmetic" || family == "functions") return cut_operation(finding, c, plan);
  return family == "gemm" ? cut_product(finding, plan) : std::nullopt;
}

// Functions and declarations that follow each other, on one line.
std::vector<std::string> joined(const std::vector<std::string>& lines) {
  std::vector<std::string> fewer;
  bool joins = false;
  for (const std::string& line : lines) {
    const bool is_code = !line.starts_with('#') && !line.ends_with('\\');
    if (is_code && joins) {
      fewer.back() += " " + line;
    } else {
      fewer.push_back(line);
    }
    joins = is_code && !line.starts_with("  ");  // the end of a definition over several lines
  }
  return fewer;
}

std::string quoted_lines(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) {
    std::string literal = quoted(line);
    literal.insert(literal.size() - 1, "\\n");
    text += (text.empty() ? "    " : "\n    ") + literal;
  }
  return text;
}

std::string operand_lines(const Cut& cut) {
  std::string text;
  for (const Array& array : cut.operands) {
    text += text.empty() ? fmt::format("static const {} ", element_type(*array.format)) : ", ";
    text += fmt::format("{}[] = {{", array.name);
    for (std::size_t i = 0; i < array.hex.size(); ++i)
      text += fmt::format("{}0x{}", i == 0 ? "" : ", ", array.hex[i]);
    text += "}";
  }
  const std::string got = fmt::format(" static {} got;", element_type(*cut.result.format));
  text += fmt::format(";\n{}\n", expected_line(cut.result, got));
  text += "static const struct { const void* data; unsigned size; } operands[] = {";
  for (const Array& array : cut.operands)
    text += fmt::format("{0}{{{1}, sizeof {1}}}", text.ends_with('{') ? "" : ", ", array.name);
  return text + "};";
}

// The flags of the device's own compiler, for a program and not for a library; no word without one.
void add_compiler(backends::Words& words, const backends::DeviceInfo& device) {
  const auto command = device.extra.find("compiler");
  const auto flags = device.extra.find("compiler_flags");
  if (command == device.extra.end() || flags == device.extra.end()) return;
  words["compiler"] = one_line(
      replaced(fmt::format("{} {}", command->get<std::string>(), flags->get<std::string>()),
               " -shared", ""));
}

// What the texts of the kernels ask the preprocessor for.
std::set<std::string> defined_for(const backends::DeviceInfo& device, const std::string& compiler) {
  std::set<std::string> defined;
  if (device.offers("fp32.divide_sqrt_correctly_rounded")) defined.insert("HM_HAS_CR_DIVSQRT");
  if (device.offers("fp16.arithmetic")) defined.insert("HM_HAS_HALF_ARITH");
  if (compiler.find(" -mf16c") != std::string::npos) defined.insert("__F16C__");
  return defined;
}

backends::Words kernel_words(const backends::ReproducerFrame& frame, const Cut& cut,
                             const backends::DeviceInfo& device) {
  backends::Words words;
  add_compiler(words, device);
  const std::string text = frame.dialect + "\n" + kernels::program_text(cut.family);
  std::vector<std::string> lines =
      cut_kernel(text, alone(cut.kernel), defined_for(device, words["compiler"]));
  if (lines.size() > kMostKernelLines) lines = joined(lines);
  words["kernel"] = quoted_lines(lines);
  words["code"] = fmt::format("{}", fmt::join(lines, "\n"));
  words["operands"] = operand_lines(cut);
  std::string pointers;
  for (const Array& array : cut.operands)
    pointers += fmt::format("{}Pointer{{{}}}", pointers.empty() ? "" : ", ", array.name);
  words["pointers"] = pointers;
  words["build_options"] =
      device.offers("fp32.divide_sqrt_correctly_rounded") ? "@options.rounded@" : "@options.plain@";
  words["entry"] = cut.entry;
  words["last"] = fmt::format("{}", cut.last_argument);
  words["otherwise"] = std::string(cut.otherwise);
  words["differs"] = difference(cut.result);
  return words;
}

// What is left of a finding: a case, what it asks of the device, its operands.
struct Remnant {
  suites::Case c;
  suites::Plan plan;
  suites::TensorSet inputs;
};

Remnant remnant_of(const suites::CaseResult& finding, const backends::DeviceInfo& device) {
  const bool is_reduced = finding.reduction && !finding.reduction->wrong.empty();
  Remnant left{.c = suites::parse_case(is_reduced ? finding.reduction->case_name : finding.name),
               .plan = {},
               .inputs = {}};
  const suites::Suite& suite = suites::find_suite(left.c.suite);
  left.plan = suite.plan(left.c, device);
  const bool is_call = !left.plan.operators.empty();
  if (is_call)
    left.inputs = is_reduced ? suites::operands_of(*finding.reduction) : suite.inputs(left.c);
  return left;
}

std::string without_empty_lines(const std::string& text) {
  std::string kept;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size() - 1) + 1;
    const std::string line = text.substr(start, end - start);
    if (line.find_first_not_of(" \n") != std::string::npos) kept += line;
    start = end;
  }
  return kept;
}

}  // namespace

std::string write_reproducer(const suites::CaseResult& finding,
                             const backends::DeviceInfo& device) {
  const suites::Element* wrong = element_of(finding);
  const std::vector<backends::ReproducerFrame> frames = backends::reproducer_frames(device);
  if (wrong == nullptr || frames.empty()) return {};
  const Remnant left = remnant_of(finding, device);
  const std::optional<Cut> cut = cut_of(finding, left.c, left.plan);
  for (const backends::ReproducerFrame& frame : frames) {
    std::optional<backends::Words> words;
    if (!frame.library.empty()) words = call_words(frame, left.c, left.plan, left.inputs, *wrong);
    if (frame.library.empty() && cut) words = kernel_words(frame, *cut, device);
    if (!words) continue;
    words->insert({{"title", one_line(fmt::format("{} on {} ({} {})", finding.name, device.name,
                                                  device.platform, device.driver_version))},
                   {"rule", one_line(fmt::format("{} [{}]", finding.promise, finding.source))},
                   {"device", one_line(device.name.substr(0, device.name.find_first_of(" \"-")))},
                   {"device.index", fmt::format("{}", device.index)}});
    words->insert(frame.words.begin(), frame.words.end());
    if (const auto text = backends::filled(frame.text, *words)) return without_empty_lines(*text);
  }
  return {};
}

}  // namespace halfmark::tools
