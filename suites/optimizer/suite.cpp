// SPDX-License-Identifier: Apache-2.0
#include "suites/optimizer/suite.hpp"

#include <fmt/format.h>

#include "suites/core/case/axes.hpp"
#include "suites/core/execute/provider.hpp"
#include "suites/optimizer/binding.hpp"

namespace halfmark::suites::optimizer {
namespace {

using formats::kFp32;

// An API may leave the sign of a zero and fp32 subnormals open; the scripts keep moments normal.
constexpr ContractRow kRow{
    .id = "optimizer.script",
    .tier = Tier::kSpecified,
    .promise =
        "in every step the weights, their moments, the narrow copy and the count of steps "
        "are those of the rule, and a skipped step changes none of them",
    .source =
        "Halfmark kernel specification, reference/operators/optimizer.hpp and "
        "kernels/optimizer.hk; IEEE 754-2019, 5.4.1",
    .freedoms = kFp32Freedoms};

struct CaseRow {
  std::string_view rule, format, size, script;
};

// Each mistake shows somewhere.
constexpr CaseRow kSmoke[] = {
    {"sgd", "fp16", "n1021", "tiny"},       {"momentum", "fp16", "n1021", "skip"},
    {"nesterov", "fp32", "n67", "steps"},   {"adam", "fp16", "n1021", "skip"},
    {"adam", "fp32", "n67", "tiny"},        {"adam_l2", "fp32", "n67", "steps"},
    {"adamw", "fp16", "n1021", "evaluate"}, {"adamw", "bf16", "n67", "skip"},
};

std::vector<Case> cases(Level level, std::uint64_t seed) {
  CaseList list("optimizer", axes(), seed);
  for (const CaseRow& row : kSmoke)
    list.add({row.rule, row.format, kPortable, row.size, row.script});
  if (level < Level::kStandard) return std::move(list).take();
  for (const std::string_view rule : axes()[0].words) {
    for (const std::string_view script : axes()[4].words) {
      for (const std::string_view format : axes()[1].words)
        list.add({rule, format, kPortable, "n1021", script});
      if (level < Level::kFull) continue;
      for (const std::string_view size : {"n1", "n64", "n65537"})
        list.add({rule, "fp16", kPortable, size, script});
    }
  }
  return std::move(list).take();
}

class OptimizerProblem final : public Problem {
 public:
  explicit OptimizerProblem(const Case& c) : Problem(c), b_(bind(this->c())) {}

  const ContractRow& row(const backends::DeviceInfo&) const override { return kRow; }
  Plan plan(const backends::DeviceInfo& device) const override { return make_plan(b_, device); }
  TensorSet inputs() const override { return make_inputs(c(), b_); }
  Expectation expect(const TensorSet& inputs, const models::Machine& machine) const override {
    return traced(b_, inputs, machine, {});
  }
  std::vector<Hypothesis> mistakes() const override { return hypotheses(); }
  bool holds_integers(std::string_view tensor) const override {
    return tensor == "01_counts" || tensor == "05_swallowed";
  }

  std::vector<Operand> operands(const TensorSet& inputs, std::string_view tensor,
                                std::size_t index) const override {
    std::vector<Operand> shown;
    if (tensor == "01_counts") return shown;
    const formats::Tensor& gradients = inputs.at("gradients");
    for (std::size_t step = 0; step < b_.steps(); ++step) {
      const std::size_t at = step * b_.count + index;
      shown.push_back({fmt::format("gradients[{}]", at), gradients.format, gradients.at(at)});
    }
    shown.push_back(
        {fmt::format("04_weights[{}]", index), &kFp32, inputs.at("04_weights").at(index)});
    return shown;
  }

 private:
  const Binding b_;
};

constexpr NotAssertedRow kNotAsserted[] = {
    {"scalars of a step that an optimizer forms on the device",
     "1 - beta^t in fp32 is no number that frameworks agree on; tables hold it rounded once"},
    {"weights and moments in other formats", "the rules are those of fp32 master weights"},
};

}  // namespace

const Suite& suite() {
  static const Suite kSuite{.name = "optimizer",
                            .summary = "SGD with momentum, Adam and AdamW on fp32 master weights",
                            .axes = axes(),
                            .contract = std::span(&kRow, 1),
                            .cases = cases,
                            .bind = bind_as<OptimizerProblem>,
                            .not_asserted = kNotAsserted};
  return kSuite;
}

}  // namespace halfmark::suites::optimizer
