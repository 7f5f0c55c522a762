// SPDX-License-Identifier: Apache-2.0
// A named, fully specified way to evaluate a sum of products, as a value. Two evaluations under one
// name give the same bits.
//
// With n products a_k * b_k of exact operands and an accumulator format F, every operation below is
// rounded once, to F, in the environment that the machine has for it:
//
//   F.sequential.fma  acc = c or +0; then for k ascending acc = fma(a_k, b_k, acc)
//   F.sequential.mul  acc = c or +0; then for k ascending acc = acc + F(a_k * b_k)
//   F.reversed.*      the same with k descending
//   F.pairwise.mul    a tree: one product is F(a * b); n > 1 products are the sum of the tree of
//   the
//                     first h and the tree of the rest, h the largest power of two below n;
//                     then c, when given, is added to the root
//   F.pairwise.fma    the same, but two products are fma(a_1, b_1, F(a_0 * b_0))
//   exact             the sum of all products and c without error, rounded once to the result
//   format
//
// c is converted to F first. Without products the answer is c, else +0. Subnormal operands are
// those below the normal range of both their own format and F (soft/codec.hpp); `exact` keeps them
// all. The exact sum is rounded in the machine's environment for conversions.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "reference/models/machine.hpp"

namespace halfmark::models {

using formats::Bits;
using formats::Format;

enum class Order : std::uint8_t { kSequential, kReversed, kPairwise };
enum class Step : std::uint8_t { kFma, kMul };

struct Arithmetic {
  const Format* accumulator = nullptr;  // null: exact; order and step then mean nothing
  Order order = Order::kSequential;
  Step step = Step::kFma;

  [[nodiscard]] constexpr bool is_exact() const { return accumulator == nullptr; }
  [[nodiscard]] constexpr bool operator==(const Arithmetic&) const = default;
};

struct NamedArithmetic {
  Arithmetic arithmetic;
  std::string name;
  std::string description;  // one line
};

// Every arithmetic that has a name; `exact` first, then by accumulator, order and step.
[[nodiscard]] std::span<const NamedArithmetic> all_arithmetics();
[[nodiscard]] std::string print(const Arithmetic& arithmetic);
[[nodiscard]] std::optional<Arithmetic> parse_arithmetic(std::string_view name);

struct Encoded {
  const Format* format;
  Bits bits;

  [[nodiscard]] constexpr bool operator==(const Encoded&) const = default;
};

// `count` elements of one format, `stride` elements apart: a row or a column of a matrix.
struct Vector {
  const Format* format;
  const Bits* first;
  std::ptrdiff_t stride = 1;

  [[nodiscard]] constexpr Bits at(std::size_t k) const {
    return first[static_cast<std::ptrdiff_t>(k) * stride];
  }
};

// The format that dot() answers in: the accumulator's; `exact` goes straight to `result`.
[[nodiscard]] inline const Format& answer_format(const Arithmetic& arithmetic,
                                                 const Format& result) {
  return arithmetic.is_exact() ? result : *arithmetic.accumulator;
}

// One output: the sum of a_k * b_k for k < count, and c when given. The answer is in
// answer_format(arithmetic, result); converting it further is the operator's affair.
[[nodiscard]] Encoded dot(const Arithmetic& arithmetic, const Vector& a, const Vector& b,
                          std::size_t count, const std::optional<Encoded>& c, const Format& result,
                          const Machine& machine = {});

}  // namespace halfmark::models
