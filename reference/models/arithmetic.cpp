// SPDX-License-Identifier: Apache-2.0
#include "reference/models/arithmetic.hpp"

#include <fmt/format.h>

#include <array>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "reference/models/exact_sum.hpp"
#include "reference/models/order_walk.hpp"
#include "reference/soft/soft.hpp"

namespace halfmark::models {
namespace {

// The default machine, used by most references, as a compile-time constant that folds into
// the loops.
struct DefaultMachine {
  static constexpr Machine
      machine{};  // NOLINT(readability-identifier-naming): read like AnyMachine's
};
struct AnyMachine {
  const Machine& machine;
};

// The machine with the roundings and subnormal policies that the arithmetic prescribes for
// its steps.
Machine machine_of(const Arithmetic& arithmetic, Machine machine) {
  for (soft::Environment* env : {&machine.add, &machine.mul, &machine.fma}) {
    env->rounding = arithmetic.rounding.value_or(env->rounding);
    env->subnormals = arithmetic.subnormals.value_or(env->subnormals);
  }
  return machine;
}

// Whether the loop is compiled for the pair: if sums can hold every operand. Narrower sums take the
// loop for any formats, which gives the same bits and is slower.
template <typename Acc, typename In>
constexpr bool kFolded = Acc::format.contains(In::format);

// One output, as the stack machine of order.hpp's walk(). Acc and In are ConstantFormat or
// RuntimeFormat, On is one of the two structs above: with constants the whole loop folds to
// straight integer code for that pair of formats.
template <typename Acc, typename InA, typename InB, typename On>
class Evaluation {
 public:
  Evaluation(Acc acc, InA in_a, InB in_b, On on, const Arithmetic& arithmetic, const Vector& a,
             const Vector& b, const std::optional<Encoded>& c)
      : acc_(acc), in_a_(in_a), in_b_(in_b), on_(on), arithmetic_(arithmetic), a_(a), b_(b), c_(c) {
    // A written tree may need one stack entry per token; the other orders need a
    // logarithmic number.
    if (arithmetic.order.kind == Order::kTree) {
      large_.resize(arithmetic.order.tree.size() + 1);
      top_ = large_.data();
    }
  }

  void start() { push(c_ ? convert(*c_->format, acc_.format, c_->bits) : zero_of(acc_.format)); }
  void start_total() { push(c_ ? convert(*c_->format, total(), c_->bits) : zero_of(total())); }
  void zero() { push(zero_of(acc_.format)); }
  void product(std::size_t k) { push(multiplied(k)); }

  void steps(std::size_t first, std::size_t stride, std::size_t count) {
    Bits sum = pop();
    std::size_t k = first;
    if (arithmetic_.unit != nullptr) {
      sum = chained(first, stride, count, sum);
    } else if (arithmetic_.step == Step::kFma) {
      for (std::size_t i = 0; i < count; ++i, k += stride) sum = fused(k, sum);
    } else {
      for (std::size_t i = 0; i < count; ++i, k += stride) sum = plus(sum, multiplied(k));
    }
    push(sum);
  }

  void part() {
    Bits sum = pop();
    const Format* format = &acc_.format;
    for (const Format* next : {arithmetic_.parts, &total()}) {
      if (next == nullptr || next == format) continue;
      sum = convert(*format, *next, sum);
      format = next;
    }
    push(sum);
  }

  void add() {
    const Bits y = pop();
    push(plus_total(pop(), y));
  }
  void add_addend() {
    if (c_) push(plus_total(pop(), convert(*c_->format, total(), c_->bits)));
  }

  void fuse(std::span<const std::size_t> products, std::size_t sums, bool addend) {
    ExactSum sum;
    const bool exact_products = arithmetic_.step == Step::kFma;
    const soft::Environment& env = exact_products ? on_.machine.fma : on_.machine.add;
    for (const std::size_t k : products) {
      if (exact_products) {
        sum.add_product(in_a_.format, flushed(in_a_.format, a_.at(k), env), in_b_.format,
                        flushed(in_b_.format, b_.at(k), env));
      } else {
        sum.add(acc_.format, flushed(acc_.format, multiplied(k), env));
      }
    }
    if (addend) start();
    for (std::size_t i = 0; i < sums + (addend ? 1 : 0); ++i) {
      sum.add(acc_.format, flushed(acc_.format, pop(), env));
    }
    push(sum.round(acc_.format, env).bits);
  }

  [[nodiscard]] Bits answer() {
    Bits bits = pop();
    if (arithmetic_.zero_last && !c_) bits = plus_total(bits, zero_of(total()));
    return arithmetic_.early == nullptr ? bits : convert(total(), *arithmetic_.early, bits);
  }

 private:
  void push(Bits bits) { *top_++ = bits; }
  [[nodiscard]] Bits pop() { return *--top_; }
  [[nodiscard]] static Bits zero_of(const Format& format) { return formats::zero(format); }
  [[nodiscard]] const Format& total() const {
    return arithmetic_.total == nullptr ? acc_.format : *arithmetic_.total;
  }
  [[nodiscard]] Bits convert(const Format& from, const Format& to, Bits bits) const {
    return soft::convert(from, to, bits, on_.machine.convert).bits;
  }
  [[nodiscard]] Bits flushed(const Format& format, Bits bits, const soft::Environment& env) const {
    const soft::Value value = soft::unpack(format, bits, env, acc_.format);
    return value.kind == soft::Kind::kZero ? formats::zero(format, value.negative) : bits;
  }

  [[nodiscard]] Bits multiplied(std::size_t k) const {
    const Format* narrow = arithmetic_.product;
    const auto in = [&](const Format& format) {
      return soft::mul(in_a_.format, a_.at(k), in_b_.format, b_.at(k), format, on_.machine.mul)
          .bits;
    };
    if (narrow == nullptr) [[likely]]
      return in(acc_.format);
    return soft::convert(*narrow, acc_.format, in(*narrow), on_.machine.mul).bits;
  }
  [[nodiscard]] Bits fused(std::size_t k, Bits sum) const {
    return soft::fma(in_a_.format, a_.at(k), in_b_.format, b_.at(k), acc_.format, sum,
                     on_.machine.fma)
        .bits;
  }
  // A run of products on the matrix unit, which takes the sum as its c.
  [[nodiscard]] Bits chained(std::size_t first, std::size_t stride, std::size_t count,
                             Bits sum) const {
    const auto from = [&](const Vector& x) {
      const auto step = static_cast<std::ptrdiff_t>(stride) * x.stride;
      return Vector{x.format, x.first + static_cast<std::ptrdiff_t>(first) * x.stride, step};
    };
    return unit_dot(*arithmetic_.unit, from(a_), from(b_), count, Encoded{&acc_.format, sum}).bits;
  }
  [[nodiscard]] Bits plus(Bits x, Bits y) const {
    return soft::add(acc_.format, x, y, on_.machine.add).bits;
  }
  [[nodiscard]] Bits plus_total(Bits x, Bits y) const {
    if (arithmetic_.total == nullptr) [[likely]]
      return plus(x, y);
    return soft::add(*arithmetic_.total, x, y, on_.machine.add).bits;
  }

  static constexpr std::size_t kDeepest = 72;

  Acc acc_;
  InA in_a_;
  InB in_b_;
  On on_;
  const Arithmetic& arithmetic_;
  const Vector& a_;
  const Vector& b_;
  const std::optional<Encoded>& c_;
  std::array<Bits, kDeepest> small_;  // NOLINT: written before it is read
  std::vector<Bits> large_;
  Bits* top_ = small_.data();
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

void require_products(const Arithmetic& arithmetic, std::size_t count) {
  if (arithmetic.is_exact() || arithmetic.order.kind != Order::kTree || count == 0) return;
  const std::size_t products = products_of(arithmetic.order.tree);
  if (products != count) {
    throw std::invalid_argument(
        fmt::format("the tree is over {} products; the sum has {}", products, count));
  }
}

Encoded dot(const Arithmetic& arithmetic, const Vector& a, const Vector& b, std::size_t count,
            const std::optional<Encoded>& c, const Format& result, const Machine& plain) {
  if (arithmetic.is_chain_of_unit()) return unit_dot(*arithmetic.unit, a, b, count, c);
  if (arithmetic.is_exact()) return exact_dot(a, b, count, c, result, plain);
  const Machine machine = machine_of(arithmetic, plain);
  const Format& format = sum_format(arithmetic);
  Bits bits = 0;
  const auto evaluate_on = [&](auto acc, auto in_a, auto in_b, auto on) {
    Evaluation evaluation(acc, in_a, in_b, on, arithmetic, a, b, c);
    walk(arithmetic.order, count, evaluation);
    bits = evaluation.answer();
  };
  bool folded = false;
  if (*a.format == *b.format) {
    formats::with_constant_format(format, [&](auto acc) {
      formats::with_constant_format(*a.format, [&](auto in) {
        if constexpr (kFolded<std::remove_cvref_t<decltype(acc)>, decltype(in)>) {
          folded = true;
          if (machine == Machine{}) {
            evaluate_on(acc, in, in, DefaultMachine{});
          } else {
            evaluate_on(acc, in, in, AnyMachine{machine});
          }
        }
      });
    });
  }
  if (!folded) {
    using formats::RuntimeFormat;
    evaluate_on(RuntimeFormat{format}, RuntimeFormat{*a.format}, RuntimeFormat{*b.format},
                AnyMachine{machine});
  }
  return {&answer_format(arithmetic, result), bits};
}

}  // namespace halfmark::models
