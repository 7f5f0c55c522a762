// SPDX-License-Identifier: Apache-2.0
// gemm on matrix units: which elements and scales meet in one output, and how a unit's result
// becomes D. The tests in models/ check what a unit computes.
#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "reference/formats/classify.hpp"
#include "reference/operators/gemm.hpp"
#include "reference/slow/operands.hpp"
#include "reference/soft/soft.hpp"

namespace halfmark::operators {
namespace {

using formats::Bits;
using formats::Format;
using formats::kFp16;
using formats::kFp32;
using formats::Tensor;
using models::Arithmetic;
using models::Unit;

Tensor random_tensor(const Format& f, std::size_t count, slow::Operands& operands) {
  Tensor tensor = Tensor::zeros(f, count);
  for (std::size_t i = 0; i < count; ++i) {
    const Bits near_one = (static_cast<Bits>(f.bias) << f.fraction_bits) ^ (operands.word() & 15);
    tensor.set(i, (near_one | (operands.word() & f.sign_mask())) & f.mask());
  }
  return tensor;
}

// Dense rows of A, columns of B and their scales, gathered only by index formulas.
Bits one_output(const GemmProblem& p, const Unit& unit, const Tensor& a, const Tensor& b,
                const Tensor& c, std::size_t item, std::size_t i, std::size_t j) {
  std::vector<Bits> row, column, row_scales, column_scales;
  for (std::size_t x = 0; x < p.k; ++x) {
    row.push_back(a.at(p.a_index(item, i, x)));
    column.push_back(b.at(p.b_index(item, x, j)));
  }
  const models::Encoded addend{c.format, c.at(p.c_index(item, i, j))};
  if (unit.scale == nullptr) {
    return unit_dot(unit, {a.format, row.data()}, {b.format, column.data()}, p.k, addend).bits;
  }
  const auto block = static_cast<std::size_t>(unit.scale_block);
  const std::size_t blocks = (p.k + block - 1) / block;
  for (std::size_t x = 0; x < blocks; ++x) {
    row_scales.push_back(p.a_scales->at((item * p.m + i) * blocks + x));
    column_scales.push_back(p.b_scales->at((item * blocks + x) * p.n + j));
  }
  const models::Scales scales{{unit.scale, row_scales.data()}, {unit.scale, column_scales.data()}};
  return unit_dot(unit, {a.format, row.data()}, {b.format, column.data()}, p.k, addend, &scales)
      .bits;
}

TEST(GemmUnit, GathersRowsColumnsAndScalesInEveryLayout) {
  slow::Operands operands(1);
  for (const Unit& unit : models::all_units()) {
    for (unsigned layout = 0; layout < 4; ++layout) {
      GemmProblem p{.m = 2, .n = 3, .k = 70, .batch = 2};
      p.transpose_a = (layout & 1) != 0;
      p.transpose_b = (layout & 2) != 0;
      p.lda = p.a_columns() + 1;
      p.ldc = 4;
      p.d_format = unit.output;
      const Tensor a = random_tensor(*unit.a[0], p.a_count(), operands);
      const Tensor b = random_tensor(*unit.b.back(), p.b_count(), operands);
      const Tensor c = random_tensor(*unit.output, p.c_count(), operands);
      Tensor a_scales, b_scales;
      if (unit.scale != nullptr) {
        const std::size_t blocks = (p.k - 1) / static_cast<std::size_t>(unit.scale_block) + 1;
        a_scales = random_tensor(*unit.scale, p.batch * p.m * blocks, operands);
        b_scales = random_tensor(*unit.scale, p.batch * blocks * p.n, operands);
        p.a_scales = &a_scales;
        p.b_scales = &b_scales;
      }
      const Tensor d = gemm(p, a, b, &c, {.unit = &unit}, {});
      for (std::size_t index = 0; index < d.count(); ++index) {
        const std::size_t row = index / p.n;
        ASSERT_EQ(one_output(p, unit, a, b, c, row / p.m, row % p.m, index % p.n), d.at(index))
            << unit.name << " layout " << layout << " element " << index;
      }
    }
  }
}

Tensor single(const Format& f, Bits bits) { return Tensor::from_bits(f, {{bits}}); }

Bits product(const GemmProblem& p, const Tensor& a, const Tensor& b, const char* unit,
             const Tensor* c = nullptr) {
  return gemm(p, a, b, c, *models::parse_arithmetic(unit), {}).at(0);
}

TEST(GemmUnit, ANanWordReachesDInTheUnitsFormatOnly) {
  GemmProblem p{.m = 1, .n = 1, .k = 1};
  const Tensor nan = single(kFp16, 0x7e01);
  const Tensor unity = single(kFp16, 0x3c00);
  p.d_format = &kFp32;
  EXPECT_EQ(0x7fffffffU, product(p, nan, unity, "unit.volta.mma.fp16.fp32"));
  EXPECT_EQ(0x7fc00000U, product(p, nan, unity, "unit.volta.mma.fp16.fp16"));
  p.d_format = &kFp16;
  EXPECT_EQ(0x7fffU, product(p, nan, unity, "unit.volta.mma.fp16.fp16"));
  EXPECT_EQ(0x7e00U, product(p, nan, unity, "unit.volta.mma.fp16.fp32"));
}

TEST(GemmUnit, ResultsAreConvertedOnceAndScaledInFp32) {
  GemmProblem p{.m = 1, .n = 1, .k = 1};
  p.d_format = &kFp16;
  const Tensor c = single(kFp32, 0x45001000);  // 2049: a tie in fp16
  const Tensor a = single(kFp16, 0x0001);      // and 2^-24 more, lost in the unit
  const Tensor b = single(kFp16, 0x3c00);
  EXPECT_EQ(0x6800U, product(p, a, b, "unit.hopper.mma.fp16.fp32", &c));
  // alpha * d + beta * c with the unit's d from +0: 2 * 1 + 1 * 2049.
  p.alpha = 0x40000000;
  p.beta = 0x3f800000;
  p.d_format = &kFp32;
  EXPECT_EQ(0x45003000U, product(p, b, b, "unit.hopper.mma.fp16.fp32", &c));
}

TEST(GemmUnit, RefusesWhatTheUnitDoesNotTakeBeforeItStarts) {
  GemmProblem p{.m = 1, .n = 1, .k = 1};
  p.d_format = &kFp32;
  const Tensor x = single(kFp16, 0x3c00);
  const Tensor scales = single(formats::kE8m0, 0x7f);
  EXPECT_THROW((void)product(p, x, x, "unit.ampere.mma.bf16.fp32"), std::invalid_argument);
  EXPECT_THROW((void)product(p, x, x, "unit.blackwell.tcgen05.mxfp8.fp32"), std::invalid_argument);
  p.a_scales = p.b_scales = &scales;
  EXPECT_THROW((void)product(p, x, x, "unit.ampere.mma.fp16.fp32"), std::invalid_argument);
  EXPECT_THROW((void)product(p, x, x, "fp32.sequential.fma"), std::invalid_argument);
  const Tensor e4m3 = single(formats::kE4m3fn, 0x38);
  EXPECT_EQ(0x3f800000U, product(p, e4m3, e4m3, "unit.blackwell.tcgen05.mxfp8.fp32"));
  const Tensor two = Tensor::from_bits(formats::kE8m0, {{0x7f, 0x7f}});
  p.a_scales = &two;
  EXPECT_THROW((void)product(p, e4m3, e4m3, "unit.blackwell.tcgen05.mxfp8.fp32"),
               std::invalid_argument);
}

}  // namespace
}  // namespace halfmark::operators
