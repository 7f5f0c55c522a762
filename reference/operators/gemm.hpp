// SPDX-License-Identifier: Apache-2.0
// Matrix multiplication as specified by Halfmark: contract rows cite this comment as the
// specification, and kernels/gemm.hk states the same for devices. D = op(A)*op(B), optionally
// scaled by alpha, plus beta*C.
//
// The specified evaluation of one output d[i,j]:
//   1. Load. A and B elements are widened to the accumulator's format; that is exact.
//   2. Accumulate. acc = +0; for k ascending: acc = fma(a[i,k], b[k,j], acc), with one rounding to
//      the accumulator's format per step. Nothing is padded: exactly K steps.
//   3. Scale, only if alpha and beta are given, in fp32 (in fp64 if the accumulator is fp64; the
//      accumulator is widened exactly): t = alpha * acc; then t = fma(beta, c[i,j], t). If beta is
//      zero, this last step is omitted and C is not read.
//   4. Store. One conversion of acc or t to the format of D.
// All roundings are to nearest even; subnormals are kept; any NaN matches any other.
//
// Other named arithmetics replace step 2 (order, width, fusion), or all steps (`exact`: the exact
// value, rounded once). A matrix unit takes A and B unchanged (no step 1) and its d is the
// accumulator; without alpha and beta this is D, bit for bit if D has the unit's format, else
// converted once to D's format. The contract, not this file, decides which arithmetic a device
// must have.
//
// Assumptions: (1) row-major storage, where a leading dimension is the distance between rows in
// elements; (2) batches follow each other without gaps; (3) elements between the end of a row and
// the next row are never read.
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
  bool transpose_a = false;               // A is stored as k rows of m elements
  bool transpose_b = false;               // B is stored as n rows of k elements
  std::size_t lda = 0, ldb = 0, ldc = 0;  // 0: rows without gaps
  const formats::Format* d_format = nullptr;
  std::optional<formats::Bits> alpha = {}, beta = {};  // fp32; both or none
  // For units with block scales; dense whatever the layout of A and B: batch * m rows of ceil(k /
  // scale_block) elements, and batch * ceil(k / scale_block) rows of n elements.
  const formats::Tensor* a_scales = nullptr;
  const formats::Tensor* b_scales = nullptr;

  /// The rows as stored.
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
  /// The indices of op(A)[i,x] and op(B)[x,j] of a batch item.
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

/// The specified arithmetic, with an accumulator of this format.
[[nodiscard]] models::Arithmetic specified_arithmetic(const formats::Format& accumulator);

/// Throws std::invalid_argument, stating the reason, unless the tensors have the problem's element
/// counts, D has a format, and alpha and beta come together.
void require_well_formed(const GemmProblem& problem, const formats::Tensor& a,
                         const formats::Tensor& b, const formats::Tensor* c);

/// Returns D, dense: batch * m * n elements of d_format. Without alpha and beta, C (of any format,
/// may be null) is the initial accumulator instead of +0, rounded to the accumulator's format. The
/// tensors must have the problem's element counts.
[[nodiscard]] formats::Tensor gemm(const GemmProblem& problem, const formats::Tensor& a,
                                   const formats::Tensor& b, const formats::Tensor* c,
                                   const models::Arithmetic& arithmetic,
                                   const models::Machine& machine);

/// Only step 2: the accumulators, dense, in the accumulator's format. For hypotheses about the
/// steps that follow. Where these add C, an arithmetic's zero_last has no meaning.
[[nodiscard]] formats::Tensor gemm_accumulators(const GemmProblem& problem,
                                                const formats::Tensor& a, const formats::Tensor& b,
                                                const formats::Tensor* initial,
                                                const models::Arithmetic& arithmetic,
                                                const models::Machine& machine);

/// Only steps 3 and 4, from accumulators of any format.
[[nodiscard]] formats::Tensor gemm_epilogue(const GemmProblem& problem,
                                            const formats::Tensor& accumulators,
                                            const formats::Tensor* c,
                                            const models::Machine& machine);

}  // namespace halfmark::operators
