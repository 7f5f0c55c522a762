// SPDX-License-Identifier: Apache-2.0
// Libraries that round their running sum to a narrow format after every few products, swap
// neighbours along k, skip blocks of zeros or read infinities as numbers, computed here with the
// machine's arithmetic: the diagnosis must name the mistake from the bits.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "reference/fast/floating_point.hpp"
#include "suites/core/bounds/interval.hpp"
#include "suites/core/testing/suite_checks.hpp"
#include "suites/gemm/suite.hpp"

namespace halfmark::suites::gemm {
namespace {

constexpr std::size_t kM = 9, kN = 17, kK = 66;

Case with_fill(std::string_view fill) {
  return parse_case(
      "gemm", suite().axes,
      fmt::format("gemm.fp16.acc-fp32.out-fp16.library.nn.m9n17k66.plain.{}.s7", fill));
}

std::string told_of(const Prepared& prepared, const TensorSet& actual) {
  const auto found = diagnose(*prepared.problem, prepared.inputs, prepared.allowance(), actual);
  return found.empty() || found[0].contradicted > 0 ? "" : found[0].finding_class;
}

std::string class_of(const formats::Format* narrow, std::size_t every, std::size_t apart = 0) {
  const Case c = with_fill("normal");
  const Prepared prepared(suite(), c);
  TensorSet actual = prepared.expected.middle;
  {
    const fast::FloatingPointScope scope;
    const auto value = [&](const char* name, std::size_t i) {
      return value_of(formats::kFp16, prepared.inputs.at(name).at(i));
    };
    for (std::size_t i = 0; i < kM * kN; ++i) {
      double sum = 0;
      for (std::size_t x = 0; x < kK; ++x) {
        const std::size_t other = (x ^ apart) < kK && i / kN % 3 == 1 ? x ^ apart : x;
        sum = single(sum + value("a", i / kN * kK + other) * value("b", x * kN + i % kN));
        if ((x + 1) % every == 0) sum = through(narrow, sum);
      }
      actual.at("d").set(i, nearest(formats::kFp16, sum));
    }
  }
  return told_of(prepared, actual);
}

// Steps of a half sum that are fused in fp32 and rounded again: how a driver emulates a missing fma
// instruction. Few results reveal it.
TEST(GemmSlips, HalfStepsThatAreRoundedTwiceAreNamed) {
  const Case c = parse_case("gemm", suite().axes,
                            "gemm.fp16.acc-fp16.out-fp16.portable.nt.m33n65k129.plain.tiny.s1");
  const Prepared prepared(suite(), c);
  TensorSet actual = prepared.expected.middle;
  {
    const fast::FloatingPointScope scope;
    const auto value = [&](const char* name, std::size_t i) {
      return value_of(formats::kFp16, prepared.inputs.at(name).at(i));
    };
    for (std::size_t i = 0; i < 33 * 65; ++i) {
      double sum = 0;  // holds products and sums of fp16 numbers exactly
      for (std::size_t x = 0; x < 129; ++x) {
        const double step = value("a", i / 65 * 129 + x) * value("b", i % 65 * 129 + x);
        sum = value_of(formats::kFp16, nearest(formats::kFp16, single(sum + step)));
      }
      actual.at("d").set(i, nearest(formats::kFp16, sum));
    }
  }
  EXPECT_LT(0u, compare(prepared.allowance(), actual).mismatches);
  EXPECT_EQ("double_round", told_of(prepared, actual));
}

// Exact sums that are rounded twice, or whose terms from `tail` on count twice.
std::string told_of_exact(std::string_view fill, const formats::Format* narrow, std::size_t tail) {
  const Case c = with_fill(fill);
  const Prepared prepared(suite(), c);
  TensorSet actual = prepared.expected.middle;
  const auto value = [&](const char* name, std::size_t i) {
    return value_of(formats::kFp16, prepared.inputs.at(name).at(i));
  };
  for (std::size_t i = 0; i < kM * kN; ++i) {
    double sum = 0;
    for (std::size_t x = 0; x < kK; ++x)
      sum += (x < tail ? 1 : 2) * value("a", i / kN * kK + x) * value("b", x * kN + i % kN);
    actual.at("d").set(i, nearest(formats::kFp16, through(narrow, sum)));
  }
  return told_of(prepared, actual);
}

TEST(GemmSlips, SumsThatAreRoundedOnce) {
  EXPECT_EQ("", told_of_exact("wide", nullptr, kK)) << "the formula";
  EXPECT_EQ("early_round", told_of_exact("wide", &formats::kBf16, kK));
}

TEST(GemmSlips, TailsThatCountTwice) {
  for (const std::size_t block : {20u, 48u})
    EXPECT_EQ("edge_tile", told_of_exact("integer", nullptr, kK / block * block)) << block;
}

// C is read along its columns.
TEST(GemmSlips, CTransposed) {
  const Case c = parse_case("gemm", suite().axes,
                            "gemm.fp16.acc-fp32.out-fp16.library.nn.m24n24k21.ac.integer.s7");
  const Prepared prepared(suite(), c);
  TensorSet inputs = prepared.inputs;
  constexpr std::size_t kSide = 24;
  for (std::size_t i = 0; i < kSide * kSide; ++i)
    inputs.at("c").set(i, prepared.inputs.at("c").at(i % kSide * kSide + i / kSide));
  EXPECT_EQ("layout", told_of(prepared, suite().bind(c)->expect(inputs).middle));
}

// Rows of A are read from the next lower multiple of 16 bytes.
TEST(GemmSlips, RowsFromAlignedAddresses) {
  const Case c = with_fill("integer");
  const Prepared prepared(suite(), c);
  TensorSet inputs = prepared.inputs;
  for (std::size_t i = 0; i < kM * kK; ++i)
    inputs.at("a").set(i, prepared.inputs.at("a").at(i / kK * kK / 8 * 8 + i % kK));
  EXPECT_EQ("align", told_of(prepared, suite().bind(c)->expect(inputs).middle));
}

// Whole numbers with NaN and infinities, decoded by `number`; blocks of A that are zero throughout
// are skipped.
std::string told_of_specials(std::size_t block, double (*number)(formats::Bits)) {
  const Case c = with_fill("nonfinite");
  const Prepared prepared(suite(), c);
  TensorSet actual = prepared.expected.middle;
  const auto at = [&](const char* name, std::size_t i) {
    return number(prepared.inputs.at(name).at(i));
  };
  for (std::size_t i = 0; i < kM * kN; ++i) {
    double sum = 0;
    for (std::size_t from = 0; from < kK; from += block) {
      const std::size_t end = std::min(from + block, kK);
      double size = 0;
      for (std::size_t x = from; x < end; ++x) size += std::abs(at("a", i / kN * kK + x));
      if (size == 0 && block > 1) continue;
      for (std::size_t x = from; x < end; ++x)
        sum += at("a", i / kN * kK + x) * at("b", x * kN + i % kN);
    }
    actual.at("d").set(i, nearest(formats::kFp16, sum));
  }
  return told_of(prepared, actual);
}

double as_it_is(formats::Bits x) { return value_of(formats::kFp16, x); }

double without_infinities(formats::Bits x) {
  if ((x & 0x7c00) != 0x7c00) return as_it_is(x);
  return std::ldexp((x & 0x8000) != 0 ? -1.0 : 1.0, 16) *
         (1 + static_cast<double>(x & 0x3ff) / 1024);
}

// tanh cut to that many bits behind the binary point of its result; 0: in double. `rounds_first`:
// the sum, to fp16, before the bias is added.
std::string name_of_gelu(int digits, bool rounds_first = false, bool has_bias = true) {
  const Case c = parse_case("gemm", suite().axes,
                            fmt::format("gemm.fp16.acc-fp32.out-fp16.library2.nt.m33n17k40.{}."
                                        "uniform.s7",
                                        has_bias ? "biasgelutanh" : "gelutanh"));
  const Prepared prepared(suite(), c);
  TensorSet actual = prepared.expected.middle;
  const auto value = [&](const char* name, std::size_t i) {
    return value_of(formats::kFp16, prepared.inputs.at(name).at(i));
  };
  for (std::size_t i = 0; i < 33 * 17; ++i) {
    double x = 0;
    for (std::size_t k = 0; k < 40; ++k)
      x += value("a", i / 17 * 40 + k) * value("b", i % 17 * 40 + k);
    if (rounds_first) x = through(&formats::kFp16, x);
    if (has_bias) x += value("bias", i % 17);
    double t = std::tanh(0.7978845608028654 * (x + 0.044715 * x * x * x));
    if (digits > 0) t = std::ldexp(std::round(std::ldexp(t, digits)), -digits);
    actual.at("d").set(i, nearest(formats::kFp16, 0.5 * x * (1 + t)));
  }
  const auto found = diagnose(*prepared.problem, prepared.inputs, prepared.allowance(), actual);
  return found.empty() || found[0].contradicted > 0 ? "" : found[0].hypothesis;
}

TEST(GemmSlips, FastTanh) {
  EXPECT_EQ("", name_of_gelu(0));
  EXPECT_EQ("gelu_tanh-by-fast-tanh", name_of_gelu(12));
  EXPECT_NE("gelu_tanh-by-fast-tanh", name_of_gelu(8));
}

// As a library seems to have it (reports/published has the card).
TEST(GemmSlips, GeluOfRoundedSums) {
  EXPECT_EQ("rounded-before-bias-and-gelu_tanh", name_of_gelu(20, true));
  EXPECT_NE("rounded-before-bias-and-gelu_tanh", name_of_gelu(12, true));
  EXPECT_EQ("rounded-before-bias-and-gelu_tanh-by-fast-tanh", name_of_gelu(18, true));
  EXPECT_NE("rounded-before-bias-and-gelu_tanh-by-fast-tanh", name_of_gelu(8, true));
}

TEST(GemmSlips, GeluOfRoundedSumsWithoutABias) {
  EXPECT_EQ("rounded-before-gelu_tanh-by-fast-tanh", name_of_gelu(18, true, false));
  EXPECT_EQ("", name_of_gelu(0, false, false));
}

// Whoever promises nothing of its sums may round them; what a mistake takes decides that.
TEST(GemmSlips, RoundedSumsTakeTheFreedomOfProducts) {
  std::size_t seen = 0;
  for (const char* end : {"ab.normal", "bias.normal", "biasgelutanh.uniform", "gelutanh.uniform"}) {
    const Case c =
        parse_case("gemm", suite().axes,
                   fmt::format("gemm.bf16.acc-fp32.out-bf16.library2.nt.m33n17k40.{}.s7", end));
    for (const Hypothesis& h : suite().bind(c)->mistakes()) {
      if (!h.name.starts_with("rounded-before-") && !h.name.starts_with("rounded-behind-"))
        continue;
      EXPECT_EQ(1, std::ranges::count(h.freedoms, "internal_precision")) << h.name;
      ++seen;
    }
  }
  EXPECT_LE(10U, seen);
}

TEST(GemmSlips, StepsInFp32AreNotAccused) { EXPECT_EQ("", class_of(nullptr, 8)); }

TEST(GemmSlips, RoundingsBehindSomeProductsEach) {
  for (const std::size_t every : {8u, 24u})
    EXPECT_EQ("acc_narrow", class_of(&formats::kBf16, every));
  EXPECT_EQ("acc_narrow", class_of(&formats::kFp16, 32));
}

TEST(GemmSlips, NeighboursAlongKThatSomeRowsExchange) {
  EXPECT_EQ("layout", class_of(nullptr, 8, 1));
  EXPECT_EQ("layout", class_of(nullptr, 8, 4));
}

TEST(GemmSlips, BlocksOfZerosLeftOut) {
  EXPECT_EQ("", told_of_specials(1, as_it_is)) << "the formula";
  for (const std::size_t block : {8u, 16u, 32u})
    EXPECT_EQ("nan_dropped", told_of_specials(block, as_it_is)) << block;
}

TEST(GemmSlips, NumbersInThePlaceOfInfinities) {
  EXPECT_EQ("decode", told_of_specials(1, without_infinities));
}

}  // namespace
}  // namespace halfmark::suites::gemm
