// SPDX-License-Identifier: Apache-2.0
//
// A call of the operator gemm as BLAS libraries take one: column-major matrices, an operation per
// operand, leading dimensions. Decides the mapping, once for every library; calls none.
//
// Decided here: a result whose rows lie together is computed as its transpose, d' = b' a', so that
// a library is told of column-major matrices alone.
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

// Thrown inside an adapter for what its library does not offer; the text is the library's own
// answer, or says what the library's interface cannot be told. run() makes an outcome of it.
struct NotOffered : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// One operand of the column-major problem.
struct GemmOperand {
  DriverBuffer* buffer = nullptr;
  std::uint64_t offset_bytes = 0;
  std::string format;
  bool is_transposed = false;
  std::int64_t leading_dimension = 0;
  std::int64_t batch_stride = 0;  // in elements; 0: the same matrix in every problem of the batch
};

// d = alpha * first * second + beta * c, with d of `rows` x `columns`.
struct GemmProblem {
  std::int64_t rows = 0, columns = 0, depth = 0, batch = 1;
  GemmOperand first, second, c, d;  // c is d where the call has none
  bool has_c = false;
  bool is_swapped = false;  // d is the transpose of the call's, first is its b and second its a
  const DriverTensorView* bias = nullptr;  // one element per column of the call's d
  double alpha = 1, beta = 0;
  std::string_view activation;  // empty: none
};

// Throws BackendError for a call that means nothing, NotOffered for a layout that no BLAS can be
// told.
[[nodiscard]] GemmProblem gemm_problem(const DriverOperatorCall& call);

// For libraries that read c where they write d: copies the elements of c there, and nothing else.
void copy_c_into_d(const GemmProblem& problem);

// For libraries whose sizes are 32-bit numbers.
[[nodiscard]] int narrow(std::int64_t size);

// The bytes of a scalar in the type that a library takes it in ("fp16", "fp32", "fp64"), as memory
// holds them. Throws BackendError when the value is no number of that type.
[[nodiscard]] std::array<std::byte, 8> scalar_bytes(double value, std::string_view format);

[[nodiscard]] std::uint64_t element_bytes(std::string_view format);

}  // namespace halfmark::backends
