// SPDX-License-Identifier: Apache-2.0
// Matrix multiplication, as specified by Halfmark: this comment is the specification that contract
// rows cite, and kernels/gemm.hk is its other writing. D = op(A)*op(B) with an optional scaling by
// alpha and beta*C.
//
// The specified evaluation of one output d[i,j]:
//   1. Load. A and B elements are widened to the accumulator's format; that is exact.
//   2. Accumulate. acc = +0; for k ascending: acc = fma(a[i,k], b[k,j], acc), one rounding to the
//   accumulator's format
//      per step. Nothing is padded: exactly K steps.
//   3. Scale, in fp32 (in fp64 when the accumulator is fp64), only when alpha and beta are given
//      (the accumulator is widened exactly): t = alpha * acc; then
//      t = fma(beta, c[i,j], t), and this step is left out, C unread, when beta is zero.
//   4. Store. One conversion of acc or t to the format of D.
// All roundings are to nearest, ties to even; subnormals are kept; NaN is a class.
//
// Other named arithmetics replace step 2 (order, width, fusion), or all steps (`exact`: the exact
// value, rounded once). A matrix unit takes A and B as they are (no step 1) and its d is the
// accumulator; without alpha and beta it is D, bit for bit, when D has the unit's format, else
// converted to that of D once. Does not decide which arithmetic a device must have: that is the
// contract's business.
//
// Assumptions: (1) row-major storage, a leading dimension is the distance of rows in elements; (2)
// batches follow each other without a gap; (3) elements between a row's end and the next row are
// never read.
#pragma once

#include <cstddef>
#include <optional>

#include "reference/formats/tensor.hpp"
#include "reference/models/arithmetic.hpp"
#include "reference/models/machine.hpp"

namespace halfmark::operators {

struct GemmProblem {
  std::size_t m = 0, n = 0, k = 0;
  std::size_t batch = 1;
  bool transpose_a = false;               // A is stored as k rows of m
  bool transpose_b = false;               // B is stored as n rows of k
  std::size_t lda = 0, ldb = 0, ldc = 0;  // 0: rows without a gap
  const formats::Format* d_format = nullptr;
  std::optional<formats::Bits> alpha = {}, beta = {};  // fp32; both or none
  // Of units with block scales; dense whatever the layout of A and B: batch * m rows of
  // ceil(k / scale_block), and batch * ceil(k / scale_block) rows of n.
  const formats::Tensor* a_scales = nullptr;
  const formats::Tensor* b_scales = nullptr;

  /// As stored.
  [[nodiscard]] std::size_t a_rows() const { return transpose_a ? k : m; }
  [[nodiscard]] std::size_t a_columns() const { return transpose_a ? m : k; }
  [[nodiscard]] std::size_t b_rows() const { return transpose_b ? n : k; }
  [[nodiscard]] std::size_t b_columns() const { return transpose_b ? k : n; }
  [[nodiscard]] std::size_t a_stride() const { return lda == 0 ? a_columns() : lda; }
  [[nodiscard]] std::size_t b_stride() const { return ldb == 0 ? b_columns() : ldb; }
  [[nodiscard]] std::size_t c_stride() const { return ldc == 0 ? n : ldc; }
  [[nodiscard]] std::size_t a_count() const { return batch * a_rows() * a_stride(); }
  [[nodiscard]] std::size_t b_count() const { return batch * b_rows() * b_stride(); }
  [[nodiscard]] std::size_t c_count() const { return batch * m * c_stride(); }
  [[nodiscard]] std::size_t d_count() const { return batch * m * n; }
  /// Where op(A)[i,x] and op(B)[x,j] of a batch lie.
  [[nodiscard]] std::size_t a_index(std::size_t item, std::size_t i, std::size_t x) const {
    const std::size_t row = transpose_a ? x : i;
    const std::size_t column = transpose_a ? i : x;
    return (item * a_rows() + row) * a_stride() + column;
  }
  [[nodiscard]] std::size_t b_index(std::size_t item, std::size_t x, std::size_t j) const {
    const std::size_t row = transpose_b ? j : x;
    const std::size_t column = transpose_b ? x : j;
    return (item * b_rows() + row) * b_stride() + column;
  }
  [[nodiscard]] std::size_t c_index(std::size_t item, std::size_t i, std::size_t j) const {
    return (item * m + i) * c_stride() + j;
  }
};

/// The arithmetic of the specification with an accumulator of this format.
[[nodiscard]] models::Arithmetic specified_arithmetic(const formats::Format& accumulator);

/// Throws std::invalid_argument, saying what is wrong, unless the tensors have the problem's
/// counts, D a format, and alpha comes with beta.
void require_well_formed(const GemmProblem& problem, const formats::Tensor& a,
                         const formats::Tensor& b, const formats::Tensor* c);

/// D, dense: batch * m * n elements of d_format. Without alpha and beta, C (any format, may be
/// null) is the initial accumulator in place of +0, rounded to the accumulator's format. Tensors
/// must have the problem's counts.
[[nodiscard]] formats::Tensor gemm(const GemmProblem& problem, const formats::Tensor& a,
                                   const formats::Tensor& b, const formats::Tensor* c,
                                   const models::Arithmetic& arithmetic,
                                   const models::Machine& machine);

/// Step 2 alone: the accumulators, dense, in the accumulator's format. For hypotheses about what
/// follows it.
[[nodiscard]] formats::Tensor gemm_accumulators(const GemmProblem& problem,
                                                const formats::Tensor& a, const formats::Tensor& b,
                                                const formats::Tensor* initial,
                                                const models::Arithmetic& arithmetic,
                                                const models::Machine& machine);

/// Steps 3 and 4 alone, from accumulators of any format.
[[nodiscard]] formats::Tensor gemm_epilogue(const GemmProblem& problem,
                                            const formats::Tensor& accumulators,
                                            const formats::Tensor* c,
                                            const models::Machine& machine);

}  // namespace halfmark::operators
