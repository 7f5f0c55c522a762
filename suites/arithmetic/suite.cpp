// SPDX-License-Identifier: Apache-2.0
#include "suites/arithmetic/suite.hpp"

#include <fmt/format.h>

#include <array>

#include "reference/fast/convert.hpp"
#include "reference/fast/elementwise.hpp"
#include "suites/arithmetic/bounded.hpp"
#include "suites/arithmetic/contract.hpp"
#include "suites/arithmetic/departures.hpp"
#include "suites/arithmetic/families.hpp"
#include "suites/arithmetic/fills.hpp"
#include "suites/arithmetic/flushes.hpp"
#include "suites/arithmetic/operations.hpp"
#include "suites/arithmetic/pairs.hpp"
#include "suites/core/case/axes.hpp"
#include "suites/core/case/errors.hpp"

namespace halfmark::suites::arithmetic {
namespace {

using formats::Bits;

const std::vector<Axis>& axes() {
  static const std::vector<Axis> kAxes = {
      axis_of_words("format", "format of the operands", {"fp32", "fp16", "bf16"}),
      axis_of_words(
          "operation",
          "the elementary operation; to_<format> is a conversion; muladd is two operations; "
          "..._in_fp32 has fp16 in memory and fp32 in between; ..._ulp has the bound of devices "
          "that promise no correct rounding",
          {"add",     "sub",         "mul",         "div",         "div_ulp",
           "sqrt",    "sqrt_ulp",    "fma",         "muladd",      "rint",
           "ldexp",   "lt",          "eq",          "to_fp16",     "to_bf16",
           "to_fp32", "add_in_fp32", "sub_in_fp32", "mul_in_fp32", "div_in_fp32"}),
      provider_axis(Providers::kHalfmark),
      size_axis(),
      fill_axis(fill_names()),
  };
  return kAxes;
}

const Operation& operation_of(const Case& c) {
  const Operation* operation = find_operation(c.word("format"), c.word("operation"));
  if (operation != nullptr) return *operation;
  throw UsageError(fmt::format(
      "case '{}': there is no operation {}.{}; `halfmark list --suite arithmetic` shows what "
      "there is",
      print(c), c.word("format"), c.word("operation")));
}

std::size_t count_of(const Case& c) {
  const std::uint64_t n = c.number("size", 'n');
  if (n >= 1 && n <= kMostElements) {
    if (c.word("fill") == kPairsFill) require_pairs(c, n);
    return static_cast<std::size_t>(n);
  }
  throw UsageError(
      fmt::format("case '{}': size n{} is not between 1 and {}", print(c), n, kMostElements));
}

std::uint64_t size_at(Level level, std::string_view fill, const Operation& operation) {
  if (fill == "all") return count_of_all(operation);
  if (fill == "triples") return 512;
  // Throughput is measured on ordinary operands; fewer elements would measure only launch overhead.
  if (fill == "near" && level <= Level::kStandard)
    return level == Level::kSmoke ? 1u << 18 : 1u << 22;
  switch (level) {
    case Level::kSmoke:
      return 4096;
    case Level::kStandard:
      return 65536;
    case Level::kFull:
      return 1u << 20;
    case Level::kExhaustive:
      return 1u << 24;
  }
  return 0;
}

// Scaling is a helper of other operations; steps that round twice are tested from `standard` on.
Level first_level(std::string_view fill, const Operation& operation) {
  return operation.name == "ldexp" && fill == "ties" ? Level::kStandard : Level::kSmoke;
}

// `full` runs the pairs with an operand from 1 to slightly above 1.2, `exhaustive` all pairs.
void add_sweep(std::vector<Case>& list, const Operation& operation, Level level) {
  const auto add = [&](std::uint64_t first_row, std::uint64_t pairs) {
    const std::string size = fmt::format("n{}", pairs);
    const std::array<std::string_view, 5> tokens = {operation.format, operation.name, "portable",
                                                    size, kPairsFill};
    list.push_back(make_case("arithmetic", axes(), tokens, first_row));
  };
  constexpr std::uint64_t kOne = 0x3c00;
  if (level >= Level::kFull) add(kOne, 256 * kRowPairs);
  if (level < Level::kExhaustive) return;
  constexpr std::uint64_t kSweepRows = kSweepPairs / kRowPairs;
  for (std::uint64_t row = 0; row < kRowPairs; row += kSweepRows) add(row, kSweepPairs);
}

std::vector<Case> cases(Level level, std::uint64_t seed) {
  std::vector<Case> list;
  for (const Operation& operation : operations()) {
    if (has_pairs(operation)) add_sweep(list, operation, level);
    for (const std::string_view fill : fill_names()) {
      if (fill == kPairsFill || !applies(fill, operation)) continue;
      std::uint64_t last = 0;
      for (Level l = first_level(fill, operation); l <= level;
           l = static_cast<Level>(static_cast<int>(l) + 1)) {
        const std::uint64_t n = size_at(l, fill, operation);
        if (n == last) continue;
        last = n;
        const std::string size = fmt::format("n{}", n);
        const std::array<std::string_view, 5> tokens = {operation.format, operation.name,
                                                        "portable", size, fill};
        list.push_back(make_case("arithmetic", axes(), tokens, seed));
      }
    }
  }
  return list;
}

// A bound is for devices that do not promise more.
bool concerns(const Case& c, const backends::DeviceInfo& device) {
  const Operation& operation = operation_of(c);
  return !is_bounded(operation) || !device.offers(operation.rounded_by);
}

Plan plan(const Case& c, const backends::DeviceInfo& device) {
  const Operation& operation = operation_of(c);
  if (const std::string_view capability = lacked(operation, device); !capability.empty()) {
    Plan unsupported;
    unsupported.needs = std::string(capability);
    return unsupported;
  }
  const std::size_t count = count_of(c);
  return is_digested(c) ? digest_plan(operation, c) : plan_for(operation, count);
}

TensorSet inputs(const Case& c) {
  const std::size_t count = count_of(c);
  if (is_digested(c)) return every_encoding();
  return operands_of(operation_of(c), c.word("fill"), count, c);
}

const formats::Tensor* find_tensor(const TensorSet& tensors, const char* name) {
  const auto found = tensors.find(name);
  return found == tensors.end() ? nullptr : &found->second;
}

// `evaluate` takes Operands.
template <typename Of>
TensorSet evaluate_each(const Case& which, const TensorSet& in, const Of& evaluate) {
  const Operation& op = operation_of(which);
  if (is_digested(which)) {
    return digests_of(which, [&](Bits a, Bits b) { return evaluate(Operands{.a = a, .b = b}); });
  }
  const formats::Tensor& a = in.at("a");
  const formats::Tensor* b = find_tensor(in, "b");
  const formats::Tensor* c = find_tensor(in, "c");
  formats::Tensor d = formats::Tensor::zeros(*op.result, a.count());
  for (std::size_t i = 0; i < a.count(); ++i) {
    const Operands x{
        .a = a.at(i), .b = b == nullptr ? 0 : b->at(i), .c = c == nullptr ? 0 : c->at(i)};
    d.set(i, evaluate(x));
  }
  TensorSet out;
  out.emplace("d", std::move(d));
  return out;
}

TensorSet evaluate_all(const Case& which, const TensorSet& in, const models::Machine& machine,
                       Evaluate evaluate) {
  const Operation& op = operation_of(which);
  return evaluate_each(
      which, in, [&](const Operands& x) { return evaluate(*op.operand, *op.result, x, machine); });
}

// Uses the fast engine, for the default machine; returns nothing if the engine lacks the operation.
std::optional<formats::Tensor> evaluate_fast(const Operation& op, const TensorSet& in) {
  const formats::Tensor& a = in.at("a");
  if (op.operand != op.result) return fast::convert(a, *op.result);
  const auto operation = engine_operation(op);
  if (!operation) return std::nullopt;
  return fast::elementwise(*operation, {a, find_tensor(in, "b"), find_tensor(in, "c")});
}

TensorSet refer(const Case& c, const TensorSet& in, const models::Machine& machine) {
  const Operation& op = operation_of(c);
  if (machine == models::Machine{}) {
    if (is_digested(c)) return digests_of(op, c);
    if (auto d = evaluate_fast(op, in)) {
      TensorSet out;
      out.emplace("d", std::move(*d));
      return out;
    }
  }
  return evaluate_all(c, in, machine, op.evaluate);
}

// Applies a hypothesis about a single operation to whole tensors.
std::vector<Hypothesis> hypotheses(const Case& c) {
  std::vector<Hypothesis> list;
  for (const Departure& departure : departures()) {
    if (departure.operation != entry_name(operation_of(c))) continue;
    const auto evaluate = [evaluate = departure.evaluate](const Case& which, const TensorSet& in) {
      return evaluate_all(which, in, models::Machine{}, evaluate);
    };
    list.push_back({.name = std::string(departure.name),
                    .finding_class = departure.finding_class,
                    .sentence = std::string(departure.sentence),
                    .evaluate = evaluate,
                    .freedoms = {},
                    .computed_in = departure.computed_in});
    if (departure.finding_class == "ftz") list.back().freedoms = {"operation_subnormals"};
  }
  return list;
}

std::vector<Hypothesis> family_hypotheses(const Case& c) {
  std::vector<Hypothesis> list;
  for (Member& member : families(operation_of(c))) {
    const auto evaluate = [evaluate = std::move(member.evaluate)](
                              const Case& which, const TensorSet& in) -> Expectation {
      return evaluate_each(which, in, evaluate);
    };
    list.push_back({.name = std::move(member.name),
                    .finding_class = member.finding_class,
                    .sentence = std::move(member.sentence),
                    .evaluate = evaluate,
                    .pointwise = true,
                    .computed_in = member.computed_in});
  }
  return list;
}

// Hardware that does without the other roundings may do without subnormals, too.
std::vector<Hypothesis> truncating_and_flushing(const Problem& problem) {
  struct Flush {
    std::string_view key, words;
    soft::Subnormals subnormals;
  };
  constexpr Flush kFlushes[] = {{"inputs", "operands", soft::Subnormals::kFlushIn},
                                {"results", "results", soft::Subnormals::kFlushOut},
                                {"all", "operands and results", soft::Subnormals::kFlush}};
  std::vector<Hypothesis> list;
  for (const auto& [key, words, subnormals] : kFlushes) {
    const models::Machine machine = models::uniform_machine(
        {.rounding = soft::Rounding::kTowardZero, .subnormals = subnormals});
    list.push_back(
        {.name = fmt::format("rounds-toward-zero-and-flushes-{}", key),
         .finding_class = "ftz",
         .sentence = fmt::format(
             "every operation rounds toward zero and takes subnormal {} as zero", words),
         .evaluate = [&problem, machine](
                         const Case&, const TensorSet& in) { return problem.expect(in, machine); },
         .freedoms = {"rounding_mode", "operation_subnormals"},
         .tier = 1});
  }
  return list;
}

bool holds_integers(const Case& c, std::string_view tensor) {
  return operation_of(c).name == "ldexp" && tensor == "b";
}

std::vector<Operand> operands(const Case& c, const TensorSet& in, std::string_view,
                              std::size_t index) {
  const Operation& op = operation_of(c);
  std::vector<Operand> list;
  for (const auto& [name, tensor] : in) {
    list.push_back({.label = name,
                    .format = holds_integers(c, name) ? nullptr : op.operand,
                    .bits = tensor.at(index)});
  }
  return list;
}

std::optional<Digested> digested(const Case& c) {
  if (!is_digested(c)) return std::nullopt;
  return Digested{.results = count_of(c), .parts = [c](const std::vector<std::size_t>& elements) {
                    std::vector<std::unique_ptr<const Problem>> parts;
                    for (const Case& part : rows_of(c, elements))
                      parts.push_back(suite().bind(part));
                    return parts;
                  }};
}

}  // namespace

namespace {

Expectation expect(const Case& c, const TensorSet& inputs, const models::Machine& machine) {
  Expectation expected(refer(c, inputs, machine));
  const Operation& operation = operation_of(c);
  if (is_bounded(operation) && machine == models::Machine{})
    expected.enclosure = enclosure_of(operation, inputs);
  return expected;
}

class ArithmeticProblem final : public Problem {
 public:
  explicit ArithmeticProblem(const Case& c) : Problem(c) {
    static_cast<void>(operation_of(c));
    static_cast<void>(count_of(c));
  }

  std::string operation() const override {
    return fmt::format("{}.{}", c().word("format"), entry_name(operation_of(c())));
  }
  const ContractRow& row(const backends::DeviceInfo&) const override {
    return row_for(operation_of(c()));
  }
  Plan plan(const backends::DeviceInfo& device) const override {
    return arithmetic::plan(c(), device);
  }
  TensorSet inputs() const override { return arithmetic::inputs(c()); }
  Expectation expect(const TensorSet& inputs, const models::Machine& machine) const override {
    return arithmetic::expect(c(), inputs, machine);
  }
  std::vector<Hypothesis> mistakes() const override { return arithmetic::hypotheses(c()); }
  std::vector<Hypothesis> families() const override { return family_hypotheses(c()); }
  std::vector<Hypothesis> mistakes_seen_in(const Places&, const TensorSet& outputs) const override {
    const Operation& operation = operation_of(c());
    std::vector<Hypothesis> list;
    if (is_half_arithmetic(operation)) list = truncating_and_flushing(*this);
    if (may_flush(operation) && !is_digested(c()))
      list.push_back(flushes_as_left_open(operation, outputs));
    return list;
  }
  std::vector<Operand> operands(const TensorSet& inputs, std::string_view tensor,
                                std::size_t index) const override {
    return arithmetic::operands(c(), inputs, tensor, index);
  }
  bool holds_integers(std::string_view tensor) const override {
    return arithmetic::holds_integers(c(), tensor);
  }
  std::optional<Digested> digested() const override { return arithmetic::digested(c()); }
};

}  // namespace

const Suite& suite() {
  static const Suite kSuite{
      .name = "arithmetic",
      .summary = "elementary operations and conversions, one at a time, correctly rounded",
      .axes = axes(),
      .contract = contract(),
      .cases = cases,
      .bind = bind_as<ArithmeticProblem>,
      .not_asserted = not_asserted(),
      .concerns = concerns};
  return kSuite;
}

}  // namespace halfmark::suites::arithmetic
