// SPDX-License-Identifier: Apache-2.0
#include "suites/loss_scaled_backward/suite.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "suites/core/case/named_rows.hpp"
#include "suites/loss_scaled_backward/binding.hpp"

namespace halfmark::suites::loss_scaled_backward {
namespace {

using formats::kFp32;

// Every combination of the words of each column; words are separated by spaces.
struct Group {
  Level level;
  std::string_view shapes, scales, fills;
};

constexpr Group kGroups[] = {
    {Level::kSmoke, "b5i7h19o3", "scale1 scale1000 scale65536 scale2p24 scale2m12", "normal"},
    {Level::kSmoke, "b17i33h40o9", "scale1 scale65536", "fragile"},
    {Level::kSmoke, "b3i5h19o7", "scale65536", "lone tail inf nan"},
    {Level::kSmoke, "b4i8h16o8", "scale2p127", "still"},

    {Level::kStandard, "b1i1h1o1 b16i16h16o16 b33i65h129o17 b64i100h120o10",
     "scale1 scale1000 scale65536 scale2p24 scale2m12", "normal fragile"},
    {Level::kStandard, "b7i9h11o13 b2i3h4099o5", "scale65536", "lone tail inf nan"},
    // More than 2^16 gradients in one matrix.
    {Level::kStandard, "b2i3h4099o17", "scale65536", "lone tail"},
    {Level::kStandard, "b64i256h512o64", "scale1 scale65536", "fragile"},
    {Level::kStandard, "b4i8h16o8", "scale1 scale65536 scale2p127", "still"},

    {Level::kFull, "b64i1024h1024o256", "scale1 scale65536 scale2p24", "normal fragile"},
    {Level::kFull, "b3i5h257o127", "scale65536", "lone tail"},

    {Level::kExhaustive, "b64i4096h4096o1024", "scale1 scale65536", "fragile"},
};

std::size_t cost(const Case& c) {
  const operators::TrainingProblem p = bind(c).problem;
  return p.batch * p.hidden * (2 * p.in + 3 * p.out);
}

TensorSet refer(const Case& c, const TensorSet& inputs, const models::Machine& machine) {
  return outputs_of(evaluate(c, inputs, machine, {}));
}

// The inputs of one wrong element: the operands of the last operation that computed it.
std::vector<Operand> operands(const Binding& bound, const TensorSet& inputs,
                              std::string_view tensor, std::size_t index) {
  std::vector<Operand> shown{{"scale", &kFp32, bound.scale->bits}};
  const auto show = [&](const char* name, std::size_t at) {
    const formats::Tensor& source = inputs.at(name);
    shown.push_back({fmt::format("{}[{}]", name, at), source.format, source.at(at)});
  };
  if (tensor == "00_w1h" || tensor == "12_w1" || tensor == "11_g1" || tensor == "09_dw1")
    show("12_w1", index);
  if (tensor == "00_w2h" || tensor == "13_w2" || tensor == "11_g2" || tensor == "06_dw2")
    show("13_w2", index);
  if (tensor == "03_y" || tensor == "05_dy") show("t", index);
  if (tensor == "15_growth") show("15_growth", 0);
  return shown;
}

}  // namespace

std::vector<Case> cases(Level level, std::uint64_t seed) {
  std::vector<std::string> names;
  for (const Group& group : kGroups) {
    if (group.level > level) continue;
    for (const std::string_view shape : words_in(group.shapes)) {
      for (const std::string_view scale : words_in(group.scales)) {
        for (const std::string_view fill : words_in(group.fills)) {
          names.push_back(
              fmt::format("loss_scaled_backward.portable.{}.{}.{}.s{}", shape, scale, fill, seed));
        }
      }
    }
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::vector<Case> list;
  for (const std::string& name : names)
    list.push_back(parse_case("loss_scaled_backward", axes(), name));
  std::sort(list.begin(), list.end(), [](const Case& a, const Case& b) {
    return std::pair(cost(a), print(a)) < std::pair(cost(b), print(b));
  });
  return list;
}

namespace {

Expectation expect(const Case& c, const TensorSet& inputs, const models::Machine& machine) {
  return {refer(c, inputs, machine)};
}

class LossScaledBackwardProblem final : public Problem {
 public:
  explicit LossScaledBackwardProblem(const Case& c) : Problem(c), b_(bind(this->c())) {}

  const ContractRow& row(const backends::DeviceInfo& device) const override {
    return loss_scaled_backward::contract_row(c(), device);
  }
  Plan plan(const backends::DeviceInfo& device) const override {
    return loss_scaled_backward::make_plan(c(), device);
  }
  TensorSet inputs() const override { return loss_scaled_backward::make_inputs(c()); }
  Expectation expect(const TensorSet& inputs, const models::Machine& machine) const override {
    return loss_scaled_backward::expect(c(), inputs, machine);
  }
  std::vector<Hypothesis> mistakes() const override {
    return loss_scaled_backward::hypotheses(c());
  }
  std::vector<Operand> operands(const TensorSet& inputs, std::string_view tensor,
                                std::size_t index) const override {
    return loss_scaled_backward::operands(b_, inputs, tensor, index);
  }

 private:
  const Binding b_;
};

}  // namespace

const Suite& suite() {
  static const Suite kSuite{
      .name = "loss_scaled_backward",
      .summary = "one training step with loss scaling: gradients, skip, weights and scale",
      .axes = axes(),
      .contract = contract(),
      .cases = cases,
      .bind = bind_as<LossScaledBackwardProblem>};
  return kSuite;
}

}  // namespace halfmark::suites::loss_scaled_backward
