// SPDX-License-Identifier: Apache-2.0
#include "reference/models/arithmetic.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <vector>

#include "reference/models/exact_sum.hpp"
#include "reference/soft/soft.hpp"

namespace halfmark::models {
namespace {

struct OrderRow {
  Order order;
  std::string_view name;
  std::string_view description;
};
constexpr std::array kOrders{
    OrderRow{Order::kSequential, "sequential", "k ascending into one accumulator"},
    OrderRow{Order::kReversed, "reversed", "k descending into one accumulator"},
    OrderRow{Order::kPairwise, "pairwise", "a tree split at powers of two, c added last"},
};

struct StepRow {
  Step step;
  std::string_view name;
  std::string_view description;
};
constexpr std::array kSteps{
    StepRow{Step::kFma, "fma", "products fused with the addition"},
    StepRow{Step::kMul, "mul", "products rounded before the addition"},
};

std::vector<NamedArithmetic> make_list() {
  std::vector<NamedArithmetic> list{
      {{}, "exact", "the sum without error, rounded once to the result format"}};
  for (const Format& format : formats::all_formats()) {
    if (format.use != formats::Use::kAccumulator) continue;
    for (const OrderRow& order : kOrders) {
      for (const StepRow& step : kSteps) {
        list.push_back({{&format, order.order, step.step},
                        fmt::format("{}.{}.{}", format.name, order.name, step.name),
                        fmt::format("every step rounded to {}: {}, {}", format.name,
                                    order.description, step.description)});
      }
    }
  }
  return list;
}

// The machine that most references are asked for, folded in where that is so.
struct DefaultMachine {
  static constexpr Machine
      machine{};  // NOLINT(readability-identifier-naming): read like AnyMachine's
};
struct AnyMachine {
  const Machine& machine;
};

// The evaluation of one output. Acc and In are ConstantFormat or RuntimeFormat, On one of the two
// above: with constants the whole loop folds to straight integer code for that pair of formats.
template <typename Acc, typename InA, typename InB, typename On>
struct Evaluation {
  Acc acc;
  InA in_a;
  InB in_b;
  const Vector& a;
  const Vector& b;
  On on;

  [[nodiscard]] Bits product(std::size_t k) const {
    return soft::mul(in_a.format, a.at(k), in_b.format, b.at(k), acc.format, on.machine.mul).bits;
  }
  [[nodiscard]] Bits fused(std::size_t k, Bits sum) const {
    return soft::fma(in_a.format, a.at(k), in_b.format, b.at(k), acc.format, sum, on.machine.fma)
        .bits;
  }
  [[nodiscard]] Bits plus(Bits x, Bits y) const {
    return soft::add(acc.format, x, y, on.machine.add).bits;
  }
  [[nodiscard]] Bits step(Step step, std::size_t k, Bits sum) const {
    return step == Step::kFma ? fused(k, sum) : plus(sum, product(k));
  }

  [[nodiscard]] Bits chain(const Arithmetic& arithmetic, std::size_t count, Bits sum) const {
    const bool reversed = arithmetic.order == Order::kReversed;
    for (std::size_t i = 0; i < count; ++i) {
      sum = step(arithmetic.step, reversed ? count - 1 - i : i, sum);
    }
    return sum;
  }

  [[nodiscard]] Bits tree(Step step, std::size_t begin, std::size_t count) const {
    if (count == 1) return product(begin);
    if (count == 2 && step == Step::kFma) return fused(begin + 1, product(begin));
    const std::size_t half = std::bit_floor(count - 1);
    return plus(tree(step, begin, half), tree(step, begin + half, count - half));
  }

  [[nodiscard]] Bits operator()(const Arithmetic& arithmetic, std::size_t count,
                                const std::optional<Bits>& c) const {
    if (arithmetic.order != Order::kPairwise || count == 0) {
      return chain(arithmetic, count, c.value_or(formats::zero(acc.format)));
    }
    const Bits root = tree(arithmetic.step, 0, count);
    return c ? plus(root, *c) : root;
  }
};

Encoded exact_dot(const Vector& a, const Vector& b, std::size_t count,
                  const std::optional<Encoded>& c, const Format& result, const Machine& machine) {
  ExactSum sum;
  for (std::size_t k = 0; k < count; ++k) {
    sum.add_product(*a.format, a.at(k), *b.format, b.at(k));
  }
  if (c) sum.add(*c->format, c->bits);
  return {&result, sum.round(result, machine.convert).bits};
}

}  // namespace

std::span<const NamedArithmetic> all_arithmetics() {
  static const std::vector<NamedArithmetic> list = make_list();
  return list;
}

std::string print(const Arithmetic& arithmetic) {
  for (const NamedArithmetic& row : all_arithmetics()) {
    if (row.arithmetic == arithmetic) return row.name;
    if (arithmetic.is_exact() && row.arithmetic.is_exact()) return row.name;
  }
  return {};
}

std::optional<Arithmetic> parse_arithmetic(std::string_view name) {
  for (const NamedArithmetic& row : all_arithmetics()) {
    if (row.name == name) return row.arithmetic;
  }
  return std::nullopt;
}

Encoded dot(const Arithmetic& arithmetic, const Vector& a, const Vector& b, std::size_t count,
            const std::optional<Encoded>& c, const Format& result, const Machine& machine) {
  if (arithmetic.is_exact()) return exact_dot(a, b, count, c, result, machine);
  const Format& format = *arithmetic.accumulator;
  std::optional<Bits> start;
  if (c) start = soft::convert(*c->format, format, c->bits, machine.convert).bits;

  Bits bits = 0;
  const auto evaluate_on = [&](auto acc, auto in_a, auto in_b, auto on) {
    using Work = Evaluation<decltype(acc), decltype(in_a), decltype(in_b), decltype(on)>;
    bits = Work{acc, in_a, in_b, a, b, on}(arithmetic, count, start);
  };
  bool folded = false;
  if (*a.format == *b.format) {
    formats::with_constant_format(format, [&](auto acc) {
      folded = formats::with_constant_format(*a.format, [&](auto in) {
        if (machine == Machine{}) {
          evaluate_on(acc, in, in, DefaultMachine{});
        } else {
          evaluate_on(acc, in, in, AnyMachine{machine});
        }
      });
    });
  }
  if (!folded) {
    using formats::RuntimeFormat;
    evaluate_on(RuntimeFormat{format}, RuntimeFormat{*a.format}, RuntimeFormat{*b.format},
                AnyMachine{machine});
  }
  return {&format, bits};
}

}  // namespace halfmark::models
