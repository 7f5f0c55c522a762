// SPDX-License-Identifier: Apache-2.0
// Names, and each arithmetic against its written definition evaluated with the naive twin.
#include "reference/models/arithmetic.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "reference/slow/operands.hpp"
#include "reference/slow/slow.hpp"

namespace halfmark::models {
namespace {

using formats::kBf16;
using formats::kFp16;
using formats::kFp32;

constexpr soft::Environment kIeee{};

TEST(Arithmetic, NamesParseBackAndDiffer) {
  std::set<std::string> names;
  for (const NamedArithmetic& row : all_arithmetics()) {
    EXPECT_EQ(print(row.arithmetic), row.name);
    EXPECT_EQ(parse_arithmetic(row.name), row.arithmetic);
    EXPECT_FALSE(row.description.empty());
    names.insert(row.name);
  }
  EXPECT_EQ(names.size(), all_arithmetics().size());
  EXPECT_TRUE(names.contains("exact"));
  EXPECT_TRUE(names.contains("fp32.sequential.fma"));
  EXPECT_TRUE(names.contains("bf16.pairwise.mul"));
  EXPECT_FALSE(parse_arithmetic("fp32.sequential"));
  EXPECT_FALSE(parse_arithmetic("fp32.sideways.fma"));
}

// The definitions of the header, spelled out over lists.
struct Definition {
  const Format& in;
  const Format& acc;
  const std::vector<Bits>& a;
  const std::vector<Bits>& b;
  const soft::Environment& env;

  Bits mul(std::size_t k) const { return slow::mul(in, a[k], b[k], acc, env).bits; }
  Bits fma(std::size_t k, Bits c) const { return slow::fma(in, a[k], b[k], acc, c, env).bits; }
  Bits add(Bits x, Bits y) const { return slow::add(acc, x, y, env).bits; }

  Bits chain(std::vector<std::size_t> order, Step step, Bits c) const {
    for (const std::size_t k : order) c = step == Step::kFma ? fma(k, c) : add(c, mul(k));
    return c;
  }
  Bits tree(Step step, std::size_t begin, std::size_t end) const {
    const std::size_t n = end - begin;
    if (n == 1) return mul(begin);
    if (n == 2 && step == Step::kFma) return fma(begin + 1, mul(begin));
    std::size_t half = 1;
    while (half * 2 < n) half *= 2;
    return add(tree(step, begin, begin + half), tree(step, begin + half, end));
  }
  Bits value(const Arithmetic& arithmetic, const std::optional<Bits>& c) const {
    std::vector<std::size_t> order(a.size());
    for (std::size_t k = 0; k < a.size(); ++k) {
      order[k] = arithmetic.order == Order::kReversed ? a.size() - 1 - k : k;
    }
    if (arithmetic.order != Order::kPairwise || a.empty()) {
      return chain(order, arithmetic.step, c.value_or(0));
    }
    const Bits root = tree(arithmetic.step, 0, a.size());
    return c ? add(root, *c) : root;
  }
};

struct Problem {
  std::vector<Bits> a;
  std::vector<Bits> b;
  std::optional<Encoded> c;
};

Problem random_problem(slow::Operands& operands, const Format& in, const Format& c_format) {
  Problem problem;
  const auto count = operands.word() % 20;
  for (std::uint64_t k = 0; k < count; ++k) {
    problem.a.push_back(operands.any(in));
    problem.b.push_back(operands.any(in));
  }
  if (operands.word() % 2 == 0) problem.c = {&c_format, operands.any(c_format)};
  return problem;
}

TEST(Dot, FollowsTheDefinitions) {
  slow::Operands operands(1);
  for (const NamedArithmetic& row : all_arithmetics()) {
    // fp64 is too wide for the twin's numbers.
    if (row.arithmetic.is_exact() || *row.arithmetic.accumulator == formats::kFp64) continue;
    for (const Format& in : {formats::kFp16, formats::kBf16, formats::kFp32}) {
      for (int i = 0; i < 300; ++i) {
        const soft::Environment& env = operands.environment();
        const Format& c_format = i % 2 == 0 ? kFp32 : kFp16;
        const Problem p = random_problem(operands, in, c_format);
        const Format& acc = *row.arithmetic.accumulator;
        std::optional<Bits> start;
        if (p.c) start = slow::convert(c_format, acc, p.c->bits, env).bits;
        const Bits expected = Definition{in, acc, p.a, p.b, env}.value(row.arithmetic, start);
        const Encoded actual = dot(row.arithmetic, {&in, p.a.data()}, {&in, p.b.data()}, p.a.size(),
                                   p.c, kFp16, uniform_machine(env));
        ASSERT_EQ(actual.format, &acc);
        ASSERT_EQ(expected, actual.bits) << row.name << ' ' << in.name << " n=" << p.a.size();
      }
    }
  }
}

TEST(Dot, OperandsOfDifferentFormatsAndStrides) {
  // 1 * 2 + 3 * 4 with a in bf16, every second element, and b in fp16, walked backwards.
  const std::vector<Bits> a{0x3f80, 0xffff, 0x4040};
  const std::vector<Bits> b{0x4400, 0x4000};
  for (const NamedArithmetic& row : all_arithmetics()) {
    const Encoded d = dot(row.arithmetic, {&kBf16, a.data(), 2}, {&kFp16, b.data() + 1, -1}, 2,
                          Encoded{&kFp32, 0x3f800000}, kFp32);
    const Bits fifteen = soft::Result(slow::from_int(*d.format, 15, kIeee)).bits;
    EXPECT_EQ(fifteen, d.bits) << row.name;
    EXPECT_EQ(d.format, &answer_format(row.arithmetic, kFp32));
  }
}

TEST(Dot, OrdersAndWidthsDiffer) {
  // 2048 + 1 + 1 - 2048 in fp16: each arithmetic loses something else.
  const std::vector<Bits> a{0x6800, 0x3c00, 0x3c00, 0xe800};
  const std::vector<Bits> b{0x3c00, 0x3c00, 0x3c00, 0x3c00};
  const auto value = [&](std::string_view name) {
    return dot(*parse_arithmetic(name), {&kFp16, a.data()}, {&kFp16, b.data()}, 4, {}, kFp16).bits;
  };
  EXPECT_EQ(value("exact"), 0x4000U);
  EXPECT_EQ(value("fp32.sequential.fma"), 0x40000000U);
  EXPECT_EQ(value("fp16.sequential.fma"), 0x0000U);
  EXPECT_EQ(value("fp16.pairwise.mul"), 0x3c00U);  // (2048 + 1) + (1 - 2048)
}

TEST(Dot, WithoutProductsIsTheAddend) {
  for (const NamedArithmetic& row : all_arithmetics()) {
    const Encoded none = dot(row.arithmetic, {&kFp16, nullptr}, {&kFp16, nullptr}, 0, {}, kFp16);
    EXPECT_EQ(none.bits, 0U) << row.name;
    const Encoded some = dot(row.arithmetic, {&kFp16, nullptr}, {&kFp16, nullptr}, 0,
                             Encoded{&kFp16, 0xbc00}, kFp16);
    EXPECT_EQ(some.bits, slow::convert(kFp16, *some.format, 0xbc00, kIeee).bits) << row.name;
  }
}

}  // namespace
}  // namespace halfmark::models
