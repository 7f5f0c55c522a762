// SPDX-License-Identifier: Apache-2.0
#include "suites/dropout/suite.hpp"

#include <bit>

#include "reference/operators/fp32.hpp"
#include "reference/operators/philox.hpp"
#include "suites/core/case/axes.hpp"
#include "suites/core/case/errors.hpp"
#include "suites/core/case/fills.hpp"
#include "suites/core/case/named_rows.hpp"
#include "suites/core/diagnose/mistakes.hpp"
#include "suites/core/execute/plan_builder.hpp"
#include "suites/core/execute/provider.hpp"

namespace halfmark::suites::dropout {
namespace {

using formats::Bits;
using formats::Format;
using formats::kFp32;
using formats::Tensor;
using operators::Fp32;

constexpr std::string_view kFills[] = {"normal", "special", "subnormal"};
constexpr std::uint32_t kStep = 3;  // of the training: the third word of every counter

// A number is kept if its word is below `keep`, 2^32 (1 - rate) rounded down; `factor` is
// 1 / (1 - rate), rounded to fp32.
struct Rate {
  std::string_view name;
  std::uint32_t keep;
  Bits factor;
};
constexpr Rate kRates[] = {{"p10", 0xe6666666, 0x3f8e38e4},
                           {"p20", 0xcccccccc, 0x3fa00000},
                           {"p50", 0x80000000, 0x40000000},
                           {"p90", 0x19999999, 0x41200000}};

// The counter of the first block.
struct First {
  std::string_view name;
  std::uint64_t block;
};
constexpr First kFirsts[] = {{"first", 0}, {"carry", 0xffffff9c}};  // 2^32 - 100

constexpr ContractRow kRow{
    .id = "dropout.specified",
    .tier = Tier::kSpecified,
    .promise =
        "the words are those of Philox4x32-10; what a word keeps is times the factor in "
        "fp32, rounded once more, forward and backward alike, and all else is +0",
    .source =
        "Halfmark kernel specification, kernels/dropout.hk; Salmon and others, Parallel "
        "random numbers: as easy as 1, 2, 3, SC 2011; IEEE 754-2019, 5.4.1",
    .freedoms = kFp32Freedoms};

std::span<const Axis> axes() {
  static const auto kRateNames = names_of(kRates);
  static const auto kFirstNames = names_of(kFirsts);
  static const std::vector<Axis> kAxes = {
      axis_of_words("format", "format of the tensors", {"fp16", "bf16", "fp32"}),
      axis_of_words("rate", "share of numbers that are dropped, in percent",
                    {kRateNames.begin(), kRateNames.end()}),
      provider_axis(Providers::kHalfmark),
      size_axis(),
      axis_of_words("counter", "first counter: 0, or 100 below 2^32, where its carry shows",
                    {kFirstNames.begin(), kFirstNames.end()}),
      fill_axis(kFills)};
  return kAxes;
}

std::vector<Case> cases(Level level, std::uint64_t seed) {
  CaseList list("dropout", axes(), seed);
  list.add({"fp16", "p20", kPortable, "n1021", "first", "normal"});
  list.add({"fp16", "p90", kPortable, "n1021", "carry", "special"});
  list.add({"bf16", "p10", kPortable, "n1021", "carry", "normal"});
  list.add({"fp32", "p10", kPortable, "n1021", "carry", "special"});
  if (level < Level::kStandard) return std::move(list).take();
  for (const std::string_view format : axes()[0].words) {
    for (const Rate& rate : kRates) {
      for (const std::string_view fill : kFills)
        list.add({format, rate.name, kPortable, "n65537", "carry", fill});
      for (const std::string_view size : {"n1", "n4", "n255"})
        list.add({format, rate.name, kPortable, size, "first", "normal"});
      if (level >= Level::kFull)
        list.add({format, rate.name, kPortable, "n10000000", "carry", "normal"});
    }
  }
  return std::move(list).take();
}

// How dropout is computed; the default is the specification.
struct Model {
  operators::PhiloxVariant generator = {};
  bool loses_carry = false;      // of the counter's low word
  bool reversed_words = false;   // of a block
  bool step_left_out = false;    // of the counter
  bool backward_one_on = false;  // the backward pass draws with the next step
  bool keeps_the_others = false;
  bool multiplies_by_mask = false;  // x * 0 instead of 0
  bool unscaled = false;
  const Format* factor_format = &kFp32;
  bool divides = false;  // by 1 / factor
};

constexpr MistakeRow<Model> kMistakes[] = {
    {"seven-rounds", "missing_steps", "the generator runs seven rounds instead of ten",
     [](Model& m) { m.generator.rounds = 7; }},
    {"key-kept", "missing_steps", "every round of the generator takes the same key",
     [](Model& m) { m.generator.keeps_key = true; }},
    {"upper-half-signed", "decode", "the upper halves of products are those of signed numbers",
     [](Model& m) { m.generator.signed_high = true; }},
    {"carry-lost", "index_ovf", "the counter's low word wraps around without a carry",
     [](Model& m) { m.loses_carry = true; }},
    {"words-reversed", "layout", "the four words of a block are taken in reverse",
     [](Model& m) { m.reversed_words = true; }},
    {"step-left-out", "amp_state", "every step of the training draws the same words",
     [](Model& m) { m.step_left_out = true; }},
    {"backward-mask-differs", "amp_state", "the backward pass draws the words of the next step",
     [](Model& m) { m.backward_one_on = true; }},
    {"mask-inverted", "formula", "what is to be dropped is kept, and the reverse",
     [](Model& m) { m.keeps_the_others = true; }},
    {"dropped-by-product", "nan_inf", "numbers are multiplied by 0 instead of being replaced by it",
     [](Model& m) { m.multiplies_by_mask = true; }},
    {"not-scaled", "formula", "kept numbers are not divided by the share that is kept",
     [](Model& m) { m.unscaled = true; }},
    {"factor-in-fp16", "scalar_precision", "the factor is rounded to fp16",
     [](Model& m) { m.factor_format = &formats::kFp16; }},
    {"factor-in-bf16", "scalar_precision", "the factor is rounded to bf16",
     [](Model& m) { m.factor_format = &formats::kBf16; }},
    {"divided", "formula", "kept numbers are divided by the share instead of multiplied",
     [](Model& m) { m.divides = true; }},
};

class DropoutProblem final : public Problem {
 public:
  explicit DropoutProblem(const Case& c)
      : Problem(c),
        format_(*formats::find_format(c.word("format"))),
        count_(static_cast<std::size_t>(c.number("size", 'n'))),
        rate_(row_named(kRates, c.word("rate"))),
        first_(row_named(kFirsts, c.word("counter")).block),
        key_{static_cast<std::uint32_t>(c.seed), static_cast<std::uint32_t>(c.seed >> 32)} {
    if (count_ < 1 || count_ > kMostElements)
      throw UsageError("case '" + print(c) + "': n must lie between 1 and 2^28");
  }

  const ContractRow& row(const backends::DeviceInfo&) const override { return kRow; }

  Plan plan(const backends::DeviceInfo&) const override {
    Plan plan;
    plan.tensors = {{"x", &format_, count_, Role::kInput},
                    {"dy", &format_, count_, Role::kInput},
                    {"00_words", &kFp32, count_, Role::kOutput},
                    {"01_y", &format_, count_, Role::kOutput},
                    {"02_dx", &format_, count_, Role::kOutput}};
    add(plan, "dropout_words", {TensorRef{"00_words"}});
    for (const auto& [from, to] : {std::pair{"x", "01_y"}, {"dy", "02_dx"}}) {
      add(plan, "dropout_blocks", {TensorRef{from}, TensorRef{to}});
      auto& arguments = plan.launches.back().arguments;
      arguments.emplace_back(rate_.keep);
      arguments.emplace_back(std::bit_cast<float>(static_cast<std::uint32_t>(rate_.factor)));
    }
    return plan;
  }

  TensorSet inputs() const override {
    TensorSet inputs;
    for (const char* name : {"x", "dy"})
      inputs.emplace(name, fill(format_, count_, c().word("fill"), Random(c(), name)));
    return inputs;
  }

  Expectation expect(const TensorSet& inputs, const models::Machine& machine) const override {
    return evaluated(inputs, machine, {});
  }

  std::vector<Hypothesis> mistakes() const override {
    return mistakes_of(kMistakes, [](const Case& c, const TensorSet& inputs, const Model& model) {
      return DropoutProblem(c).evaluated(inputs, {}, model);
    });
  }

  std::vector<Operand> operands(const TensorSet& inputs, std::string_view tensor,
                                std::size_t index) const override {
    const char* name = tensor == "02_dx" ? "dy" : "x";
    return {{.label = name, .format = &format_, .bits = inputs.at(name).at(index)}};
  }

  bool holds_integers(std::string_view tensor) const override { return tensor == "00_words"; }

 private:
  void add(Plan& plan, const char* entry, std::vector<PlanArgument> arguments) const {
    constexpr std::uint32_t kItems = 64;
    arguments.push_back(whole(count_));
    for (const std::uint32_t word : {key_[0], key_[1], static_cast<std::uint32_t>(first_),
                                     static_cast<std::uint32_t>(first_ >> 32), kStep})
      arguments.emplace_back(word);
    plan.launches.push_back({.family = "dropout",
                             .defines = {{"HM_X_FORMAT", kernel_word(format_)}},
                             .entry = entry,
                             .groups = {groups_of(groups_of(count_, 4), kItems), 1, 1},
                             .items = {kItems, 1, 1},
                             .arguments = std::move(arguments)});
  }

  [[nodiscard]] Tensor words(const Model& model, std::uint32_t step) const {
    Tensor words = Tensor::zeros(kFp32, count_);
    for (std::size_t i = 0; i < count_; ++i) {
      const std::uint64_t block = first_ + i / 4;
      const std::uint64_t high = (model.loses_carry ? first_ : block) >> 32;
      const auto all = operators::philox4x32(
          {static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(high),
           model.step_left_out ? 0 : step, 0},
          key_, model.generator);
      words.set(i, all[model.reversed_words ? 3 - i % 4 : i % 4]);
    }
    return words;
  }

  [[nodiscard]] Tensor dropped(const Tensor& x, const Tensor& words, const models::Machine& machine,
                               const Model& model) const {
    const Fp32 op(machine);
    const Bits factor = op.load(*model.factor_format, op.store(*model.factor_format, rate_.factor));
    const Bits share = op.div(Fp32::kOne, rate_.factor);
    Tensor y = Tensor::zeros(format_, count_);
    for (std::size_t i = 0; i < count_; ++i) {
      const Bits wide = op.load(format_, x.at(i));
      const bool is_kept = (words.at(i) < rate_.keep) != model.keeps_the_others;
      if (!is_kept && !model.multiplies_by_mask) continue;
      Bits result = model.divides ? op.div(wide, share) : op.mul(wide, factor);
      if (model.unscaled) result = wide;
      if (!is_kept) result = op.mul(wide, 0);
      y.set(i, op.store(format_, result));
    }
    return y;
  }

  [[nodiscard]] TensorSet evaluated(const TensorSet& inputs, const models::Machine& machine,
                                    const Model& model) const {
    Tensor forward = words(model, kStep);
    const Tensor backward = model.backward_one_on ? words(model, kStep + 1) : forward;
    Tensor y = dropped(inputs.at("x"), forward, machine, model);
    Tensor dx = dropped(inputs.at("dy"), backward, machine, model);
    return {{"00_words", std::move(forward)}, {"01_y", std::move(y)}, {"02_dx", std::move(dx)}};
  }

  const Format& format_;
  std::size_t count_;
  const Rate& rate_;
  std::uint64_t first_;
  operators::PhiloxKey key_;
};

}  // namespace

const Suite& suite() {
  static const Suite kSuite{.name = "dropout",
                            .summary = "dropout by a counter-based generator, forward and backward",
                            .axes = axes(),
                            .contract = {&kRow, 1},
                            .cases = cases,
                            .bind = bind_as<DropoutProblem>};
  return kSuite;
}

}  // namespace halfmark::suites::dropout
