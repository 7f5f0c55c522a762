// SPDX-License-Identifier: Apache-2.0
#include "suites/activation/suite.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "reference/operators/elementary.hpp"
#include "suites/activation/binding.hpp"
#include "suites/core/errors.hpp"
#include "suites/core/inputs.hpp"
#include "suites/core/provider.hpp"
#include "suites/core/steps.hpp"

namespace halfmark::suites::activation {
namespace {

using formats::Bits;
using formats::Format;
using formats::Tensor;

constexpr std::uint32_t kGroupItems = 64;

constexpr OperationRow kOperations[] = {
    {"gelu", Operation::kGelu, "gelu", "", "", "y"},
    {"gelu-backward", Operation::kGeluBackward, "gelu_backward", "", "dy", "dx"},
    {"gelu_tanh", Operation::kGeluTanh, "gelu_tanh", "gelu_tanh_forward", "", "y"},
    {"gelu_tanh-backward", Operation::kGeluTanhBackward, "gelu_tanh_backward", "gelu_tanh_backward",
     "dy", "dx"},
    {"relu", Operation::kRelu, "relu", "relu_forward", "", "y"},
    {"relu-backward", Operation::kReluBackward, "relu_backward", "relu_backward", "dy", "dx"},
    {"max", Operation::kMax, "max", "max_forward", "x2", "y"},
};

// What dy is in the fills that visit every x.
struct GradientFill {
  std::string_view name;
  int exponent;
};
constexpr GradientFill kGradients[] = {{"all", 0}, {"tiny", -14}, {"large", 15}};

constexpr std::array<std::string_view, 5> kFills = {"all", "tiny", "large", "special", "bits"};

bool visits_all(std::string_view fill) {
  return fill == "all" || fill == "tiny" || fill == "large";
}

bool applies(const OperationRow& row, const Format& f, std::string_view fill) {
  if (row.operation == Operation::kMax) return !visits_all(fill);
  if (row.second.empty()) return fill == "all" && f.bits == 16;
  return visits_all(fill) && f == formats::kFp16;
}

// Infinities of x are left out where no formula in use gives the limit: -inf everywhere, +inf in
// gradients; so are NaNs of x in the gradient of ReLU.
Bits operand(const Binding& b, std::size_t index) {
  const Format& f = *b.format;
  const Bits x = index & f.mask();
  if (b.portable) return x;
  const bool backward = !b.row->second.empty();
  const bool gelu = b.bounded();
  const bool infinite = formats::is_infinity(f, x);
  if (gelu && infinite && (backward || formats::sign(f, x))) return formats::one(f);
  if (!gelu && backward && formats::is_nan(f, x)) return formats::one(f);
  return x;
}

Bits gradient(const Format& f, std::string_view fill) {
  for (const GradientFill& row : kGradients) {
    if (row.name == fill) return scaled(f, 1, row.exponent);
  }
  return formats::one(f);
}

TensorSet make_inputs(const Case& c) {
  const Binding b = bind(c);
  TensorSet inputs;
  const std::string second(b.row->second);
  if (!visits_all(b.fill)) {
    inputs.emplace("x", fill(*b.format, b.count, b.fill, Random(c, "x")));
    inputs.emplace(second, fill(*b.format, b.count, b.fill, Random(c, second)));
    return inputs;
  }
  Tensor x = Tensor::zeros(*b.format, b.count);
  for (std::size_t i = 0; i < b.count; ++i) x.set(i, operand(b, i));
  inputs.emplace("x", std::move(x));
  if (second.empty()) return inputs;
  Tensor dy = Tensor::zeros(*b.format, b.count);
  for (std::size_t i = 0; i < b.count; ++i) dy.set(i, gradient(*b.format, b.fill));
  inputs.emplace(second, std::move(dy));
  return inputs;
}

std::vector<std::string> roles(const Binding& b) {
  std::vector<std::string> all{"x"};
  if (!b.row->second.empty()) all.emplace_back(b.row->second);
  all.emplace_back(b.row->result);
  return all;
}

void add_launch(Plan& plan, const Binding& b) {
  const auto groups = static_cast<std::uint32_t>((b.count + kGroupItems - 1) / kGroupItems);
  Launch launch{.family = "activation",
                .defines = operators::elementary_defines(),
                .entry = std::string(b.row->entry),
                .groups = {groups, 1, 1},
                .items = {kGroupItems, 1, 1},
                .arguments = {}};
  launch.defines.emplace_back("HM_X_FORMAT", kernel_word(*b.format));
  for (const std::string& role : roles(b)) launch.arguments.emplace_back(TensorRef{role});
  launch.arguments.emplace_back(static_cast<std::int32_t>(b.count));
  plan.launches.push_back(std::move(launch));
}

Plan plan(const Case& c, const backends::DeviceInfo& device) {
  const Binding b = bind(c);
  Plan result;
  if (b.portable) {
    add_launch(result, b);
  } else {
    OperatorStep* step = add_operator(result, device, c.word("provider"), b.row->name);
    if (step == nullptr) return result;
    for (const std::string& role : roles(b)) step->tensors.push_back(dense(role, {b.count}));
  }
  for (const std::string& role : roles(b)) {
    const Role kind = role == b.row->result ? Role::kOutput : Role::kInput;
    result.tensors.push_back({.name = role, .format = b.format, .count = b.count, .role = kind});
  }
  return result;
}

std::vector<Operand> operands(const Case& c, const TensorSet& inputs, std::string_view,
                              std::size_t index) {
  std::vector<Operand> list;
  for (const auto& [name, tensor] : inputs) {
    list.push_back({.label = name, .format = bind(c).format, .bits = tensor.at(index)});
  }
  return list;
}

const std::vector<Axis>& axes() {
  static const std::vector<Axis> kAxes = {
      {.name = "operation",
       .help = "the function, or its gradient; gelu is the erf form; max takes two operands",
       .words = {"gelu", "gelu-backward", "gelu_tanh", "gelu_tanh-backward", "relu",
                 "relu-backward", "max"},
       .letters = ""},
      {.name = "format",
       .help = "format of operands and results",
       .words = {"fp16", "bf16", "fp32"},
       .letters = ""},
      {.name = "provider",
       .help = "who supplies the code",
       .words = {"portable", "library", "library2"},
       .letters = ""},
      {.name = "size", .help = "n elements", .words = {}, .letters = "n"},
      {.name = "fill",
       .help = "how the data is chosen: all, tiny and large visit every x, and say how large dy is",
       .words = {kFills.begin(), kFills.end()},
       .letters = ""},
  };
  return kAxes;
}

void add(std::vector<Case>& list, std::uint64_t seed, const OperationRow& row,
         std::string_view format, std::string_view provider, std::uint64_t count,
         std::string_view fill) {
  const std::string size = fmt::format("n{}", visits_all(fill) ? 65536 : count);
  const std::array<std::string_view, 5> tokens = {row.word, format, provider, size, fill};
  Case c = make_case("activation", axes(), tokens, seed);
  if (std::find(list.begin(), list.end(), c) == list.end()) list.push_back(std::move(c));
}

std::vector<Case> cases(Level level, std::uint64_t seed) {
  std::vector<Case> list;
  for (Level l = Level::kSmoke; l <= level; l = static_cast<Level>(static_cast<int>(l) + 1)) {
    const std::uint64_t count = std::uint64_t{4096} << (4 * static_cast<int>(l));
    for (const OperationRow& row : kOperations) {
      for (const std::string_view format : {"fp16", "bf16", "fp32"}) {
        for (const std::string_view provider : {"portable", "library"}) {
          for (const std::string_view fill : kFills) {
            if (!applies(row, *formats::find_format(format), fill)) continue;
            if (provider == "portable" && row.entry.empty()) continue;
            add(list, seed, row, format, provider, count, fill);
          }
        }
      }
    }
  }
  return list;
}

}  // namespace

std::span<const OperationRow> operations() { return kOperations; }

Binding bind(const Case& c) {
  const std::string_view word = c.word("operation");
  const auto* row = std::find_if(std::begin(kOperations), std::end(kOperations),
                                 [&](const OperationRow& r) { return r.word == word; });
  const Binding b{.row = row,
                  .format = formats::find_format(c.word("format")),
                  .portable = c.word("provider") == kPortable,
                  .count = static_cast<std::size_t>(c.number("size", 'n')),
                  .fill = c.word("fill")};
  constexpr std::size_t kMost = std::size_t{1} << 28;
  const bool exists = !b.portable || !b.row->entry.empty();
  if (b.count == 0 || b.count > kMost || !exists || !applies(*row, *b.format, b.fill)) {
    throw UsageError(fmt::format(
        "case '{}': size, format, provider and fill do not go together with '{}'; `halfmark list "
        "--suite activation` shows what does",
        print(c), word));
  }
  return b;
}

const Suite& suite() {
  static const Suite kSuite{
      .name = "activation",
      .summary = "GELU, ReLU and the greater of two, forward and backward, on every fp16 operand",
      .axes = axes(),
      .contract = contract(),
      .cases = cases,
      .row = contract_row,
      .plan = plan,
      .inputs = make_inputs,
      .refer = refer,
      .hypotheses = hypotheses,
      .operands = operands,
      .enclose = enclose,
      .follows_machine = [](const Case& c) { return bind(c).portable; },
      .not_asserted = not_asserted()};
  return kSuite;
}

}  // namespace halfmark::suites::activation
