// SPDX-License-Identifier: Apache-2.0
// Each arithmetic against its written definition, evaluated with the naive twin.
#include "reference/models/arithmetic.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <random>
#include <stdexcept>
#include <vector>

#include "reference/models/testing/random_arithmetic.hpp"
#include "reference/slow/dot.hpp"
#include "reference/slow/operands.hpp"
#include "reference/slow/slow.hpp"

namespace halfmark::models {
namespace {

using formats::kBf16;
using formats::kFp16;
using formats::kFp32;

constexpr soft::Environment kIeee{};

class DotTest : public testing::Test {
 protected:
  slow::Products random_products(const Format& in, std::size_t count) {
    slow::Products p{&in, {}, {}};
    // Operands of medium size keep sums finite and let them cancel; half of the time any
    // operands occur.
    const bool tame = operands_.word() % 2 == 0;
    for (std::size_t k = 0; k < count; ++k) {
      p.a.push_back(tame ? middling(in) : operands_.any(in));
      p.b.push_back(tame ? middling(in) : operands_.any(in));
    }
    return p;
  }
  Bits middling(const Format& f) {
    const Bits around_one = static_cast<Bits>(f.bias) - 3 + operands_.word() % 7;
    const Bits field = around_one & static_cast<Bits>(f.max_exponent_field());
    return field << f.fraction_bits | (operands_.word() & (f.fraction_mask() | f.sign_mask()));
  }
  std::optional<Encoded> random_addend() {
    const Format& f = operands_.word() % 2 == 0 ? kFp32 : kFp16;
    if (operands_.word() % 2 == 0) return std::nullopt;
    return Encoded{&f, operands_.word() % 2 == 0 ? middling(f) : operands_.any(f)};
  }
  // Compares the results of the twin and of models::dot.
  void expect_twin(const Arithmetic& arithmetic, const Format& in, std::size_t count) {
    const soft::Environment& env = operands_.environment();
    const slow::Products p = random_products(in, count);
    const std::optional<Encoded> c = random_addend();
    const std::string name = print(arithmetic);
    std::optional<slow::Number> addend;
    if (c) addend = slow::Number{c->format, c->bits};
    const slow::Number expected = slow::dot(name, p, addend, env);
    const Encoded actual = dot(arithmetic, {&in, p.a.data()}, {&in, p.b.data()}, count, c, kFp16,
                               uniform_machine(env));
    ASSERT_EQ(expected.format, actual.format) << name;
    ASSERT_EQ(expected.bits, actual.bits) << name << ' ' << in.name << " n=" << count;
    ++compared_;
  }

  slow::Operands operands_{1};
  int compared_ = 0;
};

// The folded formats, the wide format, and narrow ones of each kind.
constexpr std::array kInputs{&kFp16,
                             &kBf16,
                             &kFp32,
                             &formats::kFp64,
                             &formats::kTf32,
                             &formats::kE4m3fn,
                             &formats::kE5m2fnuz,
                             &formats::kE2m1};

TEST_F(DotTest, ListedNamesFollowTheDefinitions) {
  for (const NamedArithmetic& row : all_arithmetics()) {
    // Units have their own twin.
    if (row.arithmetic.accumulator == nullptr) continue;
    for (const Format* in : kInputs) {
      for (int i = 0; i < 100; ++i) expect_twin(row.arithmetic, *in, operands_.word() % 20);
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_GT(compared_, 10000);
}

TEST_F(DotTest, EveryNameOfTheGrammarFollowsTheDefinitions) {
  RandomArithmetic random(operands_);
  for (int i = 0; i < 40000 && !HasFatalFailure(); ++i) {
    const std::size_t count = operands_.word() % 24;
    expect_twin(random(count), *kInputs[operands_.word() % kInputs.size()], count);
  }
  EXPECT_GT(compared_, 30000);
}

// A subnormal sum is an operand like any other: the pair gives 2^-15 + 0, and the node flushes it.
TEST(Dot, FusedNodesFlushTheSumsThatEnterThem) {
  const std::vector<Bits> a{0x0000, 0x1c00, 0x0000};
  const std::vector<Bits> b{0x3c00, 0x2000, 0x3c00};
  const auto value = [&](std::string_view name) {
    return dot(*parse_arithmetic(name), {&kFp16, a.data()}, {&kFp16, b.data()}, 3, {}, kFp16).bits;
  };
  EXPECT_EQ(value("fp16.tree-[(0+1)+2].fma"), 0x0200U);
  EXPECT_EQ(value("fp16.tree-[0+1+2].fma.flush_in"), 0x0200U);
  EXPECT_EQ(value("fp16.tree-[(0+1)+2].fma.flush_in"), 0x0000U);
}

TEST(Dot, AWrittenTreeMustFitTheSum) {
  const Arithmetic tree = *parse_arithmetic("fp32.tree-((0+1)+2).fma");
  EXPECT_NO_THROW(require_products(tree, 3));
  EXPECT_NO_THROW(require_products(tree, 0));
  EXPECT_THROW(require_products(tree, 4), std::invalid_argument);
}

// A chain for each run of products, combined step by step: the meaning of a unit's name with an
// order, written out.
TEST(Dot, PartialSumsOfAUnitAreChainsOfItsOwn) {
  slow::Operands operands(7);
  const Unit& unit = *find_unit("unit.ampere.mma.fp16.fp32");
  const auto middling = [&] {
    return (Bits{12} + operands.word() % 7) << 10 | (operands.word() & 0x83ff);
  };
  for (int i = 0; i < 200; ++i) {
    const std::size_t n = 1 + operands.word() % 70;
    std::vector<Bits> a, b;
    for (std::size_t k = 0; k < n; ++k) {
      a.push_back(middling());
      b.push_back(middling());
    }
    const auto chain = [&](std::size_t first, std::size_t last, Bits c) {
      return unit_dot(unit, {&kFp16, a.data() + first}, {&kFp16, b.data() + first}, last - first,
                      Encoded{&kFp32, c})
          .bits;
    };
    const auto value = [&](const std::string& behind) {
      return dot(*parse_arithmetic(std::string(unit.name) + behind), {&kFp16, a.data()},
                 {&kFp16, b.data()}, n, Encoded{&kFp32, 0x40490fdb}, kFp32)
          .bits;
    };
    EXPECT_EQ(value(""), chain(0, n, 0x40490fdb));
    Bits blocks = 0x40490fdb;
    for (std::size_t k = 0; k < n; k += 24)
      blocks = slow::add(kFp32, blocks, chain(k, std::min(n, k + 24), 0), kIeee).bits;
    EXPECT_EQ(value(".blocked-24"), blocks) << n;
    const std::size_t half = (n + 1) / 2;
    const Bits low = chain(0, half, 0);
    const Bits both = n == 1 ? low : slow::add(kFp32, low, chain(half, n, 0), kIeee).bits;
    EXPECT_EQ(value(".splitk-2"), slow::add(kFp32, both, 0x40490fdb, kIeee).bits) << n;
    const auto narrow = [](Bits x) { return slow::convert(kFp32, kFp16, x, kIeee).bits; };
    Bits narrow_sum = narrow(low);
    if (n > 1) narrow_sum = slow::add(kFp16, narrow_sum, narrow(chain(half, n, 0)), kIeee).bits;
    EXPECT_EQ(value(".splitk-2.total-fp16"),
              slow::add(kFp16, narrow_sum, narrow(0x40490fdb), kIeee).bits);
    EXPECT_EQ(value(".early-fp16"), narrow(chain(0, n, 0x40490fdb)));
    Bits runs = chain(0, std::min<std::size_t>(n, 16), 0);
    if (n > 32) runs = chain(32, std::min<std::size_t>(n, 48), runs);
    if (n > 16 && n <= 48) {
      const Bits others = chain(16, std::min<std::size_t>(n, 32), 0);
      const Bits sum = slow::add(kFp32, runs, others, kIeee).bits;
      EXPECT_EQ(value(".strided-2x16"), slow::add(kFp32, sum, 0x40490fdb, kIeee).bits) << n;
    }
  }
}

// 2048, then twelve ones: how many of the ones an fp16 sum keeps shows where partial sums meet.
TEST(Dot, OrdersKeepWhatTheirPartialSumsHold) {
  std::vector<Bits> a(13, 0x3c00);
  a[0] = 0x6800;
  const std::vector<Bits> b(13, 0x3c00);
  const auto value = [&](std::string_view name) {
    const Encoded d = dot(*parse_arithmetic(name), {&kFp16, a.data()}, {&kFp16, b.data()}, 13,
                          Encoded{&kFp16, 0x3c00}, kFp16);
    return slow::convert(*d.format, kFp32, d.bits, kIeee).bits;
  };
  const auto integer = [](int i) { return slow::from_int(kFp32, i, kIeee).bits; };
  EXPECT_EQ(value("fp16.sequential.fma"), integer(2048));  // each 2049 rounds back to 2048
  EXPECT_EQ(value("fp16.sequential.fma.c_last"), integer(2048));
  EXPECT_EQ(value("fp16.reversed.fma"), integer(2060));   // 13 + 2048, a tie
  EXPECT_EQ(value("fp16.blocked-4.fma"), integer(2056));  // 1 + 2048, then 4 + 4 + 1
  EXPECT_EQ(value("fp16.blocked-4.fma.total-fp32"), integer(2058));
  EXPECT_EQ(value("fp16.splitk-2.fma"), integer(2056));   // 2048 + 6, then c, a tie
  EXPECT_EQ(value("fp16.strided-4.fma"), integer(2060));  // 2052 + 6, then c, a tie
  EXPECT_EQ(value("fp16.sequential.fma.up"), integer(2074));
  EXPECT_EQ(value("fp32.sequential.fma.early-bf16"), integer(2064));
}

// One loop over eight registers of eight lanes, as vector code has it, in the host's own fp32.
float by_registers(const std::vector<float>& a, const std::vector<float>& b) {
  constexpr std::size_t kLanes = 8, kRegisters = 8;
  float lanes[kRegisters][kLanes] = {};
  std::size_t k = 0;
  for (; k + kRegisters * kLanes <= a.size(); k += kRegisters * kLanes) {
    for (std::size_t i = 0; i < kRegisters * kLanes; ++i) {
      float& lane = lanes[i / kLanes][i % kLanes];
      lane = std::fma(a[k + i], b[k + i], lane);
    }
  }
  for (std::size_t half = kRegisters / 2; half > 0; half /= 2) {
    for (std::size_t i = 0; i < half * kLanes; ++i)
      lanes[i / kLanes][i % kLanes] += lanes[i / kLanes + half][i % kLanes];
  }
  for (; k + kLanes <= a.size(); k += kLanes) {
    for (std::size_t i = 0; i < kLanes; ++i)
      lanes[0][i] = std::fma(a[k + i], b[k + i], lanes[0][i]);
  }
  const float* l = lanes[0];
  float sum = ((l[0] + l[4]) + (l[1] + l[5])) + ((l[2] + l[6]) + (l[3] + l[7]));
  for (; k < a.size(); ++k) sum = std::fma(a[k], b[k], sum);
  return sum;
}

TEST(Dot, VectorsAreALoopOverRegisters) {
  const auto order = *parse_arithmetic("fp32.vectors-8x8-halves-folded.fma");
  std::mt19937 random(5);
  for (const std::size_t count : {3U, 8U, 11U, 63U, 64U, 71U, 75U, 131U, 500U, 1000U}) {
    std::vector<float> a(count), b(count);
    std::vector<Bits> x, y;
    for (std::size_t k = 0; k < count; ++k) {
      x.push_back(std::bit_cast<std::uint32_t>(
          a[k] = std::ldexp(static_cast<float>(random()) - 0x1p31F, -31)));
      y.push_back(std::bit_cast<std::uint32_t>(
          b[k] = std::ldexp(static_cast<float>(random()) - 0x1p31F, -31)));
    }
    const Encoded d = dot(order, {&kFp32, x.data()}, {&kFp32, y.data()}, count, {}, kFp32);
    EXPECT_EQ(std::bit_cast<std::uint32_t>(by_registers(a, b)), d.bits) << count;
  }
}

// A sum that underflows to -0 is +0 where it is added to a cleared result, and -0 where it is not.
TEST(Dot, AClearedResultTakesTheSignOfZero) {
  constexpr Bits kTiny = 1, kMinusTiny = 0x80000001, kMinusZero = 0x80000000;
  const auto sum = [&](const char* name, const std::optional<Encoded>& c) {
    return dot(*parse_arithmetic(name), {&kFp32, &kTiny}, {&kFp32, &kMinusTiny}, 1, c, kFp32).bits;
  };
  EXPECT_EQ(kMinusZero, sum("fp32.sequential.fma", {}));
  EXPECT_EQ(0U, sum("fp32.sequential.fma.zero_last", {}));
  EXPECT_EQ(kMinusZero, sum("fp32.sequential.fma.zero_last", Encoded{&kFp32, kMinusZero}));
}

TEST(Dot, OperandsOfDifferentFormatsAndStrides) {
  // 1 * 2 + 3 * 4 with a in bf16, every second element, and b in fp16, traversed backwards.
  const std::vector<Bits> a{0x3f80, 0xffff, 0x4040};
  const std::vector<Bits> b{0x4400, 0x4000};
  for (const NamedArithmetic& row : all_arithmetics()) {
    if (row.arithmetic.unit != nullptr) continue;  // takes the formats of its row only
    const Encoded d = dot(row.arithmetic, {&kBf16, a.data(), 2}, {&kFp16, b.data() + 1, -1}, 2,
                          Encoded{&kFp32, 0x3f800000}, kFp32);
    const Bits fifteen = soft::Result(slow::from_int(*d.format, 15, kIeee)).bits;
    EXPECT_EQ(fifteen, d.bits) << row.name;
    EXPECT_EQ(d.format, &answer_format(row.arithmetic, kFp32));
  }
}

TEST(Dot, OrdersAndWidthsDiffer) {
  // 2048 + 1 + 1 - 2048 in fp16: each arithmetic loses something different.
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
    if (row.arithmetic.unit != nullptr) continue;
    const Encoded none = dot(row.arithmetic, {&kFp16, nullptr}, {&kFp16, nullptr}, 0, {}, kFp16);
    EXPECT_EQ(none.bits, 0U) << row.name;
    const Encoded some = dot(row.arithmetic, {&kFp16, nullptr}, {&kFp16, nullptr}, 0,
                             Encoded{&kFp16, 0xbc00}, kFp16);
    EXPECT_EQ(some.bits, slow::convert(kFp16, *some.format, 0xbc00, kIeee).bits) << row.name;
  }
}

}  // namespace
}  // namespace halfmark::models
