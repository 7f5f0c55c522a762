// SPDX-License-Identifier: Apache-2.0
// A step whose products multiply tensors in 8 bits: which tensors these are, and the launches that
// make them and scale sums back. Their outputs are named after the 16-bit tensor, `_amax` holding
// amax, scale and inverse, and `_fp8` the tensor; `..._ab_sums` are the sums of a product.
// Libraries multiply rows of A by rows of B alone, so for them tensors are also stored by columns:
// `_fp8_turned`.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "reference/formats/classify.hpp"
#include "reference/soft/soft.hpp"
#include "suites/core/execute/plan_builder.hpp"
#include "suites/loss_scaled_backward/binding.hpp"

namespace halfmark::suites::loss_scaled_backward {
namespace {

using formats::kE4m3fn;
using formats::kE5m2;
using formats::kFp32;

constexpr std::uint32_t kItems = 64;  // HM_LANES where lanes are folded

Launch launch(const Binding& b, const char* entry, const formats::Format& to, std::uint32_t groups,
              std::vector<PlanArgument> arguments) {
  return {.family = "tensor_scaling",
          .defines = {{"HM_X_FORMAT", kernel_word(b.half())}, {"HM_Y_FORMAT", kernel_word(to)}},
          .entry = entry,
          .groups = {groups, 1, 1},
          .items = {kItems, 1, 1},
          .arguments = std::move(arguments)};
}

using Sizes = operators::TrainingProblem;
struct OperandRow {
  const char *wide, *stem;
  const formats::Format* format;
  operators::ScaledTensor operators::ScaledOperands::* member;
  std::size_t Sizes::*rows, Sizes::*columns;
};
using Operands = operators::ScaledOperands;
constexpr OperandRow kOperands[] = {
    {"x", "00_x", &kE4m3fn, &Operands::x, &Sizes::batch, &Sizes::in},
    {"00_w1h", "00_w1h", &kE4m3fn, &Operands::w1h, &Sizes::hidden, &Sizes::in},
    {"00_w2h", "00_w2h", &kE4m3fn, &Operands::w2h, &Sizes::out, &Sizes::hidden},
    {"02_g", "02_g", &kE4m3fn, &Operands::g, &Sizes::batch, &Sizes::hidden},
    {"05_dy", "05_dy", &kE5m2, &Operands::dy, &Sizes::batch, &Sizes::out},
    {"08_dh", "08_dh", &kE5m2, &Operands::dh, &Sizes::batch, &Sizes::hidden}};

struct SumsRow {
  const char* name;
  formats::Tensor operators::TrainingProducts::* member;
};
using Products = operators::TrainingProducts;
constexpr SumsRow kSums[] = {{"01_ab_sums", &Products::h},
                             {"03_ab_sums", &Products::y},
                             {"06_ab_sums", &Products::dw2},
                             {"07_ab_sums", &Products::dg},
                             {"09_ab_sums", &Products::dw1}};

std::string numbers_of(const OperandRow& row) { return fmt::format("{}_amax", row.stem); }
std::string eight_of(const OperandRow& row) { return fmt::format("{}_fp8", row.stem); }
std::string turned_of(const OperandRow& row) { return fmt::format("{}_fp8_turned", row.stem); }
// Libraries take both factors along the sum: a factor that lies across needs a turned copy.
bool is_across(const Product& product, const Factor& factor) {
  return factor.transposed != (&factor == &product.b);
}
bool is_turned(const Binding& b, const OperandRow& row) {
  return !b.is_portable() && std::ranges::any_of(products_of(b), [&](const Product& product) {
    return (product.a.name == row.wide && is_across(product, product.a)) ||
           (product.b.name == row.wide && is_across(product, product.b));
  });
}

formats::Tensor turned(const formats::Tensor& tensor, std::size_t columns) {
  formats::Tensor result = tensor;
  const std::size_t rows = tensor.count() / columns;
  for (std::size_t i = 0; i < tensor.count(); ++i)
    result.set(i % columns * rows + i / columns, tensor.at(i));
  return result;
}

const OperandRow& operand_named(std::string_view wide) {
  return *std::ranges::find(kOperands, wide, &OperandRow::wide);
}

const char* sums_of(const Product& product) {
  return std::ranges::find(kSums, product.member, &SumsRow::member)->name;
}

}  // namespace

void add_scaled_outputs(const Binding& b, const operators::TrainingStep& step, TensorSet& outputs) {
  if (step.eight.x.eight.format == nullptr) return;
  for (const OperandRow& row : kOperands) {
    const operators::ScaledTensor& operand = step.eight.*row.member;
    outputs.emplace(numbers_of(row), operand.numbers);
    // A mistake's words may be of another format of 8 bits.
    formats::Tensor words = operand.eight;
    words.format = row.format;
    if (is_turned(b, row)) outputs.emplace(turned_of(row), turned(words, b.problem.*row.columns));
    outputs.emplace(eight_of(row), std::move(words));
  }
  for (const SumsRow& row : kSums) outputs.emplace(row.name, step.sums.*row.member);
}

void add_scaled_tensors(const Binding& b, Plan& plan) {
  std::vector<TensorSpec> added;
  for (const OperandRow& row : kOperands) {
    const auto wide = std::ranges::find(plan.tensors, row.wide, &TensorSpec::name);
    added.push_back({numbers_of(row), &kFp32, 3, Role::kOutput});
    added.push_back({eight_of(row), row.format, wide->count, Role::kOutput});
    if (is_turned(b, row))
      added.push_back({turned_of(row), row.format, wide->count, Role::kOutput});
  }
  for (const Product& product : products_of(b))
    added.push_back({sums_of(product), &kFp32, product.m * product.n, Role::kOutput});
  plan.tensors.insert(plan.tensors.end(), added.begin(), added.end());
}

std::size_t scaled_flags() { return std::size(kOperands); }

void add_scaling(const Binding& b, const char* wide, std::size_t first_flag, Plan& plan) {
  const OperandRow& row = operand_named(wide);
  const auto flag = first_flag + static_cast<std::size_t>(&row - kOperands);
  const std::size_t count = std::ranges::find(plan.tensors, wide, &TensorSpec::name)->count;
  const formats::Bits largest =
      soft::convert(*row.format, kFp32, formats::max_finite(*row.format)).bits;
  const TensorRef from{wide}, numbers{numbers_of(row)}, eight{eight_of(row)};
  plan.launches.push_back(
      launch(b, "scaling_numbers", *row.format, 1,
             {from, numbers, TensorRef{"10_flags"}, whole(flag),
              std::bit_cast<float>(static_cast<std::uint32_t>(largest)), whole(count)}));
  plan.launches.push_back(launch(b, "scale_each", *row.format, groups_of(count, kItems),
                                 {from, numbers, eight, whole(count)}));
  if (!is_turned(b, row)) return;
  plan.launches.push_back(launch(b, "scale_each_turned", *row.format, groups_of(count, kItems),
                                 {from, numbers, TensorRef{turned_of(row)},
                                  whole(b.problem.*row.rows), whole(b.problem.*row.columns)}));
}

Product with_scaled_operands(const Binding& b, Product product) {
  for (Factor* factor : {&product.a, &product.b}) {
    const OperandRow& row = operand_named(factor->name);
    const bool turns = !b.is_portable() && is_across(product, *factor);
    factor->name = turns ? turned_of(row) : eight_of(row);
    factor->transposed = factor->transposed != turns;
    factor->format = row.format;
  }
  product.d = sums_of(product);
  product.output = &kFp32;
  return product;
}

void add_scaling_back(const Binding& b, const Product& product, Plan& plan) {
  const std::size_t count = product.m * product.n;
  plan.launches.push_back(launch(
      b, "scale_back_each", *product.output, groups_of(count, kItems),
      {TensorRef{sums_of(product)}, TensorRef{numbers_of(operand_named(product.a.name))},
       TensorRef{numbers_of(operand_named(product.b.name))}, TensorRef{product.d}, whole(count)}));
}

}  // namespace halfmark::suites::loss_scaled_backward
