// SPDX-License-Identifier: Apache-2.0
#include "suites/elementary/suite.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "suites/core/case/axes.hpp"
#include "suites/core/case/errors.hpp"
#include "suites/core/execute/provider.hpp"
#include "suites/elementary/accuracy.hpp"
#include "suites/elementary/binding.hpp"
#include "suites/elementary/callee.hpp"
#include "suites/elementary/contract.hpp"
#include "suites/elementary/formulas.hpp"
#include "suites/elementary/inputs.hpp"
#include "suites/elementary/mistakes.hpp"

namespace halfmark::suites::elementary {
namespace {

constexpr std::string_view kFills[] = {"edges", "halves", "borders", "moderate", "bits"};
constexpr std::uint64_t kHalves = 65536;

const std::vector<Axis>& axes() {
  static const std::vector<Axis> kAxes = [] {
    std::vector<std::string_view> functions;
    std::vector<std::string_view> rules;
    const auto note = [](std::vector<std::string_view>& words, std::string_view word) {
      if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
    };
    for (const Bound& b : bounds()) {
      note(functions, b.function);
      note(rules, b.rules);
    }
    return std::vector<Axis>{
        axis_of_words("format", "of operand and result", {"fp32", "fp16"}),
        axis_of_words("operation", "the function", functions),
        axis_of_words("kind", "standard, or half: the fast kind with at least half of the bits",
                      {"standard", "half"}),
        axis_of_words("rules", "the specification whose bound is asserted", rules),
        provider_axis(Providers::kHalfmark),
        size_axis(),
        fill_axis(
            kFills,
            "edges: zeros, infinities, NaN; halves: every fp16 number; borders: pairs at the "
            "ends of the range, and what is hard for the function; moderate: 2^-10 to 2^7, to "
            "1 for asin and acos; bits: every fp32 encoding alike")};
  }();
  return kAxes;
}

std::size_t count_of(const Case& c) {
  const std::uint64_t n = c.number("size", 'n');
  constexpr std::uint64_t kLargest = 1u << 24;
  if (n >= 1 && n <= kLargest) return static_cast<std::size_t>(n);
  throw UsageError(
      fmt::format("case '{}': size n{} is not between 1 and {}", print(c), n, kLargest));
}

// Level smoke contains the functions common in machine learning; the others follow at standard.
bool is_late(const Bound& bound) {
  constexpr std::string_view kLate[] = {"sqrt", "recip", "sinpi", "cospi"};
  constexpr std::string_view kLateFast[] = {"sin", "cos", "tan"};
  const bool late_fast =
      bound.kind == "half" &&
      std::find(std::begin(kLateFast), std::end(kLateFast), bound.function) != std::end(kLateFast);
  return late_fast || is_half(bound) || is_binary(bound) ||
         std::find(std::begin(kLate), std::end(kLate), bound.function) != std::end(kLate);
}

std::uint64_t size_at(Level level, const Bound& bound, std::string_view fill) {
  if (level == Level::kSmoke && (is_late(bound) || fill == "edges")) return 0;
  if (fill == "edges") return edges_of(bound);
  if (fill == "halves") return kHalves;
  switch (level) {
    case Level::kSmoke:
      return 4096;
    case Level::kStandard:
      return 1u << 15;
    case Level::kFull:
      return 1u << 18;
    case Level::kExhaustive:
      return 1u << 22;
  }
  return 0;
}

// `halves` already covers every fp16 operand; the hard pairs of `borders` were designed for fp32.
bool has_fill(const Bound& bound, std::string_view fill) {
  if (fill == "edges") return has_edges(bound);
  if (is_half(bound) && (fill == "borders" || !is_binary(bound))) return fill == "halves";
  if (fill == "halves") return !is_binary(bound);
  return fill != "borders" || is_binary(bound);
}

std::vector<Case> cases(Level level, std::uint64_t seed) {
  CaseList list("elementary", axes(), seed);
  for (const Bound& b : bounds()) {
    for (const std::string_view fill : kFills) {
      if (!has_fill(b, fill)) continue;
      std::uint64_t last = 0;
      for (Level l = Level::kSmoke; l <= level; l = static_cast<Level>(static_cast<int>(l) + 1)) {
        const std::uint64_t n = size_at(l, b, fill);
        if (n == last) continue;
        last = n;
        const std::string size = fmt::format("n{}", n);
        list.add({b.format->name, b.function, b.kind, b.rules, kPortable, size, fill});
      }
    }
  }
  return std::move(list).take();
}

const ContractRow& row(const Case& c, const backends::DeviceInfo&) {
  return at_edges(c) ? edge_row_of(bound_of(c)) : row_of(bound_of(c));
}

std::string rules_promised(const Case& c) { return fmt::format("functions.{}", c.word("rules")); }

// A profile applies to the functions of any language that the device has.
std::string functions_of(const Case& c, const backends::DeviceInfo& device) {
  if (bound_of(c).profile) {
    for (const backends::Promise& p : device.promises) {
      if (p.offered && p.capability.starts_with("functions.")) return p.capability;
    }
  }
  return rules_promised(c);
}

// Other rules belong to another interface.
bool concerns(const Case& c, const backends::DeviceInfo& device) {
  return device.promise(rules_promised(c)) != nullptr;
}

std::string family_of(const Bound& bound) {
  if (is_half(bound)) return "half_functions";
  return is_binary(bound) ? "binary_functions" : "functions";
}

Plan plan(const Case& c, const backends::DeviceInfo& device) {
  const Bound& bound = bound_of(c);
  Plan made;
  const std::string capability = functions_of(c, device);
  if (!device.offers(capability)) {
    made.needs = capability;
    return made;
  }
  constexpr std::string_view kArithmetic = "fp16.arithmetic";
  if (is_half(bound) && !device.offers(kArithmetic)) {
    made.needs = kArithmetic;
    return made;
  }
  const std::size_t count = count_of(c);
  constexpr std::uint32_t kGroupItems = 64;
  const formats::Format* f = bound.format;
  made.tensors = {{"x", f, count, Role::kInput}, {"y", f, count, Role::kOutput}};
  std::vector<PlanArgument> arguments = {TensorRef{"x"}, TensorRef{"y"},
                                         static_cast<std::int32_t>(count)};
  if (is_binary(bound)) {
    made.tensors.push_back({"w", f, count, Role::kInput});
    arguments.insert(arguments.begin() + 1, TensorRef{"w"});
  }
  made.launches.push_back(
      {.family = family_of(bound),
       .defines = {},
       .entry = fmt::format("function_{}_{}", is_half(bound) ? "fp16" : bound.kind, bound.function),
       .groups = {static_cast<std::uint32_t>((count + kGroupItems - 1) / kGroupItems), 1, 1},
       .items = {kGroupItems, 1, 1},
       .arguments = std::move(arguments)});
  return made;
}

TensorSet inputs(const Case& c) { return inputs_of(c, bound_of(c), count_of(c)); }

std::optional<Farthest> farthest_of(const Case& c, const TensorSet& in, const TensorSet& expected,
                                    const TensorSet& actual) {
  const Bound& bound = bound_of(c);
  if (at_edges(c) || bound.profile || bound.ulps == Ulps()) return std::nullopt;
  std::optional<Farthest> found = farthest(function_of(c), in, expected.at("y"), actual.at("y"));
  // Errors are measured from the exact value, half a ULP farther than from the rounded result.
  const std::uint64_t more = bound.origin == Origin::kRounded ? 1 : 0;
  if (found) found->allowed_halves = bound.ulps.halves + more;
  return found;
}

bool follows_machine(const Case&) { return false; }

std::vector<Operand> operands(const Case&, const TensorSet& in, std::string_view,
                              std::size_t index) {
  std::vector<Operand> shown;
  for (const auto& [name, tensor] : in) {
    shown.insert(shown.begin(), {.label = name, .format = tensor.format, .bits = tensor.at(index)});
  }
  return shown;
}

}  // namespace

namespace {

Expectation expect(const Case& c, const TensorSet& inputs) {
  return {refer(c, inputs), enclose(c, inputs)};
}

class ElementaryProblem final : public Problem {
 public:
  explicit ElementaryProblem(const Case& c) : Problem(c) {
    static_cast<void>(bound_of(c));
    static_cast<void>(count_of(c));
  }

  std::string operation() const override {
    return fmt::format("{}.{}", c().word("format"), c().word("operation"));
  }
  const ContractRow& row(const backends::DeviceInfo& device) const override {
    return elementary::row(c(), device);
  }
  Plan plan(const backends::DeviceInfo& device) const override {
    return elementary::plan(c(), device);
  }
  TensorSet inputs() const override { return elementary::inputs(c()); }
  Expectation expect(const TensorSet& inputs, const models::Machine&) const override {
    return elementary::expect(c(), inputs);
  }
  std::vector<Hypothesis> mistakes() const override { return elementary::hypotheses(c()); }
  std::vector<Hypothesis> mistakes_seen_in(const Places&, const TensorSet& outputs) const override {
    if (bound_of(c()).profile) return {};
    return {flushes_as_left_open(outputs)};
  }
  std::vector<Hypothesis> families() const override { return formulas(bound_of(c())); }
  std::vector<Operand> operands(const TensorSet& inputs, std::string_view tensor,
                                std::size_t index) const override {
    return elementary::operands(c(), inputs, tensor, index);
  }
  bool follows_machine() const override { return elementary::follows_machine(c()); }
  std::optional<FindingClassName> near_class() const override {
    return FindingClassName("low_precision");
  }
  std::optional<Farthest> farthest(const TensorSet& inputs, const TensorSet& expected,
                                   const TensorSet& outputs) const override {
    return elementary::farthest_of(c(), inputs, expected, outputs);
  }
};

}  // namespace

const Suite& suite() {
  static const Suite kSuite{
      .name = "elementary",
      .summary = "elementary functions of the vendor's language, within its specification's bounds",
      .axes = axes(),
      .contract = contract(),
      .cases = cases,
      .bind = bind_as<ElementaryProblem>,
      .not_asserted = not_asserted(),
      .concerns = concerns};
  return kSuite;
}

}  // namespace halfmark::suites::elementary
