// SPDX-License-Identifier: Apache-2.0
#include "suites/loss_scaled_backward/suite.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "suites/core/case/axes.hpp"
#include "suites/core/case/named_rows.hpp"
#include "suites/loss_scaled_backward/binding.hpp"

namespace halfmark::suites::loss_scaled_backward {
namespace {

using formats::kFp32;

constexpr std::string_view kLeftOut = "-";

// Every combination of the words of each column; words are separated by spaces, and "-" stands for
// a word that the name leaves out.
struct Group {
  Level level;
  std::string_view formats, biases, providers, shapes, scales, fills;
};

constexpr Group kGroups[] = {
    {Level::kSmoke, "-", "-", "portable", "b5i7h19o3",
     "scale1 scale1000 scale65536 scale2p24 scale2m12", "normal"},
    {Level::kSmoke, "-", "-", "portable", "b17i33h40o9", "scale1 scale65536", "fragile"},
    {Level::kSmoke, "-", "-", "portable", "b3i5h19o7", "scale65536", "lone tail inf nan"},
    {Level::kSmoke, "-", "-", "portable", "b4i8h16o8", "scale2p127", "still"},

    {Level::kSmoke, "bf16", "-", "portable", "b5i7h19o3", "scale1000 scale65536 scale2p24",
     "normal"},
    {Level::kSmoke, "bf16", "-", "portable", "b17i33h40o9", "scale1", "fragile"},
    {Level::kSmoke, "bf16", "-", "portable", "b3i5h19o7", "scale65536", "inf nan"},
    {Level::kSmoke, "bf16", "-", "portable", "b3i5h19o7", "scale2p120", "lone tail"},
    {Level::kSmoke, "-", "biases", "portable", "b5i7h19o3", "scale1 scale1000", "normal"},
    {Level::kSmoke, "-", "biases", "portable", "b17i33h40o9", "scale1", "fragile"},
    {Level::kSmoke, "-", "biases", "portable", "b3i5h19o7", "scale65536", "lone lonebias nan"},
    {Level::kSmoke, "bf16", "biases", "portable", "b5i7h19o3", "scale1000", "normal"},
    {Level::kSmoke, "bf16", "biases", "portable", "b3i5h19o7", "scale2p120", "lonebias nan"},
    {Level::kSmoke, "- bf16", "- biases", "library library2", "b5i7h19o3", "scale1000", "normal"},
    {Level::kSmoke, "-", "-", "library library2", "b5i7h19o3", "scale65536", "normal"},
    {Level::kSmoke, "- bf16", "-", "library library2", "b17i33h40o9", "scale1", "fragile"},
    {Level::kSmoke, "bf16", "-", "library library2", "b3i5h19o7", "scale65536", "inf nan"},
    {Level::kSmoke, "bf16", "-", "library library2", "b3i5h19o7", "scale2p120", "tail"},
    {Level::kSmoke, "-", "biases", "library library2", "b3i5h19o7", "scale65536", "lonebias nan"},
    {Level::kSmoke, "bf16", "biases", "library library2", "b3i5h19o7", "scale2p120", "lonebias"},

    {Level::kSmoke, "fp8", "-", "portable", "b5i7h19o3", "scale1 scale1000 scale2p24", "normal"},
    {Level::kSmoke, "fp8", "-", "portable", "b17i33h40o9", "scale1", "fragile spread"},
    {Level::kSmoke, "fp8", "-", "portable", "b4i8h16o8", "scale2p127", "still"},
    {Level::kSmoke, "fp8", "-", "portable", "b3i5h19o7", "scale65536", "inf nan"},
    {Level::kSmoke, "fp8", "-", "portable", "b3i5h19o7", "scale2p120", "tail"},
    {Level::kSmoke, "fp8", "biases", "portable", "b5i7h19o3", "scale1000", "normal"},
    {Level::kSmoke, "fp8", "biases", "portable", "b17i33h40o9", "scale1", "fragile"},
    {Level::kSmoke, "fp8", "biases", "portable", "b3i5h19o7", "scale2p120", "lonebias inf nan"},
    {Level::kSmoke, "fp8", "- biases", "library library2", "b16i32h48o16", "scale1000", "normal"},
    {Level::kSmoke, "fp8", "-", "library", "b16i32h48o16", "scale1", "spread"},
    {Level::kSmoke, "fp8", "-", "library", "b16i32h48o16", "scale65536", "inf"},

    {Level::kStandard, "-", "-", "portable", "b1i1h1o1 b16i16h16o16 b33i65h129o17 b64i100h120o10",
     "scale1 scale1000 scale65536 scale2p24 scale2m12", "normal fragile"},
    {Level::kStandard, "-", "-", "portable", "b7i9h11o13 b2i3h4099o5", "scale65536",
     "lone tail inf nan"},
    // More than 2^16 gradients in one matrix.
    {Level::kStandard, "-", "-", "portable", "b2i3h4099o17", "scale65536", "lone tail"},
    {Level::kStandard, "-", "-", "portable", "b64i256h512o64", "scale1 scale65536", "fragile"},
    {Level::kStandard, "-", "-", "portable", "b4i8h16o8", "scale1 scale65536 scale2p127", "still"},
    // More rows than lanes, so that a lane adds several.
    {Level::kStandard, "- bf16", "biases", "portable", "b1i1h1o1 b33i65h129o17 b150i20h30o10",
     "scale1 scale65536", "normal fragile"},
    {Level::kStandard, "bf16", "-", "portable", "b33i65h129o17 b64i100h120o10", "scale1 scale65536",
     "normal fragile"},
    {Level::kStandard, "bf16", "-", "portable", "b2i3h4099o17", "scale2p120", "lone tail"},
    {Level::kStandard, "fp8", "- biases", "portable", "b1i1h1o1 b33i65h129o17", "scale1 scale65536",
     "normal fragile"},
    {Level::kStandard, "fp8", "-", "portable", "b2i3h4099o17", "scale2p120", "lone tail"},
    {Level::kStandard, "fp8", "-", "portable", "b4i8h16o8", "scale1", "still"},
    {Level::kStandard, "fp8", "-", "portable", "b5i7h19o3 b33i65h129o17", "scale1", "spread faint"},
    {Level::kStandard, "fp8", "-", "portable", "b64i100h120o10", "scale65536", "fragile"},
    {Level::kStandard, "fp8", "- biases", "library library2", "b64i256h512o64", "scale1 scale65536",
     "normal fragile"},
    {Level::kStandard, "fp8", "-", "library library2", "b16i32h48o16", "scale2p120", "tail"},
    {Level::kStandard, "fp8", "-", "library library2", "b16i32h48o16", "scale1", "faint still"},
    {Level::kStandard, "-", "biases", "portable", "b7i9h11o13 b2i3h4099o5", "scale65536",
     "lone tail lonebias inf nan"},
    {Level::kStandard, "- bf16", "biases", "portable", "b64i256h512o64", "scale65536", "fragile"},
    {Level::kStandard, "- bf16", "- biases", "library library2", "b33i65h129o17 b64i256h512o64",
     "scale1 scale65536", "normal fragile"},
    {Level::kStandard, "-", "- biases", "library library2", "b7i9h11o13", "scale65536", "inf tail"},

    {Level::kFull, "-", "-", "portable", "b64i1024h1024o256", "scale1 scale65536 scale2p24",
     "normal fragile"},
    {Level::kFull, "-", "-", "portable", "b3i5h257o127", "scale65536", "lone tail"},
    {Level::kFull, "- bf16", "biases", "portable library", "b64i1024h1024o256", "scale1 scale65536",
     "fragile"},

    {Level::kExhaustive, "-", "-", "portable", "b64i4096h4096o1024", "scale1 scale65536",
     "fragile"},
};

std::vector<std::string_view> tokens_in(std::string_view text) {
  std::vector<std::string_view> tokens = words_in(text);
  std::replace(tokens.begin(), tokens.end(), kLeftOut, std::string_view());
  return tokens;
}

// Adds all cases of a group.
void add(const Group& group, CaseList& list) {
  for (const std::string_view format : tokens_in(group.formats))
    for (const std::string_view biases : tokens_in(group.biases))
      for (const std::string_view provider : words_in(group.providers))
        for (const std::string_view shape : words_in(group.shapes))
          for (const std::string_view scale : words_in(group.scales))
            for (const std::string_view fill : words_in(group.fills))
              list.add({format, biases, provider, shape, scale, fill});
}

std::size_t cost(const Case& c) {
  const operators::TrainingProblem p = bind(c).problem;
  return p.batch * p.hidden * (2 * p.in + 3 * p.out);
}

TensorSet refer(const Case& c, const TensorSet& inputs, const models::Machine& machine) {
  return outputs_of(bind(c), evaluate(c, inputs, machine, {}));
}

// The inputs of one wrong element: the scale, and what the last operation that computed it reads.
std::vector<Operand> operands(const TensorSet& inputs, std::string_view tensor, std::size_t index) {
  std::vector<Operand> shown{{"scale", &kFp32, inputs.at("14_scale").at(0)}};
  const auto show = [&](const char* name) {
    const formats::Tensor& source = inputs.at(name);
    shown.push_back({fmt::format("{}[{}]", name, index), source.format, source.at(index)});
  };
  if (tensor == "00_w1h" || tensor == "12_w1") show("12_w1");
  if (tensor == "00_w2h" || tensor == "13_w2") show("13_w2");
  if (tensor == "00_b1h" || tensor == "12_b1") show("12_b1");
  if (tensor == "00_b2h" || tensor == "13_b2") show("13_b2");
  if (tensor == "05_dy") show("t");
  if (tensor == "15_growth")
    shown.push_back({"15_growth[0]", nullptr, inputs.at("15_growth").at(0)});
  return shown;
}

}  // namespace

std::vector<Case> cases(Level level, std::uint64_t seed) {
  CaseList all("loss_scaled_backward", axes(), seed);
  for (const Group& group : kGroups) {
    if (group.level <= level) add(group, all);
  }
  std::vector<Case> list = std::move(all).take();
  std::sort(list.begin(), list.end(), [](const Case& a, const Case& b) {
    return std::pair(cost(a), print(a)) < std::pair(cost(b), print(b));
  });
  return list;
}

namespace {

Expectation expect(const Case& c, const TensorSet& inputs, const models::Machine& machine) {
  TensorSet specified = refer(c, inputs, machine);
  if (bind(c).is_portable() || machine != models::Machine{}) return {std::move(specified)};
  return loss_scaled_backward::expect_beside(c, inputs, products_in(bind(c), specified));
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
  Expectation expect_beside(const TensorSet& inputs, const TensorSet& outputs) const override {
    if (b_.is_portable()) return loss_scaled_backward::expect(c(), inputs, {});
    return loss_scaled_backward::expect_beside(c(), inputs, products_in(b_, outputs));
  }
  std::vector<Hypothesis> mistakes() const override {
    if (!b_.is_portable()) return {};
    return loss_scaled_backward::hypotheses(c());
  }
  // Around the products that the library returned.
  std::vector<Hypothesis> mistakes_seen_in(const Places&, const TensorSet& outputs) const override {
    if (b_.is_portable()) return {};
    return loss_scaled_backward::hypotheses(
        c(), std::make_shared<operators::TrainingProducts>(products_in(b_, outputs)));
  }
  bool follows_machine() const override { return b_.is_portable(); }
  bool holds_integers(std::string_view tensor) const override { return tensor == "15_growth"; }
  std::vector<Operand> operands(const TensorSet& inputs, std::string_view tensor,
                                std::size_t index) const override {
    return loss_scaled_backward::operands(inputs, tensor, index);
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
