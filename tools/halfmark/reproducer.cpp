// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/reproducer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "backends/reproducers.hpp"
#include "kernels/catalog.hpp"
#include "reference/formats/classify.hpp"
#include "reference/formats/text.hpp"
#include "reference/formats/ulp.hpp"
#include "suites/core/shrink.hpp"
#include "suites/registry.hpp"
#include "tools/halfmark/kernel_cut.hpp"

namespace halfmark::tools {
namespace {

using formats::Format;

struct Array {
  std::string name;
  const Format* format = nullptr;
  std::vector<std::string> hex;
};

// What is left of a finding: a kernel of one item, its operands and the one result.
struct Cut {
  std::string kernel, entry, family;
  std::vector<Array> operands;
  const Format* result = nullptr;
  std::string expected;                   // hex
  std::string least = {}, greatest = {};  // hex: what is allowed, where it is more than that
  int last_argument = 1;
  std::string_view otherwise = "the device is right";  // when the program finds no difference
};

std::string element_type(const Format& f) {
  return f.storage_bytes() == 2 ? "unsigned short" : "unsigned";
}

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

// Around the result, for a row that promises a bound and not bits.
void allow(Cut& cut, const suites::Case& c, const suites::Element& wrong) {
  const suites::Suite& suite = suites::find_suite(c.suite);
  if (suite.enclose == nullptr) return;
  suites::TensorSet inputs;
  for (const Array& operand : cut.operands) {
    formats::Tensor one = formats::Tensor::zeros(*operand.format, 1);
    one.set(0, formats::parse_hex(*operand.format, operand.hex[0]).value_or(0));
    inputs.emplace(operand.name, std::move(one));
  }
  const std::optional<suites::Enclosure> around = suite.enclose(c, inputs);
  if (!around) return;
  cut.least = formats::hex(*cut.result, around->low.at(wrong.tensor).at(0));
  cut.greatest = formats::hex(*cut.result, around->high.at(wrong.tensor).at(0));
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
          .result = spec_of(plan, wrong->tensor)->format,
          .expected = wrong->expected_hex};
  for (const suites::OperandText& o : wrong->operands) {
    const suites::TensorSpec* spec = spec_of(plan, o.label);
    if (spec == nullptr || spec->format != plan.tensors[0].format) return std::nullopt;
    cut.operands.push_back({o.label, spec->format, {o.hex}});
  }
  allow(cut, c, *wrong);
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
             .result = &d,
             .expected = wrong->expected_hex,
             .last_argument = static_cast<int>(k),
             .otherwise = "one chain alone is right, so the failure needs the whole kernel"};
}

std::optional<Cut> cut_of(const suites::CaseResult& finding, const backends::DeviceInfo& device) {
  const bool has_values = element_of(finding) != nullptr && finding.provider == "portable";
  if (!has_values) return std::nullopt;
  const suites::Case c = suites::parse_case(finding.reduction && !finding.reduction->wrong.empty()
                                                ? finding.reduction->case_name
                                                : finding.name);
  const suites::Plan plan = suites::find_suite(c.suite).plan(c, device);
  if (plan.launches.size() != 1) return std::nullopt;
  const std::string& family = plan.launches[0].family;
  if (family == "arithmetic" || family == "functions") return cut_operation(finding, c, plan);
  return family == "gemm" ? cut_product(finding, plan) : std::nullopt;
}

std::string quoted_lines(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) {
    text += text.empty() ? "    \"" : "\n    \"";
    for (const char c : line) {
      if (c == '"' || c == '\\') text += '\\';
      text += c;
    }
    text += "\\n\"";
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
  text += fmt::format(";\nstatic const {0} expected = 0x{1}; static {0} got;",
                      element_type(*cut.result), cut.expected);
  if (cut.least != cut.greatest)
    text += fmt::format("  // allowed: 0x{} to 0x{}", cut.least, cut.greatest);
  text += '\n';
  text += "static const struct { const void* data; unsigned size; } operands[] = {";
  for (const Array& array : cut.operands)
    text += fmt::format("{0}{{{1}, sizeof {1}}}", text.ends_with('{') ? "" : ", ", array.name);
  return text + "};";
}

// Encodings in the order of their numbers, zeros alike and NaN beyond all: a C expression.
std::string out_of_range(const Format& f, std::int64_t least, std::int64_t greatest) {
  const std::string place =
      fmt::format("(got & 0x{} ? -(int)(got & 0x{}) : (int)got)", formats::hex(f, f.sign_mask()),
                  formats::hex(f, f.magnitude_mask()));
  return fmt::format("{0} < {1} || {0} > {2}", place, least, greatest);
}

std::string difference(const Cut& cut) {
  const Format& f = *cut.result;
  const auto bits = formats::parse_hex(f, cut.expected);
  const bool either_zero = !cut.least.empty() && bits && formats::is_zero(f, *bits);
  if (cut.least != cut.greatest || either_zero) {
    return out_of_range(f, formats::ordered(f, *formats::parse_hex(f, cut.least)),
                        formats::ordered(f, *formats::parse_hex(f, cut.greatest)));
  }
  if (!bits || !formats::is_nan(f, *bits)) return "got != expected";
  return fmt::format("(got & 0x{}) <= 0x{}", formats::hex(f, f.magnitude_mask()),
                     formats::hex(f, formats::infinity(f)));
}

void fill(std::string& frame, std::string_view place, const std::string& text) {
  const std::string mark = fmt::format("@{}@", place);
  const std::size_t at = frame.find(mark);
  if (at != std::string::npos) frame.replace(at, mark.size(), text);
}

// A comment must end where its line ends, whatever a driver calls itself.
std::string one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < ' ' || c == '\\'; }, ' ');
  return text;
}

}  // namespace

std::string write_reproducer(const suites::CaseResult& finding,
                             const backends::DeviceInfo& device) {
  const auto frames = backends::reproducer_frames();
  const auto found = std::find_if(frames.begin(), frames.end(),
                                  [&](const auto& row) { return row.backend == device.backend; });
  const std::optional<Cut> cut = found == frames.end() ? std::nullopt : cut_of(finding, device);
  if (!cut) return {};
  const bool rounded = device.offers("fp32.divide_sqrt_correctly_rounded");
  std::set<std::string> defined;
  if (rounded) defined.insert("HM_HAS_CR_DIVSQRT");
  if (device.offers("fp16.arithmetic")) defined.insert("HM_HAS_HALF_ARITH");
  const std::string text = std::string(found->dialect) + "\n" + kernels::program_text(cut->family);
  std::string frame(found->frame);
  fill(frame, "title",
       one_line(fmt::format("{} on {} ({} {})", finding.name, device.name, device.platform,
                            device.driver_version)));
  fill(frame, "rule", one_line(fmt::format("{} [{}]", finding.promise, finding.source)));
  fill(frame, "kernel", quoted_lines(cut_kernel(text, alone(cut->kernel), defined)));
  fill(frame, "operands", operand_lines(*cut));
  fill(frame, "device", one_line(device.name.substr(0, device.name.find_first_of(" \"-"))));
  fill(frame, "options",
       rounded ? "-cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt" : "-cl-std=CL1.2");
  fill(frame, "entry", cut->entry);
  fill(frame, "last", fmt::format("{}", cut->last_argument));
  fill(frame, "otherwise", std::string(cut->otherwise));
  fill(frame, "differs", difference(*cut));
  return frame;
}

}  // namespace halfmark::tools
