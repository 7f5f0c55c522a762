// SPDX-License-Identifier: Apache-2.0
#include "suites/loss_scaling/suite.hpp"

#include <fmt/format.h>

#include "suites/core/case/axes.hpp"
#include "suites/core/execute/provider.hpp"
#include "suites/loss_scaling/binding.hpp"

namespace halfmark::suites::loss_scaling {
namespace {

using formats::kFp32;

struct CaseRow {
  std::string_view profile, format, shape, script;
};

// Each profile once where it differs from the others, and each mistake shows somewhere.
constexpr CaseRow kSmoke[] = {
    {"halfmark", "fp16", "n1021d2", "overflow"}, {"pytorch", "fp32", "n1021d2", "overflow"},
    {"pytorch", "bf16", "n67d3", "restore"},     {"pytorch", "fp32", "n67d1", "top"},
    {"genesis", "fp16", "n67d2", "bottom"},      {"apex", "fp16", "n67d2", "top"},
    {"keras", "fp16", "n67d2", "overflow"},      {"keras", "fp32", "n67d1", "top"},
    {"tensorflow", "bf16", "n67d2", "overflow"}, {"tensorflow", "fp32", "n67d2", "bottom"},
    {"megatron", "fp16", "n67d2", "restore"},    {"megatron", "fp32", "n67d2", "bottom"},
    {"deepspeed", "fp16", "n67d2", "grow"},      {"deepspeed", "fp16", "n67d2", "bottom"},
    {"halfmark", "fp16", "n1021d2", "clip"},     {"deepspeed", "fp16", "n67d2", "clip"},
    {"genesis", "fp16", "n67d3", "clip"},        {"pytorch", "fp32", "n67d1", "clip"},
    {"keras", "fp16", "n67d2", "factors"},       {"megatron", "fp32", "n67d1", "factors"},
};

// Below, at and above a vector of lanes and a strip of the check.
constexpr std::string_view kShapes[] = {"n1d1", "n8d2", "n65d3", "n4096d2", "n4099d2"};

std::vector<Case> cases(Level level, std::uint64_t seed) {
  CaseList list("loss_scaling", axes(), seed);
  for (const CaseRow& row : kSmoke)
    list.add({row.profile, row.format, kPortable, row.shape, row.script});
  if (level < Level::kStandard) return std::move(list).take();
  for (const std::string_view profile : axes()[0].words) {
    for (const std::string_view script : axes()[4].words) {
      if (!has_script(profile, script)) continue;
      for (const std::string_view format : axes()[1].words)
        list.add({profile, format, kPortable, "n1021d2", script});
      if (level < Level::kFull && script != "overflow") continue;
      for (const std::string_view shape : kShapes)
        list.add({profile, "fp16", kPortable, shape, script});
    }
  }
  if (level >= Level::kFull) list.add({"pytorch", "fp32", kPortable, "n262147d4", "overflow"});
  return std::move(list).take();
}

class LossScalingProblem final : public Problem {
 public:
  explicit LossScalingProblem(const Case& c) : Problem(c), b_(bind(this->c())) {}

  const ContractRow& row(const backends::DeviceInfo&) const override {
    return contract()[b_.script->clips ? 1 : 0];
  }
  Plan plan(const backends::DeviceInfo& device) const override { return make_plan(b_, device); }
  TensorSet inputs() const override { return make_inputs(c(), b_); }
  Expectation expect(const TensorSet& inputs, const models::Machine& machine) const override {
    return traced(b_, inputs, machine, {});
  }
  std::vector<Hypothesis> mistakes() const override { return hypotheses(); }
  bool holds_integers(std::string_view tensor) const override {
    return tensor == "05_counts" || tensor == "08_counts";
  }

  std::vector<Operand> operands(const TensorSet& inputs, std::string_view tensor,
                                std::size_t index) const override {
    std::vector<Operand> shown;
    if (const std::size_t each = results_in_a_step(tensor); each > 0) {
      const std::size_t step = index / each;
      shown.push_back({fmt::format("scale in step {}", step), &kFp32, scale_in(b_, inputs, step)});
    }
    const auto show = [&](const char* name) {
      const formats::Tensor& source = inputs.at(name);
      shown.push_back({fmt::format("{}[{}]", name, index), source.format, source.at(index)});
    };
    if (tensor == "01_unscaled") show("gradients");
    if (tensor == "06_weights") show("06_weights");
    if (tensor == "07_scale") show("07_scale");
    return shown;
  }

 private:
  // 0: the tensor holds what all steps have led to.
  [[nodiscard]] std::size_t results_in_a_step(std::string_view tensor) const {
    if (tensor == "01_unscaled") return b_.devices * b_.count;
    if (tensor == "02_flags") return b_.devices;
    if (tensor == "05_counts") return 2;
    return tensor == "00_norms" || tensor == "03_found" || tensor == "04_scales" ? 1 : 0;
  }

  const Binding b_;
};

constexpr NotAssertedRow kNotAsserted[] = {
    {"norms in another order of their sum, or in a format narrower than fp32",
     "frameworks differ in both; the order of the portable kernels is asserted, in fp32"},
    {"scales and factors that are wider than fp32",
     "profiles that keep them in fp64 do so on the host; halfmark ref loss_scaler computes them"},
};

}  // namespace

const Suite& suite() {
  static const Suite kSuite{
      .name = "loss_scaling",
      .summary = "loss scalers of frameworks: check, unscaling, skipped steps and the scale",
      .axes = axes(),
      .contract = contract(),
      .cases = cases,
      .bind = bind_as<LossScalingProblem>,
      .not_asserted = kNotAsserted};
  return kSuite;
}

}  // namespace halfmark::suites::loss_scaling
