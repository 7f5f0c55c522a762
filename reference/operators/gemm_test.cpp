// SPDX-License-Identifier: Apache-2.0
// gemm against a twin that shares only the elementary operations with it: three naive loops that
// write the specification out, and rationals in 128-bit integers for the exact arithmetic.
#include "reference/operators/gemm.hpp"

#include <gtest/gtest.h>

#include <random>

#include "reference/soft/soft.hpp"

namespace halfmark::operators {
namespace {

using formats::Bits;
using formats::Format;
using formats::kBf16;
using formats::kFp16;
using formats::kFp32;
using formats::Tensor;
using models::Machine;

Tensor random_tensor(const Format& f, std::size_t count, std::mt19937_64& random,
                     bool every_encoding) {
  Tensor tensor = Tensor::zeros(f, count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t word = random();
    const Bits field = static_cast<Bits>(f.bias) - 4 + word % 8;
    const Bits ordinary = (field << f.fraction_bits) | (word >> 8 & f.fraction_mask()) |
                          ((word >> 63) != 0 ? f.sign_mask() : 0);
    tensor.set(i, every_encoding && word % 5 == 0 ? word >> 16 & f.mask() : ordinary);
  }
  return tensor;
}

// The specification, written out for one element.
Bits naive(const GemmProblem& p, const Tensor& a, const Tensor& b, const Tensor* c,
           const Format& acc_format, std::size_t item, std::size_t i, std::size_t j) {
  Bits acc = 0;
  for (std::size_t x = 0; x < p.k; ++x) {
    acc = soft::fma(*a.format, a.at(p.a_index(item, i, x)), b.at(p.b_index(item, x, j)), acc_format,
                    acc, {})
              .bits;
  }
  Bits value = soft::convert(acc_format, kFp32, acc).bits;
  if (p.alpha) {
    value = soft::mul(kFp32, *p.alpha, value).bits;
    if (*p.beta << 33 != 0) {
      const Bits addend = soft::convert(*c->format, kFp32, c->at(p.c_index(item, i, j))).bits;
      value = soft::fma(kFp32, *p.beta, addend, value).bits;
    }
  }
  return soft::convert(kFp32, *p.d_format, value).bits;
}

void expect_naive(const GemmProblem& p, const Format& operand, const Format& acc,
                  bool every_encoding) {
  std::mt19937_64 random(p.m * 1000003 + p.n * 1009 + p.k);
  const Tensor a = random_tensor(operand, p.a_count(), random, every_encoding);
  const Tensor b = random_tensor(operand, p.b_count(), random, every_encoding);
  const Tensor c = random_tensor(*p.d_format, p.c_count(), random, every_encoding);
  const Tensor d = gemm(p, a, b, p.alpha ? &c : nullptr, specified_arithmetic(acc), {});
  ASSERT_EQ(d.count(), p.d_count());
  for (std::size_t index = 0; index < d.count(); ++index) {
    const std::size_t row = index / p.n;
    EXPECT_EQ(d.at(index), naive(p, a, b, &c, acc, row / p.m, row % p.m, index % p.n))
        << "element " << index;
  }
}

TEST(Gemm, EqualsTheNaiveLoopsInEveryLayoutAndFormat) {
  for (const Format* operand : {&kFp16, &kBf16, &kFp32}) {
    for (const Format* output : {&kFp16, &kBf16, &kFp32}) {
      for (unsigned layout = 0; layout < 4; ++layout) {
        GemmProblem p{.m = 3, .n = 5, .k = 17, .batch = 2};
        p.transpose_a = (layout & 1) != 0;
        p.transpose_b = (layout & 2) != 0;
        p.d_format = output;
        expect_naive(p, *operand, kFp32, layout == 3);
        p.lda = p.a_columns() + 3;
        p.ldb = p.b_columns() + 2;
        p.ldc = p.n + 1;
        p.alpha = 0x3eaaaaab;
        p.beta = 0xbf333333;
        expect_naive(p, *operand, kFp32, layout == 3);
        p.beta = 0x80000000;
        expect_naive(p, *operand, kFp32, false);
      }
    }
  }
}

TEST(Gemm, NarrowAccumulator) {
  GemmProblem p{.m = 7, .n = 4, .k = 33};
  p.d_format = &kFp16;
  expect_naive(p, kFp16, kFp16, false);
  expect_naive(p, kFp16, kFp16, true);
  p.d_format = &kFp32;
  expect_naive(p, kFp16, kFp16, false);
}

TEST(Gemm, ThreadsDoNotShow) {
  GemmProblem p{.m = 65, .n = 33, .k = 257};
  p.d_format = &kFp32;
  expect_naive(p, kFp16, kFp32, false);
}

// Integers of at most 20 bits, scaled by powers of two: the exact sum fits in 128 bits, and the
// conversion from a 64-bit integer rounds once.
TEST(Gemm, ExactIsTheRoundedRational) {
  std::mt19937_64 random(7);
  GemmProblem p{.m = 8, .n = 8, .k = 50};
  for (const Format* output : {&kFp16, &kBf16, &kFp32}) {
    p.d_format = output;
    Tensor a = Tensor::zeros(kFp32, 400);
    Tensor b = Tensor::zeros(kFp32, 400);
    std::vector<std::int64_t> ia(400), ib(400);
    for (std::size_t i = 0; i < 400; ++i) {
      ia[i] = static_cast<std::int64_t>(random() % 0x1fffff) - 0xfffff;
      ib[i] = static_cast<std::int64_t>(random() % 0x1fffff) - 0xfffff;
      a.set(i, soft::ldexp(kFp32, soft::from_int(kFp32, ia[i]).bits, -30).bits);
      b.set(i, soft::ldexp(kFp32, soft::from_int(kFp32, ib[i]).bits, -10).bits);
    }
    const Tensor d = gemm(p, a, b, nullptr, models::Arithmetic{}, {});
    p.alpha = 0x40400000;  // 3
    p.beta = 0;
    const Tensor d3 = gemm(p, a, b, nullptr, models::Arithmetic{}, {});
    p.alpha = p.beta = std::nullopt;
    for (std::size_t i = 0; i < 8; ++i) {
      for (std::size_t j = 0; j < 8; ++j) {
        std::int64_t sum = 0;
        for (std::size_t x = 0; x < 50; ++x) sum += ia[i * 50 + x] * ib[x * 8 + j];
        // Rounding to odd first makes the second rounding harmless: 60 bits are far more than twice
        // any precision here.
        const auto rounded = [&](std::int64_t integer) {
          formats::Format wide{
              .name = "wide", .bits = 64, .exponent_bits = 11, .fraction_bits = 52, .bias = 1023};
          const auto down =
              soft::from_int(wide, integer, {.rounding = soft::Rounding::kTowardZero});
          Bits odd = down.bits | ((down.flags & soft::kInexact) != 0 ? 1u : 0u);
          odd = soft::ldexp(wide, odd, -40).bits;
          return soft::convert(wide, *output, odd).bits;
        };
        EXPECT_EQ(d.at(i * 8 + j), rounded(sum));
        EXPECT_EQ(d3.at(i * 8 + j), rounded(3 * sum));
      }
    }
  }
}

TEST(Gemm, InitialAccumulatorWithoutScalars) {
  GemmProblem p{.m = 1, .n = 1, .k = 1};
  p.d_format = &kFp32;
  const Tensor half_ulp = Tensor::from_bits(kFp16, std::array<Bits, 1>{0x3c00});
  const Tensor c = Tensor::from_bits(kFp32, std::array<Bits, 1>{0x4b800000});  // 2^24
  EXPECT_EQ(
      gemm(p, half_ulp, half_ulp, &c, *models::parse_arithmetic("fp32.sequential.fma"), {}).at(0),
      0x4b800000u);
  EXPECT_EQ(
      gemm(p, half_ulp, half_ulp, &c, *models::parse_arithmetic("fp16.sequential.fma"), {}).at(0),
      0x7f800000u);
}

// 1 + 2^-40, times alpha = 3, plus beta * c = 2^-50: none of it may pass through fp32.
TEST(Gemm, Fp64AccumulatorsAreScaledInFp64) {
  GemmProblem p{.m = 1, .n = 1, .k = 2};
  p.d_format = &formats::kFp64;
  const Tensor a = Tensor::from_bits(kFp32, std::array<Bits, 2>{0x3f800000, 0x35800000});
  const Tensor b = Tensor::from_bits(kFp32, std::array<Bits, 2>{0x3f800000, 0x35800000});
  EXPECT_EQ(gemm(p, a, b, nullptr, specified_arithmetic(formats::kFp64), {}).at(0),
            0x3ff0000000001000u);
  p.alpha = 0x40400000;
  p.beta = 0x3f800000;
  const Tensor c = Tensor::from_bits(kFp32, std::array<Bits, 1>{0x26800000});
  EXPECT_EQ(gemm(p, a, b, &c, specified_arithmetic(formats::kFp64), {}).at(0), 0x4008000000001802u);
}

TEST(Gemm, EmptySumIsPlusZeroAndBetaStillCounts) {
  GemmProblem p{.m = 2, .n = 1, .k = 0};
  p.d_format = &kFp16;
  const Tensor none = Tensor::zeros(kFp16, 0);
  EXPECT_EQ(gemm(p, none, none, nullptr, specified_arithmetic(kFp32), {}).to_bits(),
            (std::vector<Bits>{0, 0}));
  p.alpha = p.beta = 0x3f800000;
  const Tensor c = Tensor::from_bits(kFp16, std::array<Bits, 2>{0x3c00, 0xc000});
  EXPECT_EQ(gemm(p, none, none, &c, specified_arithmetic(kFp32), {}), c);
}

TEST(Gemm, MachineFlushesLoadsStoresAndSteps) {
  GemmProblem p{.m = 1, .n = 1, .k = 1};
  p.d_format = &kFp16;
  const Tensor subnormal = Tensor::from_bits(kFp16, std::array<Bits, 1>{0x0001});
  const Tensor one = Tensor::from_bits(kFp16, std::array<Bits, 1>{0x3c00});
  const Tensor thousand = Tensor::from_bits(kFp16, std::array<Bits, 1>{0x6400});  // 1024
  const auto fp32 = specified_arithmetic(kFp32);
  Machine in, out;
  in.convert.subnormals = soft::Subnormals::kFlushIn;
  out.convert.subnormals = soft::Subnormals::kFlushOut;
  EXPECT_EQ(gemm(p, subnormal, one, nullptr, fp32, {}).at(0), 1u);
  EXPECT_EQ(gemm(p, subnormal, one, nullptr, fp32, in).at(0), 0u);
  EXPECT_EQ(gemm(p, subnormal, one, nullptr, fp32, out).at(0), 0u);
  EXPECT_EQ(gemm(p, subnormal, thousand, nullptr, fp32, in).at(0), 0u);
  EXPECT_EQ(gemm(p, subnormal, thousand, nullptr, fp32, out).at(0), 0x0400u);
  Machine fma;
  fma.fma.subnormals = soft::Subnormals::kFlush;
  EXPECT_EQ(gemm(p, subnormal, one, nullptr, fp32, fma).at(0), 1u)
      << "an fp16 subnormal is normal in fp32";
  EXPECT_EQ(gemm(p, subnormal, one, nullptr, specified_arithmetic(kFp16), fma).at(0), 0u);
}

TEST(Gemm, RefusesWrongCounts) {
  GemmProblem p{.m = 2, .n = 2, .k = 2};
  p.d_format = &kFp16;
  const Tensor four = Tensor::zeros(kFp16, 4);
  const Tensor three = Tensor::zeros(kFp16, 3);
  const auto arithmetic = specified_arithmetic(kFp32);
  EXPECT_THROW(static_cast<void>(gemm(p, three, four, nullptr, arithmetic, {})),
               std::invalid_argument);
  EXPECT_THROW(static_cast<void>(gemm(p, four, three, nullptr, arithmetic, {})),
               std::invalid_argument);
  p.alpha = p.beta = 0x3f800000;
  EXPECT_THROW(static_cast<void>(gemm(p, four, four, nullptr, arithmetic, {})),
               std::invalid_argument);
}

}  // namespace
}  // namespace halfmark::operators
