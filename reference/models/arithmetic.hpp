// SPDX-License-Identifier: Apache-2.0
// A named, fully specified way to evaluate a sum of products, as a value. Two evaluations under one
// name give the same bits. A name is `exact`, or that of a matrix unit and what is made of its
// chains (below), or FORMAT.ORDER.STEP and options, each behind a dot:
//
//   FORMAT     the accumulator's format F: what every sum below is rounded to, once
//   ORDER      who is added to whom, and where c enters: order.hpp says it line by line
//   STEP fma   product k stepped into a sum s is fma(a_k, b_k, s); alone it is F(a_k * b_k)
//        mul   stepped it is s + F(a_k * b_k); alone likewise F(a_k * b_k)
//
// An option, where it is given, changes one thing:
//
//   near_even toward_zero down up near_away
//                  how every multiplication, addition and fused step rounds
//   keep flush_in flush_out flush
//                  what they do with subnormals (soft/environment.hpp)
//   product-P      (mul) a product is F(P(a_k * b_k)), both rounded as multiplications are
//   parts-P        (strided, blocked, splitk) each partial sum is rounded to P when it is complete
//   total-T        (the same) partial sums are converted to T, combined there, and the answer is in
//                  T; with parts-P they are rounded to P before. c is converted to T where it
//                  enters the total, to F where it starts a partial sum
//   c_first c_last c enters in the other place that order.hpp offers
//   early-P        the answer is rounded to P: before alpha and beta, before it is stored
//
// c is converted to the format of the sum that it enters. Without products the answer is c, else
// +0. Conversions of c, of partial sums and of the answer are the machine's. Subnormal operands are
// those below the normal range of both their own format and F (soft/codec.hpp).
//
// A unit's name alone (unit.hpp; the machine has no say in it) is one chain of instructions along
// k. Behind it may stand an order that has partial sums and the options parts-P, total-T, early-P,
// c_first and c_last: each partial sum is a chain of its own, from +0 or c, in the unit's format F,
// and what follows is as above. unit.hopper.wgmma.e4m3fn.fp32.blocked-128 is the promotion of
// DeepSeek-V3 (arXiv:2412.19437, 3.3.2), unit.ampere.mma.fp16.fp32.splitk-4 a product whose k is
// split. A chain ends with its stretch of products, be the last instruction full or not. Units with
// block scales are chained alone.
//
// `exact` is the sum of all products and c without error, rounded once to the result format in the
// machine's environment for conversions; no operand is flushed.
//
// Assumptions: (1) accumulators have a sign and a zero; (2) options stand only where they mean
// something: product-P under mul, parts-P and total-T in orders that have partial sums, an addend
// that order.hpp allows. Reading a name checks that; writing a value by hand does not.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <variant>

#include "reference/models/machine.hpp"
#include "reference/models/order.hpp"
#include "reference/models/unit.hpp"

namespace halfmark::models {

enum class Step : std::uint8_t { kFma, kMul };

struct Arithmetic {
  const Format* accumulator = nullptr;  // null: exact, or a unit; nothing below means anything then
  Order order = Order::kSequential;
  Step step = Step::kFma;
  std::optional<soft::Rounding> rounding = {};      // none: the machine's
  std::optional<soft::Subnormals> subnormals = {};  // none: the machine's
  const Format* product = nullptr;                  // null: the accumulator's
  const Format* parts = nullptr;                    // null: partial sums are kept
  const Format* total = nullptr;                    // null: the accumulator's
  const Format* early = nullptr;                    // null: the answer is kept
  const Unit* unit = nullptr;  // a row of all_units(); with it order, parts, total and early alone

  [[nodiscard]] constexpr bool is_exact() const {
    return accumulator == nullptr && unit == nullptr;
  }
  // A matrix unit and nothing else: D is what its last instruction gives.
  [[nodiscard]] bool is_chain_of_unit() const {
    return unit != nullptr && *this == Arithmetic{.unit = unit};
  }
  [[nodiscard]] constexpr bool operator==(const Arithmetic&) const = default;
};

// Whether it is a format, sequential or reversed, a step, and nothing else.
[[nodiscard]] constexpr bool is_plain_chain(const Arithmetic& arithmetic) {
  const Order::Kind kind = arithmetic.order.kind;
  return !arithmetic.is_exact() && (kind == Order::kSequential || kind == Order::kReversed) &&
         arithmetic == Arithmetic{.accumulator = arithmetic.accumulator,
                                  .order = kind,
                                  .step = arithmetic.step};
}

struct NamedArithmetic {
  Arithmetic arithmetic;
  std::string name;
  std::string description;  // one line
};

// The arithmetics that are tried and listed one by one; `exact` first, then by accumulator, order
// and step, then the matrix units. Every other name of the grammar is as good.
[[nodiscard]] std::span<const NamedArithmetic> all_arithmetics();

// The one name of an arithmetic, and one line about it. parse_arithmetic(print(x)) is x.
[[nodiscard]] std::string print(const Arithmetic& arithmetic);
[[nodiscard]] std::string describe(const Arithmetic& arithmetic);

// Why a text is no name: "at character 6: expected an order (...), not 'sideways'".
struct NameError {
  std::size_t position;  // from 0
  std::string message;
};
[[nodiscard]] std::variant<Arithmetic, NameError> read_arithmetic(std::string_view name);
[[nodiscard]] std::optional<Arithmetic> parse_arithmetic(std::string_view name);

// The grammar for people: a line per part, with examples that are all names.
struct GrammarLine {
  std::string_view part, meaning, example;
};
[[nodiscard]] std::span<const GrammarLine> arithmetic_grammar();

// The format of partial sums: the accumulator's, or the unit's. Not of `exact`.
[[nodiscard]] inline const Format& sum_format(const Arithmetic& arithmetic) {
  return arithmetic.unit != nullptr ? *arithmetic.unit->output : *arithmetic.accumulator;
}

// The format that dot() answers in: the total's, or the one it is rounded to early;
// `exact` goes straight to `result`.
[[nodiscard]] inline const Format& answer_format(const Arithmetic& arithmetic,
                                                 const Format& result) {
  if (arithmetic.is_exact()) return result;
  if (arithmetic.early != nullptr) return *arithmetic.early;
  return arithmetic.total != nullptr ? *arithmetic.total : sum_format(arithmetic);
}

// Throws std::invalid_argument when a written tree does not have this many products.
void require_products(const Arithmetic& arithmetic, std::size_t count);

// One output: the sum of a_k * b_k for k < count, and c when given. The answer is in
// answer_format(arithmetic, result); converting it further is the operator's affair. A written tree
// must have `count` products.
[[nodiscard]] Encoded dot(const Arithmetic& arithmetic, const Vector& a, const Vector& b,
                          std::size_t count, const std::optional<Encoded>& c, const Format& result,
                          const Machine& machine = {});

}  // namespace halfmark::models
