// SPDX-License-Identifier: Apache-2.0
#include "reference/fast/elementwise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "reference/fast/elementwise_kernels.hpp"
#include "reference/soft/soft.hpp"

namespace halfmark::fast {
namespace {

using formats::Bits;
using formats::Format;
using formats::Tensor;
using soft::Environment;

struct Row {
  Operation operation;
  std::string_view name;
  int arity;
};

// In the order of the enumeration.
constexpr std::array<Row, kOperationCount> kRows{
    {{Operation::kAdd, "add", 2},
     {Operation::kSub, "sub", 2},
     {Operation::kMul, "mul", 2},
     {Operation::kDiv, "div", 2},
     {Operation::kSqrt, "sqrt", 1},
     {Operation::kFma, "fma", 3},
     {Operation::kMinimum, "minimum", 2},
     {Operation::kMaximum, "maximum", 2},
     {Operation::kMinimumNumber, "minimum_number", 2},
     {Operation::kMaximumNumber, "maximum_number", 2}}};

constexpr std::size_t index_of(Operation operation) { return static_cast<std::size_t>(operation); }
constexpr const Row& row_of(Operation operation) { return kRows[index_of(operation)]; }
static_assert(std::all_of(kRows.begin(), kRows.end(),
                          [](const Row& row) { return row_of(row.operation).name == row.name; }));

void require_well_formed(Operation operation, const Operands& x) {
  const auto fits = [&](const Tensor* other) {
    return other != nullptr && *other->format == *x.a.format && other->count() == x.a.count();
  };
  if ((arity(operation) > 1 && !fits(x.b)) || (arity(operation) > 2 && !fits(x.c))) {
    throw std::invalid_argument(fmt::format("{}: takes {} operands of one format and one length",
                                            to_string(operation), arity(operation)));
  }
}

// The vector kernel for it; null if there is none.
ElementwiseKernels::Run kernel_of(Operation operation, const Format& format,
                                  const Environment& environment, Target target) {
  const ElementwiseKernels* kernels = elementwise_kernels(target);
  if (kernels == nullptr || environment != Environment{}) return nullptr;
  if (format == formats::kFp16) return kernels->fp16[index_of(operation)];
  if (format == formats::kBf16) return kernels->bf16[index_of(operation)];
  if (format == formats::kFp32) return kernels->fp32[index_of(operation)];
  return nullptr;
}

void soft_block(Operation operation, const Operands& x, const Environment& environment,
                std::size_t first, std::size_t count, Tensor& to) {
  for (std::size_t i = first; i < first + count; ++i) {
    const Bits b = arity(operation) > 1 ? x.b->at(i) : 0;
    const Bits c = arity(operation) > 2 ? x.c->at(i) : 0;
    to.set(i, soft_element(operation, *x.a.format, x.a.at(i), b, c, environment));
  }
}

// Elements per part.
constexpr std::size_t kBlock = 16384;

}  // namespace

int arity(Operation operation) { return row_of(operation).arity; }
std::string_view to_string(Operation operation) { return row_of(operation).name; }

std::optional<Operation> parse_operation(std::string_view name) {
  for (const Row& row : kRows) {
    if (row.name == name) return row.operation;
  }
  return std::nullopt;
}

Bits soft_element(Operation operation, const Format& format, Bits a, Bits b, Bits c,
                  const Environment& environment) {
  switch (operation) {
    case Operation::kAdd:
      return soft::add(format, a, b, environment).bits;
    case Operation::kSub:
      return soft::sub(format, a, b, environment).bits;
    case Operation::kMul:
      return soft::mul(format, a, b, environment).bits;
    case Operation::kDiv:
      return soft::div(format, a, b, environment).bits;
    case Operation::kSqrt:
      return soft::sqrt(format, a, environment).bits;
    case Operation::kFma:
      return soft::fma(format, a, b, c, environment).bits;
    case Operation::kMinimum:
      return soft::minimum(format, a, b, environment).bits;
    case Operation::kMaximum:
      return soft::maximum(format, a, b, environment).bits;
    case Operation::kMinimumNumber:
      return soft::minimum_number(format, a, b, environment).bits;
    case Operation::kMaximumNumber:
      return soft::maximum_number(format, a, b, environment).bits;
  }
  return 0;
}

Tensor elementwise(Operation operation, const Operands& x, const Environment& environment,
                   const Options& options) {
  require_well_formed(operation, x);
  const Format& format = *x.a.format;
  const std::size_t total = x.a.count();
  Tensor result = Tensor::zeros(format, total);
  const auto run = kernel_of(operation, format, environment, options.chosen_target());
  const auto from = [&](const Tensor* tensor, std::size_t first) {
    return tensor == nullptr ? nullptr : tensor->bytes.data() + first * format.storage_bytes();
  };
  for_each_part((total + kBlock - 1) / kBlock, options.threads, Direction::kNearEven,
                [&](std::size_t part) {
                  const std::size_t first = part * kBlock;
                  const std::size_t count = std::min(kBlock, total - first);
                  if (run == nullptr) {
                    return soft_block(operation, x, environment, first, count, result);
                  }
                  run(from(&x.a, first), from(x.b, first), from(x.c, first), count,
                      result.bytes.data() + first * format.storage_bytes());
                });
  return result;
}

}  // namespace halfmark::fast
