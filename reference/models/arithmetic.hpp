// SPDX-License-Identifier: Apache-2.0
// A named, fully specified way to evaluate a sum of products, as a value. Two evaluations under one
// name give the same bits. A name is `exact`, a matrix unit with an optional way to combine its
// chains (below), or FORMAT.ORDER.STEP followed by options, each after a dot:
//
//   FORMAT     the accumulator's format F: every sum below is rounded to it, once
//   ORDER      which sums are added in which order, and where c enters: order.hpp defines it
//   STEP fma   a step of product k into a sum s is fma(a_k, b_k, s); a product without a sum is
//              F(a_k * b_k)
//        mul   a step is s + F(a_k * b_k); a product without a sum is F(a_k * b_k)
//
// An option changes one thing:
//
//   near_even toward_zero down up near_away
//                  how every multiplication, addition and fused step rounds
//   keep flush_in flush_out flush
//                  how they treat subnormals (soft/environment.hpp)
//   product-P      (mul) a product is F(P(a_k * b_k)), both rounded as multiplications are
//   parts-P        (strided, blocked, splitk) each partial sum is rounded to P when it is complete
//   total-T        (the same orders) partial sums are converted to T and combined there, and the
//                  result is in T; with parts-P they are rounded to P first. c is converted to T
//                  where it enters the total, to F where it starts a partial sum
//   c_first c_last c enters at the other place that order.hpp allows
//   zero_last      where no c is added, +0 is: a sum of -0 becomes +0, as where a library adds its
//                  sums to a result that it cleared
//   early-P        the result is rounded to P: before alpha and beta, before it is stored
//
// c is converted to the format of the sum that it enters. Without products the result is c, else
// +0. Conversions of c, of partial sums and of the result are the machine's. Subnormal operands are
// those below the normal range of both their own format and F (soft/codec.hpp).
//
// A unit's name without anything else (unit.hpp; the machine does not affect it) is one chain of
// instructions along k. An order that has partial sums may follow it, and the options parts-P,
// total-T, early-P, c_first and c_last: each partial sum is then a separate chain, from +0 or c, in
// the unit's format F, and the rest is as above. unit.hopper.wgmma.e4m3fn.fp32.blocked-128 is the
// promotion of DeepSeek-V3 (arXiv:2412.19437, 3.3.2), unit.ampere.mma.fp16.fp32.splitk-4 a product
// with split k. A chain ends with its run of products, whether or not the last instruction is full.
// Units with block scales accept no order.
//
// `exact` is the sum of all products and c without error, rounded once to the result format in the
// machine's environment for conversions; operands are not flushed.
//
// Assumptions: (1) accumulators have a sign and a zero; (2) options occur only where they have a
// meaning: product-P with mul, parts-P and total-T in orders that have partial sums, a place of c
// that order.hpp allows. Reading a name checks this; building a value by hand does not.
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
  const Format* accumulator = nullptr;  // null: exact, or a unit; then the members below have
                                        // no meaning
  Order order = Order::kSequential;
  Step step = Step::kFma;
  std::optional<soft::Rounding> rounding = {};      // none: the machine's
  std::optional<soft::Subnormals> subnormals = {};  // none: the machine's
  const Format* product = nullptr;                  // null: the accumulator's
  const Format* parts = nullptr;                    // null: partial sums are kept
  const Format* total = nullptr;                    // null: the accumulator's
  const Format* early = nullptr;                    // null: the result is not rounded early
  bool zero_last = false;
  const Unit* unit = nullptr;  // a row of all_units(); only order, parts, total and early apply
                               // with it

  [[nodiscard]] constexpr bool is_exact() const {
    return accumulator == nullptr && unit == nullptr;
  }
  // A matrix unit with nothing else: D is the result of its last instruction.
  [[nodiscard]] bool is_chain_of_unit() const {
    return unit != nullptr && *this == Arithmetic{.unit = unit};
  }
  [[nodiscard]] constexpr bool operator==(const Arithmetic&) const = default;
};

// Whether it consists only of a format, the order sequential or reversed, and a step.
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

// The arithmetics that are tried and listed individually: `exact` first, then by accumulator, order
// and step, then the matrix units. Every other name of the grammar is equally valid.
[[nodiscard]] std::span<const NamedArithmetic> all_arithmetics();

// The unique name of an arithmetic, and a description in one line. parse_arithmetic(print(x)) is x.
[[nodiscard]] std::string print(const Arithmetic& arithmetic);
[[nodiscard]] std::string describe(const Arithmetic& arithmetic);

// Why a text is not a name: "at character 6: expected an order (...), not 'sideways'".
struct NameError {
  std::size_t position;  // from 0
  std::string message;
};
[[nodiscard]] std::variant<Arithmetic, NameError> read_arithmetic(std::string_view name);
[[nodiscard]] std::optional<Arithmetic> parse_arithmetic(std::string_view name);

// The grammar for people: one line per part, with examples that are valid names.
struct GrammarLine {
  std::string_view part, meaning, example;
};
[[nodiscard]] std::span<const GrammarLine> arithmetic_grammar();

// The format of partial sums: the accumulator's or the unit's. Not for `exact`.
[[nodiscard]] inline const Format& sum_format(const Arithmetic& arithmetic) {
  return arithmetic.unit != nullptr ? *arithmetic.unit->output : *arithmetic.accumulator;
}

// The format of dot()'s result: the total's, or the one it is rounded to early; `exact` rounds
// directly to `result`.
[[nodiscard]] inline const Format& answer_format(const Arithmetic& arithmetic,
                                                 const Format& result) {
  if (arithmetic.is_exact()) return result;
  if (arithmetic.early != nullptr) return *arithmetic.early;
  return arithmetic.total != nullptr ? *arithmetic.total : sum_format(arithmetic);
}

// Throws std::invalid_argument if a written tree does not have this many products.
void require_products(const Arithmetic& arithmetic, std::size_t count);

// One output: the sum of a_k * b_k for k < count, and c if given. The result is in
// answer_format(arithmetic, result); the operator converts it further. A written tree must have
// `count` products.
[[nodiscard]] Encoded dot(const Arithmetic& arithmetic, const Vector& a, const Vector& b,
                          std::size_t count, const std::optional<Encoded>& c, const Format& result,
                          const Machine& machine = {});

}  // namespace halfmark::models
