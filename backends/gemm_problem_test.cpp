// SPDX-License-Identifier: Apache-2.0
//
// The mapping of strided tensors to column-major matrices: the problem, solved as a BLAS would read
// it, must equal the product that the strides describe.
#include "backends/gemm_problem.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

namespace halfmark::backends {
namespace {

// A buffer of doubles.
class Memory final : public DriverBuffer {
 public:
  explicit Memory(std::size_t count) : numbers(count) {}
  void write(std::uint64_t offset, std::span<const std::byte> source) override {
    std::memcpy(reinterpret_cast<std::byte*>(numbers.data()) + offset, source.data(),
                source.size());
  }
  void read(std::uint64_t offset, std::span<std::byte> target) override {
    std::memcpy(target.data(), reinterpret_cast<const std::byte*>(numbers.data()) + offset,
                target.size());
  }
  std::vector<double> numbers;
};

struct Shape {
  std::int64_t m = 5, n = 3, k = 4, batch = 2;
};

constexpr std::int64_t kGap = 2;  // unused elements after each row or column, and before the first

// A matrix of rows x columns, with contiguous rows or contiguous columns, and gaps everywhere.
struct Placed {
  Memory memory;
  DriverTensorView view;

  Placed(std::string role, std::int64_t rows, std::int64_t columns, std::int64_t batch,
         bool by_column)
      : memory(static_cast<std::size_t>(1000)) {
    const std::int64_t ld = (by_column ? rows : columns) + kGap;
    const std::int64_t step = ld * (by_column ? columns : rows) + kGap;
    view = {.role = std::move(role),
            .buffer = &memory,
            .offset_bytes = kGap * sizeof(double),
            .format = "fp64",
            .sizes = {batch, rows, columns},
            .strides = {step, by_column ? 1 : ld, by_column ? ld : 1}};
  }
  void fill(unsigned seed) {
    std::mt19937 random(seed);
    for (double& number : memory.numbers) number = static_cast<double>(random() % 17) - 8;
  }
  [[nodiscard]] std::size_t index(std::int64_t batch, std::int64_t row, std::int64_t column) const {
    return static_cast<std::size_t>(kGap + batch * view.strides[0] + row * view.strides[1] +
                                    column * view.strides[2]);
  }
  [[nodiscard]] double at(std::int64_t batch, std::int64_t row, std::int64_t column) const {
    return memory.numbers[index(batch, row, column)];
  }
};

double element(const GemmOperand& operand, std::int64_t batch, std::int64_t row,
               std::int64_t column) {
  if (operand.is_transposed) std::swap(row, column);
  const auto& numbers = static_cast<Memory*>(operand.buffer)->numbers;
  return numbers[operand.offset_bytes / sizeof(double) +
                 static_cast<std::size_t>(batch * operand.batch_stride + row +
                                          column * operand.leading_dimension)];
}

// Solves it like a BLAS that reads c from the memory of d.
void solve(const GemmProblem& problem) {
  copy_c_into_d(problem);
  auto& out = static_cast<Memory*>(problem.d.buffer)->numbers;
  for (std::int64_t i = 0; i < problem.batch; ++i) {
    for (std::int64_t row = 0; row < problem.rows; ++row) {
      for (std::int64_t column = 0; column < problem.columns; ++column) {
        double sum = 0;
        for (std::int64_t l = 0; l < problem.depth; ++l)
          sum += element(problem.first, i, row, l) * element(problem.second, i, l, column);
        double& target = out[problem.d.offset_bytes / sizeof(double) +
                             static_cast<std::size_t>(i * problem.d.batch_stride + row +
                                                      column * problem.d.leading_dimension)];
        target = problem.alpha * sum + (problem.beta == 0 ? 0 : problem.beta * target);
      }
    }
  }
}

struct Layout {
  bool a, b, c, d;  // whether the columns are contiguous
};

void check(const Shape& s, const Layout& columns, double beta) {
  Placed a("a", s.m, s.k, s.batch, columns.a);
  Placed b("b", s.k, s.n, s.batch, columns.b);
  Placed c("c", s.m, s.n, s.batch, columns.c);
  Placed d("d", s.m, s.n, s.batch, columns.d);
  a.fill(1);
  b.fill(2);
  c.fill(3);
  d.fill(4);
  std::vector<double> expected = d.memory.numbers;
  for (std::int64_t i = 0; i < s.batch; ++i) {
    for (std::int64_t row = 0; row < s.m; ++row) {
      for (std::int64_t column = 0; column < s.n; ++column) {
        double sum = 0;
        for (std::int64_t l = 0; l < s.k; ++l) sum += a.at(i, row, l) * b.at(i, l, column);
        expected[d.index(i, row, column)] = 3 * sum + beta * c.at(i, row, column);
      }
    }
  }
  DriverOperatorCall call{"some", "gemm", "fp64", {a.view, b.view, d.view}, {}, {}};
  call.scalars = {{"alpha", 3}, {"beta", beta}};
  if (beta != 0) call.tensors.push_back(c.view);
  solve(gemm_problem(call));
  EXPECT_EQ(expected, d.memory.numbers);  // including the gaps
}

DriverOperatorCall small_call(Placed& a, Placed& b, Placed& d) {
  return {"some", "gemm", "fp64", {a.view, b.view, d.view}, {}, {}};
}

TEST(GemmProblem, EveryLayoutGivesTheProduct) {
  const bool both[] = {false, true};
  for (const bool a : both) {
    for (const bool b : both) {
      for (const bool d : both) {
        SCOPED_TRACE(testing::Message() << a << b << d);
        for (const Shape& shape : {Shape{}, Shape{.m = 1}, Shape{.n = 1}, Shape{.k = 1},
                                   Shape{.m = 1, .n = 1}, Shape{.batch = 1}, Shape{.k = 0}}) {
          check(shape, {a, b, d, d}, 0);
          check(shape, {a, b, d, d}, 2);
        }
      }
    }
  }
}

// A product of no terms is beta * c: the rows of a, and those of b, have any distance.
TEST(GemmProblem, MatricesWithoutElementsHaveALayout) {
  Memory memory(1000);
  const auto view = [&](const char* role, std::int64_t rows, std::int64_t columns) {
    return DriverTensorView{.role = role,
                            .buffer = &memory,
                            .offset_bytes = 0,
                            .format = "fp64",
                            .sizes = {rows, columns},
                            .strides = {columns, 1}};
  };
  DriverOperatorCall call;
  call.name = "gemm";
  call.tensors = {view("a", 5, 0), view("b", 0, 7), view("c", 5, 7), view("d", 5, 7)};
  call.scalars = {{"alpha", 1}, {"beta", -2}};
  const GemmProblem problem = gemm_problem(call);
  EXPECT_EQ(0, problem.depth);
  EXPECT_GE(problem.first.leading_dimension, problem.rows);  // what a BLAS requires
  EXPECT_GE(problem.second.leading_dimension, 1);
  EXPECT_EQ(7, problem.d.leading_dimension);
}

TEST(GemmProblem, AMatrixOfAllProblemsHasNoBatchStride) {
  Placed a("a", 2, 3, 4, false);
  Placed b("b", 3, 2, 1, false);
  Placed d("d", 2, 2, 4, false);
  DriverOperatorCall call = small_call(a, b, d);
  call.tensors[1].sizes = {3, 2};
  call.tensors[1].strides = {4, 1};
  const GemmProblem problem = gemm_problem(call);
  EXPECT_EQ(4, problem.batch);
  EXPECT_TRUE(problem.is_swapped);
  EXPECT_EQ(0, problem.first.batch_stride);
  EXPECT_EQ(a.view.strides[0], problem.second.batch_stride);
}

TEST(GemmProblem, WhatNoBlasCanBeToldIsNotOffered) {
  Placed a("a", 2, 3, 1, false);
  Placed b("b", 3, 2, 1, false);
  Placed d("d", 2, 2, 1, false);
  DriverOperatorCall call = small_call(a, b, d);
  call.tensors[0].strides = {10, 20, 2};
  EXPECT_THROW((void)gemm_problem(call), NotOffered);  // neither rows nor columns are contiguous
  call = small_call(a, b, d);
  call.tensors[0].strides = {10, 1, 1};
  EXPECT_THROW((void)gemm_problem(call), NotOffered);  // overlapping rows
  call = small_call(a, b, d);
  call.options = {{"window", "7"}};
  EXPECT_THROW((void)gemm_problem(call), NotOffered);
  EXPECT_THROW((void)narrow(std::int64_t{1} << 31), NotOffered);
}

TEST(GemmProblem, WhatMeansNothingIsAnError) {
  Placed a("a", 2, 3, 1, false);
  Placed b("b", 3, 2, 1, false);
  Placed d("d", 2, 2, 1, false);
  DriverOperatorCall call = small_call(a, b, d);
  call.tensors.pop_back();
  EXPECT_THROW((void)gemm_problem(call), BackendError);  // no d
  call = small_call(a, b, d);
  call.tensors[1].sizes[1] = 4;
  EXPECT_THROW((void)gemm_problem(call), BackendError);
  call = small_call(a, b, d);
  call.scalars = {{"beta", 1}};
  EXPECT_THROW((void)gemm_problem(call), BackendError);  // no c
}

// What every backend's matrix instructions take of a call.
TEST(UnitOperands, AreMatricesOfWholeElements) {
  Placed a("a", 2, 3, 2, false);
  Placed b("b", 3, 2, 1, false);
  Placed d("d", 2, 2, 1, false);
  DriverOperatorCall call = small_call(a, b, d);
  const UnitMatrix found = unit_matrix(call, "a", "fp64");
  EXPECT_EQ(&a.memory, found.buffer);
  EXPECT_EQ(kGap * sizeof(double), found.offset_bytes);
  EXPECT_EQ(2, found.batch);
  EXPECT_EQ(3, found.columns);
  EXPECT_EQ(a.view.strides[0], found.batch_step);
  call.tensors[0].sizes = {2, 3};
  call.tensors[0].strides = {5, 1};
  EXPECT_EQ(1, unit_matrix(call, "a", "fp64").batch);
  EXPECT_EQ(5, unit_matrix(call, "a", "fp64").row_step);
  EXPECT_THROW((void)unit_matrix(call, "a", "fp32"), NotOffered);
  EXPECT_THROW((void)unit_matrix(call, "c", "fp64"), NotOffered);  // there is none
  call.tensors[0].offset_bytes = 4;
  EXPECT_THROW((void)unit_matrix(call, "a", "fp64"), NotOffered);
  call.tensors[0].sizes = {6};
  call.tensors[0].offset_bytes = 0;
  EXPECT_THROW((void)unit_matrix(call, "a", "fp64"), NotOffered);
}

TEST(UnitOperands, ComeWithNoOptionButTheShape) {
  Placed a("a", 2, 3, 1, false);
  DriverOperatorCall call = small_call(a, a, a);
  EXPECT_EQ("", unit_shape(call));
  call.options = {{"shape", "m16n8k16"}};
  EXPECT_EQ("m16n8k16", unit_shape(call));
  call.options.push_back({"activation", "relu"});
  EXPECT_THROW((void)unit_shape(call), NotOffered);
}

std::uint64_t encoded(double value, std::string_view format) {
  std::uint64_t bits = 0;
  const auto bytes = scalar_bytes(value, format);
  std::memcpy(&bits, bytes.data(), bytes.size());
  return bits;
}

TEST(GemmProblem, ScalarsKeepTheirValue) {
  EXPECT_EQ(0x3c00u, encoded(1, "fp16"));
  EXPECT_EQ(0xc180u, encoded(-2.75, "fp16"));
  EXPECT_EQ(0x7bffu, encoded(65504, "fp16"));
  EXPECT_EQ(0x0001u, encoded(0x1p-24, "fp16"));
  EXPECT_EQ(0x8000u, encoded(-0.0, "fp16"));
  EXPECT_EQ(0x40200000u, encoded(2.5, "fp32"));
  EXPECT_EQ(0x3fb999999999999au, encoded(0.1, "fp64"));
  EXPECT_THROW((void)encoded(0.1, "fp16"), BackendError);
  EXPECT_THROW((void)encoded(65536, "fp16"), BackendError);
  EXPECT_THROW((void)encoded(0x1p-25, "fp16"), BackendError);
  EXPECT_THROW((void)encoded(0.1, "fp32"), BackendError);
}

}  // namespace
}  // namespace halfmark::backends
