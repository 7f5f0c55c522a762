// SPDX-License-Identifier: Apache-2.0
//
// A call of the operator gemm in the form that BLAS libraries take: column-major matrices, an
// operation per operand, leading dimensions. Decides the mapping once for every library; calls
// none. A result with contiguous rows is computed as its transpose, d' = b' a', so that a library
// sees only column-major matrices.
//
// Assumption: views lie inside their buffers, and strides are not negative.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "backends/driver.hpp"

namespace halfmark::backends {

// Thrown inside an adapter for a call that its library does not offer. The text is the library's
// own answer, or says what its interface cannot express. run() turns it into an outcome.
struct NotOffered : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Throws NotOffered for what single instructions of matrix units cannot do: another operator, other
// operands than a, b, c and d, an alpha, or a beta other than 0 and 1.
void refuse_what_units_lack(const DriverOperatorCall& call);

// An operand of such an instruction: a matrix, or one for each problem of a batch.
struct UnitMatrix {
  DriverBuffer* buffer = nullptr;
  std::uint64_t offset_bytes = 0;
  std::int64_t batch = 1, rows = 0, columns = 0;
  std::int64_t batch_step = 0, row_step = 0, column_step = 0;  // in elements
};

// Throws NotOffered if the call has no such operand.
[[nodiscard]] const DriverTensorView& unit_operand(const DriverOperatorCall& call,
                                                   std::string_view role);
// Throws NotOffered if that is no matrix of whole elements of the instruction's format.
[[nodiscard]] UnitMatrix unit_matrix(const DriverOperatorCall& call, std::string_view role,
                                     std::string_view format);
// The shape of the instruction that the call asks for, "m16n8k16"; empty: any. Throws NotOffered
// for any other option.
[[nodiscard]] std::string unit_shape(const DriverOperatorCall& call);

// One operand of the column-major problem.
struct GemmOperand {
  DriverBuffer* buffer = nullptr;
  std::uint64_t offset_bytes = 0;
  std::string format;
  bool is_transposed = false;
  std::int64_t leading_dimension = 0;
  std::int64_t batch_stride = 0;  // in elements; 0: the same matrix in every problem of the batch
};

// d = alpha * first * second + beta * c, where d has `rows` x `columns` elements.
struct GemmProblem {
  std::int64_t rows = 0, columns = 0, depth = 0, batch = 1;
  GemmOperand first, second, c, d;  // c equals d when the call has no c
  bool has_c = false;
  bool is_swapped = false;  // d is transposed: `first` is the call's b and `second` its a
  const DriverTensorView* bias = nullptr;  // one element per column of the call's d
  double alpha = 1, beta = 0;
  std::string_view activation;  // empty: none
};

// Throws BackendError for a meaningless call, and NotOffered for a layout that no BLAS can express.
[[nodiscard]] GemmProblem gemm_problem(const DriverOperatorCall& call);

// For libraries that read c from the memory of d: copies the elements of c there, and nothing else.
void copy_c_into_d(const GemmProblem& problem);

// For libraries with 32-bit sizes; throws NotOffered for a size that does not fit.
[[nodiscard]] int narrow(std::int64_t size);

// The bytes of a scalar in the type in which a library takes it ("fp16", "fp32", "fp64"), in memory
// order. Throws BackendError when the type cannot represent the value.
[[nodiscard]] std::array<std::byte, 8> scalar_bytes(double value, std::string_view format);

[[nodiscard]] std::uint64_t element_bytes(std::string_view format);

}  // namespace halfmark::backends
