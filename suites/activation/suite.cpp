// SPDX-License-Identifier: Apache-2.0
#include "suites/activation/suite.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "reference/operators/elementary.hpp"
#include "suites/activation/binding.hpp"
#include "suites/core/case/axes.hpp"
#include "suites/core/case/errors.hpp"
#include "suites/core/case/fills.hpp"
#include "suites/core/case/named_rows.hpp"
#include "suites/core/execute/plan_builder.hpp"
#include "suites/core/execute/provider.hpp"

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

// The values of dy in the fills that visit every x.
struct GradientFill {
  std::string_view name;
  int exponent;
};
constexpr GradientFill kGradients[] = {{"all", 0}, {"tiny", -14}, {"large", 15}};

constexpr std::array<std::string_view, 9> kFills = {"all",    "tiny",   "large",  "special", "bits",
                                                    "limits", "routes", "second", "related"};

bool visits_all(std::string_view fill) {
  return fill == "all" || fill == "tiny" || fill == "large";
}

// Fills for libraries only: they need several calls, offsets, or operations without a
// specified kernel.
bool only_for_libraries(std::string_view fill) {
  return fill == "limits" || fill == "routes" || fill == "second";
}

bool applies(const OperationRow& row, const Format& f, std::string_view fill) {
  const bool gelu = row.operation == Operation::kGelu || row.operation == Operation::kGeluTanh;
  const bool has_relation =
      row.operation == Operation::kGeluBackward || row.operation == Operation::kGeluTanhBackward;
  if (fill == "related") return has_relation && f != formats::kBf16;
  if (fill == "limits") return gelu && f.bits == 16;
  if (fill == "second") return f.bits == 16 && row.operation != Operation::kMax;
  if (fill == "routes") return true;
  if (row.operation == Operation::kMax) return !visits_all(fill);
  // Where no fill visits every x.
  const bool in_full = f == formats::kFp16 || (row.second.empty() && f.bits == 16);
  if (fill == "special" || fill == "bits") return !in_full;
  if (row.second.empty()) return fill == "all" && f.bits == 16;
  return visits_all(fill) && f == formats::kFp16;
}

// Whether fp32 does not hold the cube, and twice that: sizes of 2^42 and more.
bool is_cube_huge(const Format& f, Bits x) {
  return formats::is_finite(f, x) && formats::magnitude(f, x) >= scaled(f, 1, 42);
}

// Excludes operands for which the formulas in use do not give the limit: -inf everywhere, +inf and
// sizes whose cube overflows in gradients, and NaN in the gradient of ReLU.
Bits operand(const Binding& b, Bits x) {
  const Format& f = *b.format;
  if (b.portable) return x;
  const bool backward = !b.row->second.empty();
  const bool gelu = b.bounded();
  const bool infinite = formats::is_infinity(f, x);
  if (gelu && infinite && (backward || formats::sign(f, x))) return formats::one(f);
  if (gelu && backward && is_cube_huge(f, x)) return formats::one(f);
  if (!gelu && backward && formats::is_nan(f, x)) return formats::one(f);
  return x;
}

// Excludes gradients for which implementations differ: some multiply by 0 where others give 0.
Bits upstream(const Binding& b, Bits dy) {
  const Format& f = *b.format;
  return b.portable || formats::is_finite(f, dy) ? dy : formats::one(f);
}

// Operands at which GELU equals its operand, a zero or NaN in every formula. -inf is excluded,
// as above.
Bits limit(const Format& f, const Random& random, std::size_t index) {
  const std::uint64_t word = random.at(index);
  const bool negative = (word & 1) != 0;
  switch (index % 8) {
    case 0:
      return formats::zero(f, negative);
    case 1:
      return formats::quiet_nan(f);
    case 2:
      return formats::infinity(f);
    default: {  // a size from 16 to the largest
      const Bits least = scaled(f, 16, 0);
      const Bits size = least + (word >> 8) % (formats::max_finite(f) - least + 1);
      return size | (negative ? f.sign_mask() : 0);
    }
  }
}

Bits ordinary(const Format& f, const Random& random, std::size_t index) {
  return scaled(f, static_cast<std::int64_t>(random.below(index, 1 << 14)) - (1 << 13), -10);
}

// One operand of the fills with random values.
Tensor drawn(const Case& c, const Binding& b, const Format& f, const std::string& name) {
  const Random random(c, name);
  constexpr std::string_view kDrawnHere[] = {"limits", "routes", "second", "related"};
  if (std::find(std::begin(kDrawnHere), std::end(kDrawnHere), b.fill) == std::end(kDrawnHere)) {
    if (b.row->operation == Operation::kMax) return fill(f, b.count, b.fill, random);
    Tensor tensor = fill(f, b.count, name == "dy" && b.bounded() ? "uniform" : b.fill, random);
    for (std::size_t i = 0; i < b.count; ++i) {
      const Bits drawn = tensor.at(i);
      tensor.set(i, name == "x" ? operand(b, drawn) : upstream(b, drawn));
    }
    return tensor;
  }
  Tensor tensor = Tensor::zeros(f, b.count);
  for (std::size_t i = 0; i < b.count; ++i) {
    tensor.set(i, b.fill == "limits" ? limit(f, random, i) : ordinary(f, random, i));
  }
  return tensor;
}

Bits gradient(const Format& f, std::string_view fill) {
  for (const GradientFill& row : kGradients) {
    if (row.name == fill) return scaled(f, 1, row.exponent);
  }
  return formats::one(f);
}

TensorSet make_inputs(const Case& c, const Binding& b) {
  TensorSet inputs;
  const std::string second(b.row->second);
  if (!visits_all(b.fill)) {
    inputs.emplace("x", drawn(c, b, *b.format, "x"));
    if (!second.empty()) inputs.emplace(second, drawn(c, b, *b.format, second));
    if (b.fill != "second") return inputs;
    inputs.emplace("x_before", drawn(c, b, b.format_before(), "x_before"));
    if (!second.empty()) {
      inputs.emplace(second + "_before", drawn(c, b, b.format_before(), second + "_before"));
    }
    return inputs;
  }
  Tensor x = Tensor::zeros(*b.format, b.count);
  for (std::size_t i = 0; i < b.count; ++i) x.set(i, operand(b, i & b.format->mask()));
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

// The lengths of the calls that one tensor is cut into, at offsets of every alignment: each up to
// 64, then around vector and wave boundaries.
constexpr std::size_t kEveryLength = 64;
constexpr std::size_t kPieces[] = {65, 127, 128, 129, 255, 257, 511, 513, 1025};

std::size_t length_of_piece(std::size_t index) {
  if (index < kEveryLength) return index + 1;
  return kPieces[(index - kEveryLength) % std::size(kPieces)];
}

void cut_into_pieces(Plan& plan, const Binding& b) {
  const OperatorStep whole = plan.operators.back();
  plan.operators.clear();
  std::size_t start = 0;
  for (std::size_t i = 0; start < b.count; ++i) {
    const std::size_t length = std::min(length_of_piece(i), b.count - start);
    OperatorStep& piece = plan.operators.emplace_back(whole);
    for (TensorSlice& slice : piece.tensors) {
      slice.offset = start;
      slice.sizes = {static_cast<std::int64_t>(length)};
    }
    start += length;
  }
}

// The same call first, in another format and in other memory.
void call_before(Plan& plan, const Binding& b) {
  OperatorStep before = plan.operators.back();
  for (TensorSlice& slice : before.tensors) {
    slice.tensor += "_before";
    const Role role = slice.role == b.row->result ? Role::kScratch : Role::kInput;
    plan.tensors.push_back(
        {.name = slice.tensor, .format = &b.format_before(), .count = b.count, .role = role});
  }
  plan.operators.insert(plan.operators.begin(), std::move(before));
}

Plan plan(const Case& c, const Binding& b, const backends::DeviceInfo& device) {
  Plan result;
  if (b.portable) {
    add_launch(result, b);
  } else {
    OperatorStep* step = add_operator(result, device, c.word("provider"), b.row->library_name);
    if (step == nullptr) return result;
    for (const std::string& role : roles(b)) step->tensors.push_back(dense(role, {b.count}));
    if (b.fill == "routes") cut_into_pieces(result, b);
    if (b.fill == "second") call_before(result, b);
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
      axis_of_words("operation",
                    "the function, or its gradient; gelu is the erf form; max takes two operands",
                    {"gelu", "gelu-backward", "gelu_tanh", "gelu_tanh-backward", "relu",
                     "relu-backward", "max"}),
      axis_of_words("format", "format of operands and results", {"fp16", "bf16", "fp32"}),
      provider_axis(),
      size_axis(),
      fill_axis(kFills,
                "how the data is chosen: all, tiny and large visit every x, and say how large dy "
                "is; routes: calls of many lengths; second: after a call in another format; "
                "related: and again with -dy"),
  };
  return kAxes;
}

void add(CaseList& list, const OperationRow& row, std::string_view format,
         std::string_view provider, std::uint64_t count, std::string_view fill) {
  const std::string size = fmt::format("n{}", visits_all(fill) ? 65536 : count);
  list.add({row.name, format, provider, size, fill});
}

std::vector<Case> cases(Level level, std::uint64_t seed) {
  CaseList list("activation", axes(), seed);
  for (Level l = Level::kSmoke; l <= level; l = static_cast<Level>(static_cast<int>(l) + 1)) {
    const std::uint64_t count = std::uint64_t{4096} << (4 * static_cast<int>(l));
    for (const OperationRow& row : kOperations) {
      for (const std::string_view format : {"fp16", "bf16", "fp32"}) {
        for (const std::string_view provider : {"portable", "library"}) {
          for (const std::string_view fill : kFills) {
            if (!applies(row, *formats::find_format(format), fill)) continue;
            if (provider == "portable" && (row.entry.empty() || only_for_libraries(fill))) continue;
            add(list, row, format, provider, count, fill);
          }
        }
      }
    }
  }
  return std::move(list).take();
}

}  // namespace

std::span<const OperationRow> operations() { return kOperations; }

Binding bind(const Case& c) {
  const OperationRow& row = row_named(kOperations, c.word("operation"));
  const Binding b{.row = &row,
                  .format = formats::find_format(c.word("format")),
                  .portable = c.word("provider") == kPortable,
                  .count = static_cast<std::size_t>(c.number("size", 'n')),
                  .fill = c.word("fill")};
  const bool exists = !b.portable || (!b.row->entry.empty() && !only_for_libraries(b.fill));
  if (b.count == 0 || b.count > kMostElements || !exists || !applies(row, *b.format, b.fill)) {
    throw UsageError(fmt::format(
        "case '{}': size, format, provider and fill do not go together with '{}'; `halfmark list "
        "--suite activation` shows what does",
        print(c), row.name));
  }
  return b;
}

namespace {

Expectation expect(const Case& c, const TensorSet& inputs, const models::Machine& machine) {
  return {refer(c, inputs, machine), enclose(c, inputs)};
}

class ActivationProblem final : public Problem {
 public:
  explicit ActivationProblem(const Case& c) : Problem(c), b_(bind(this->c())) {}

  const ContractRow& row(const backends::DeviceInfo& device) const override {
    return activation::contract_row(c(), device);
  }
  Plan plan(const backends::DeviceInfo& device) const override {
    return activation::plan(c(), b_, device);
  }
  TensorSet inputs() const override { return activation::make_inputs(c(), b_); }
  Expectation expect(const TensorSet& inputs, const models::Machine& machine) const override {
    return activation::expect(c(), inputs, machine);
  }
  std::vector<Hypothesis> mistakes() const override { return activation::hypotheses(c()); }
  std::vector<Hypothesis> families() const override { return activation::constants(c()); }
  std::vector<Operand> operands(const TensorSet& inputs, std::string_view tensor,
                                std::size_t index) const override {
    return activation::operands(c(), inputs, tensor, index);
  }
  bool follows_machine() const override { return b_.portable; }
  std::optional<FindingClassName> near_class() const override {
    return FindingClassName("low_precision");
  }
  std::optional<Relation> relation() const override { return activation::relation(c()); }

 private:
  const Binding b_;
};

}  // namespace

const Suite& suite() {
  static const Suite kSuite{
      .name = "activation",
      .summary = "GELU, ReLU and the greater of two, forward and backward, on every fp16 operand",
      .axes = axes(),
      .contract = contract(),
      .cases = cases,
      .bind = bind_as<ActivationProblem>,
      .not_asserted = not_asserted(),
      .modelling = &modelling()};
  return kSuite;
}

}  // namespace halfmark::suites::activation
