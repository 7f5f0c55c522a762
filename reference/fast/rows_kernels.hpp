// SPDX-License-Identifier: Apache-2.0
// Vector code for softmax.hpp and layernorm.hpp: one row at a time, in fp32 lanes.
//
// Assumptions: every row starts on a cache line and has room for padded(width) elements; those
// after `width` may hold anything before and after.
#pragma once

#include <cstddef>

#include "reference/fast/target.hpp"
#include "reference/operators/lanes.hpp"

namespace halfmark::fast {

// The width rounded up to whole chunks of the reduction's lanes.
[[nodiscard]] constexpr std::size_t padded(std::size_t width) {
  return (width + operators::kLanes - 1) / operators::kLanes * operators::kLanes;
}

struct SoftmaxKernels {
  // Replaces x by y.
  void (*forward)(float* x, std::size_t width);
  void (*log_forward)(float* x, std::size_t width);
  // Replaces dy by dx.
  void (*backward)(float* y, float* dy, std::size_t width);
};

struct RowStatistics {
  float mean, rstd;
};

struct LayernormKernels {
  // Replaces x by y.
  RowStatistics (*forward)(float* x, std::size_t width, float eps, const float* gamma,
                           const float* beta);
  // Replaces x by dx; overwrites dy.
  void (*backward)(float* x, float* dy, std::size_t width, RowStatistics statistics,
                   const float* gamma);
  // Adds one row's contribution to dgamma and dbeta, for `padded` columns.
  void (*add_to_weights)(const float* x, const float* dy, std::size_t padded,
                         RowStatistics statistics, float* dgamma, float* dbeta);
};

// Null for kPortable.
[[nodiscard]] const SoftmaxKernels* softmax_kernels(Target target);
[[nodiscard]] const LayernormKernels* layernorm_kernels(Target target);

}  // namespace halfmark::fast
