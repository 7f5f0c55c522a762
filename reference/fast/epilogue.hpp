// SPDX-License-Identifier: Apache-2.0
// The steps before and after the sums of a matrix product, in fp32 lanes: the first accumulators,
// and steps 3 and 4 of reference/operators/gemm.hpp (scale by alpha and beta, round to the format
// of D).
#pragma once

#include "reference/fast/target.hpp"
#include "reference/operators/gemm.hpp"

namespace halfmark::fast {

class Epilogue {
 public:
  // `c` may be null. D must have the problem's element count.
  Epilogue(const operators::GemmProblem& problem, const formats::Tensor* c, formats::Tensor& d,
           Target target);

  // The accumulators of row i of an item, from column j on, before any product: C rounded to fp32
  // if it is the initial accumulator, else zeros.
  void start(std::size_t item, std::size_t i, std::size_t j, std::size_t count, float* sums) const;

  // Stores fp32 numbers to D, each rounded once.
  void store(std::size_t item, std::size_t i, std::size_t j, std::size_t count,
             const float* values) const;

  // Scales finished accumulators and stores them to D. Overwrites `sums`.
  void finish(std::size_t item, std::size_t i, std::size_t j, std::size_t count, float* sums) const;

 private:
  void load_c(std::size_t item, std::size_t i, std::size_t j, std::size_t count, float* to) const;

  const operators::GemmProblem& problem_;
  const formats::Tensor* c_;
  formats::Tensor& d_;
  Target target_;
  bool reads_c_;
};

}  // namespace halfmark::fast
