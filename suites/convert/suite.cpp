// SPDX-License-Identifier: Apache-2.0
#include "suites/convert/suite.hpp"

#include <fmt/format.h>

#include "reference/fast/convert.hpp"
#include "reference/formats/classify.hpp"
#include "reference/soft/soft.hpp"
#include "suites/convert/binding.hpp"
#include "suites/core/case/axes.hpp"
#include "suites/core/case/errors.hpp"
#include "suites/core/execute/plan_builder.hpp"
#include "suites/core/execute/provider.hpp"

namespace halfmark::suites::convert {
namespace {

using formats::Bits;
using formats::Format;
using formats::Tensor;

constexpr std::uint32_t kGroupItems = 64;

struct Pair {
  std::string_view from, to;
};

constexpr Pair kPairs[] = {
    {"fp32", "to-fp16"},  {"fp16", "to-fp32"},   {"fp32", "to-bf16"}, {"bf16", "to-fp32"},
    {"fp64", "to-fp16"},  {"fp64", "to-bf16"},   {"fp64", "to-fp32"}, {"int32", "to-fp16"},
    {"int32", "to-bf16"}, {"fp16", "to-bf16"},   {"bf16", "to-fp16"}, {"fp32", "to-e4m3fn"},
    {"fp32", "to-e5m2"},  {"fp16", "to-e4m3fn"}, {"fp16", "to-e5m2"}, {"bf16", "to-e4m3fn"},
    {"bf16", "to-e5m2"},  {"e4m3fn", "to-fp16"}, {"e5m2", "to-fp16"}, {"e4m3fn", "to-fp32"},
    {"e5m2", "to-fp32"},
};

std::string_view word_of(const Format& f) {
  if (f.storage_bytes() == 8) return "HM_U64";
  if (f.storage_bytes() == 4) return "unsigned";
  return f.storage_bytes() == 2 ? "HM_HALF" : "unsigned char";
}

std::string hex(Bits bits) { return fmt::format("0x{:x}u", bits & 0xffffffffU); }

// The definitions of kernels/convert.hk.
std::vector<std::pair<std::string, std::string>> defines_of(const Binding& b) {
  const Format& from = b.stored();
  const Format& to = *b.to;
  const Bits last = from.has_infinity() ? formats::infinity(from) : formats::max_finite(from);
  const bool saturates = b.overflow == soft::Overflow::kSaturate;
  const Bits beyond = saturates ? formats::max_finite(to) : formats::infinity(to);
  return {{"HM_FROM_WORD", std::string(word_of(from))},
          {"HM_FROM_BITS", std::to_string(from.bits)},
          {"HM_FROM_INTEGER", b.from == nullptr ? "1" : "0"},
          {"HM_FROM_FRACTION", std::to_string(from.fraction_bits)},
          {"HM_FROM_BIAS", std::to_string(from.bias)},
          {"HM_FROM_INFINITY_HIGH", hex(last >> 32)},
          {"HM_FROM_INFINITY_LOW", hex(last)},
          {"HM_FROM_HAS_INFINITY", from.has_infinity() ? "1" : "0"},
          {"HM_TO_WORD", std::string(word_of(to))},
          {"HM_TO_BITS", std::to_string(to.bits)},
          {"HM_TO_FRACTION", std::to_string(to.fraction_bits)},
          {"HM_TO_BIAS", std::to_string(to.bias)},
          {"HM_TO_LARGEST", hex(formats::max_finite(to))},
          {"HM_TO_BEYOND", hex(beyond)},
          {"HM_TO_NAN", hex(formats::quiet_nan(to))}};
}

void add_launch(Plan& plan, const Binding& b) {
  const auto groups = static_cast<std::uint32_t>((b.count + kGroupItems - 1) / kGroupItems);
  plan.launches.push_back(
      {.family = "convert",
       .defines = defines_of(b),
       .entry = "convert_elements",
       .groups = {groups, 1, 1},
       .items = {kGroupItems, 1, 1},
       .arguments = {TensorRef{"x"}, TensorRef{"y"}, static_cast<std::int32_t>(b.count)}});
}

// Returns false if the device has no such provider, which the plan then states.
bool call_library(Plan& plan, const Case& c, const Binding& b, const backends::DeviceInfo& device) {
  OperatorStep* step = add_operator(plan, device, c.word("provider"), "convert");
  if (step == nullptr) return false;
  step->tensors = {dense("x", {b.count}), dense("y", {b.count})};
  if (b.from == nullptr) step->tensors[0].format = "int32";
  step->options = {{"overflow", std::string(soft::to_string(b.overflow))}};
  return true;
}

Plan plan(const Case& c, const Binding& b, const backends::DeviceInfo& device) {
  Plan result;
  if (c.word("provider") == kPortable) {
    add_launch(result, b);
  } else if (!call_library(result, c, b, device)) {
    return result;
  }
  result.tensors.push_back(
      {.name = "x", .format = &b.stored(), .count = b.count, .role = Role::kInput});
  result.tensors.push_back({.name = "y", .format = b.to, .count = b.count, .role = Role::kOutput});
  return result;
}

TensorSet refer(const Case& c, const TensorSet& inputs, const models::Machine& machine) {
  const Binding b = bind(c);
  soft::Environment environment = machine.convert;
  environment.overflow = b.overflow;
  const Tensor& x = inputs.at("x");
  TensorSet out;
  if (b.from != nullptr) {
    out.emplace("y", fast::convert(x, *b.to, environment));
    return out;
  }
  Tensor y = Tensor::zeros(*b.to, x.count());
  for (std::size_t i = 0; i < x.count(); ++i) y.set(i, converted(b, x.at(i), environment));
  out.emplace("y", std::move(y));
  return out;
}

bool holds_integers(const Case& c, std::string_view tensor) {
  return tensor == "x" && bind(c).from == nullptr;
}

std::vector<Operand> operands(const Case& c, const TensorSet& inputs, std::string_view,
                              std::size_t index) {
  return {{.label = "x", .format = bind(c).from, .bits = inputs.at("x").at(index)}};
}

class List {
 public:
  explicit List(std::uint64_t seed) : list_("convert", axes(), seed) {}

  void add(const Pair& pair, std::string_view overflow, std::string_view provider,
           std::string_view fill, std::uint64_t most) {
    const Format* from = formats::find_format(pair.from);
    const std::uint64_t whole = fill == "all" ? std::uint64_t{1} << from->bits : most;
    const std::string size = fmt::format("n{}", whole);
    list_.add({pair.from, pair.to, overflow, provider, size, fill});
  }

  [[nodiscard]] std::vector<Case> take() && { return std::move(list_).take(); }

 private:
  CaseList list_;
};

// Saturation is an option of conversions to the formats of 8 bits (OCP OFP8, revision 1.0).
bool may_saturate(const Format& to) { return to.bits == 8; }

void add_level(List& list, std::uint64_t count) {
  // One less than a power of two leaves a tail in every vector loop: for libraries, which choose
  // their own code paths.
  constexpr std::uint64_t kWithTail = 1023;
  for (const std::string_view fill : fill_names()) {
    for (const std::string_view provider :
         {std::string_view("portable"), std::string_view("library")}) {
      for (const Pair& pair : kPairs) {
        const Format* to = formats::find_format(pair.to.substr(3));
        const Binding b{.from = formats::find_format(pair.from), .to = to, .fill = fill};
        if (!applies(fill, b)) continue;
        list.add(pair, "infinity", provider, fill, count);
        if (fill == "ties" && provider != kPortable)
          list.add(pair, "infinity", provider, fill, kWithTail);
        if (may_saturate(*to)) list.add(pair, "saturate", provider, fill, count);
      }
    }
  }
}

std::vector<Case> cases(Level level, std::uint64_t seed) {
  List list(seed);
  add_level(list, 8192);
  // Four elements for each number of a 16-bit format covers all of them.
  if (level >= Level::kStandard) add_level(list, 1u << 18);
  if (level >= Level::kFull) add_level(list, 1u << 20);
  if (level >= Level::kExhaustive) add_level(list, 1u << 24);
  return std::move(list).take();
}

}  // namespace

std::span<const Axis> axes() {
  static const std::vector<Axis> kAxes = {
      axis_of_words("from", "format of the elements",
                    {"fp64", "fp32", "fp16", "bf16", "e4m3fn", "e5m2", "int32"}),
      axis_of_words("to", "format of the result",
                    {"to-fp32", "to-fp16", "to-bf16", "to-e4m3fn", "to-e5m2"}),
      axis_of_words(
          "overflow",
          "what a number beyond the range gives: infinity (or the NaN of a format without), or "
          "the largest number",
          {"infinity", "saturate"}),
      provider_axis(),
      size_axis(),
      fill_axis(fill_names()),
  };
  return kAxes;
}

Binding bind(const Case& c) {
  const std::string_view to = c.word("to").substr(std::string_view("to-").size());
  const std::uint64_t count = c.number("size", 'n');
  if (count == 0 || count > kMostElements) {
    throw UsageError(fmt::format("case '{}': n must lie between 1 and 2^28", print(c)));
  }
  const Binding b{.from = formats::find_format(c.word("from")),  // null: int32
                  .to = formats::find_format(to),
                  .overflow = *soft::parse_overflow(c.word("overflow")),
                  .count = static_cast<std::size_t>(count),
                  .fill = c.word("fill")};
  if (b.from == b.to || !applies(b.fill, b)) {
    throw UsageError(
        fmt::format("case '{}': these formats and fill '{}' do not go together", print(c), b.fill));
  }
  return b;
}

Bits converted(const Binding& b, Bits x, const soft::Environment& environment) {
  if (b.from != nullptr) return soft::convert(*b.from, *b.to, x, environment).bits;
  const auto integer = static_cast<std::int32_t>(static_cast<std::uint32_t>(x));
  return soft::from_int(*b.to, integer, environment).bits;
}

namespace {

Expectation expect(const Case& c, const TensorSet& inputs, const models::Machine& machine) {
  return {refer(c, inputs, machine)};
}

class ConvertProblem final : public Problem {
 public:
  explicit ConvertProblem(const Case& c) : Problem(c), b_(bind(this->c())) {}

  const ContractRow& row(const backends::DeviceInfo& device) const override {
    return convert::contract_row(c(), device);
  }
  Plan plan(const backends::DeviceInfo& device) const override {
    return convert::plan(c(), b_, device);
  }
  TensorSet inputs() const override { return convert::make_inputs(c()); }
  Expectation expect(const TensorSet& inputs, const models::Machine& machine) const override {
    return convert::expect(c(), inputs, machine);
  }
  std::vector<Hypothesis> mistakes() const override { return convert::hypotheses(c()); }
  std::vector<Hypothesis> mistakes_seen_in(const Places& wrong,
                                           const TensorSet& outputs) const override {
    return convert::hypotheses_seen_in(c(), wrong, outputs);
  }
  std::vector<Operand> operands(const TensorSet& inputs, std::string_view tensor,
                                std::size_t index) const override {
    return convert::operands(c(), inputs, tensor, index);
  }
  bool holds_integers(std::string_view tensor) const override {
    return convert::holds_integers(c(), tensor);
  }

 private:
  const Binding b_;
};

}  // namespace

const Suite& suite() {
  static const Suite kSuite{.name = "convert",
                            .summary = "tensors from one format to another, rounded once",
                            .axes = axes(),
                            .contract = contract(),
                            .cases = cases,
                            .bind = bind_as<ConvertProblem>};
  return kSuite;
}

}  // namespace halfmark::suites::convert
