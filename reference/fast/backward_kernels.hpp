// SPDX-License-Identifier: Apache-2.0
// Vector code for backward.hpp: the steps of a training step between its matrix products, in
// fp32 lanes.
//
// Assumption: every array starts on a cache line and has room for padded(count) elements; the
// elements after the first `count` may hold anything.
#pragma once

#include <cstddef>

#include "reference/fast/target.hpp"

namespace halfmark::fast {

struct BackwardKernels {
  // values = gelu(values).
  void (*gelu)(float* values, std::size_t count);
  // gradients = gradients * gelu'(h).
  void (*through_gelu)(float* gradients, const float* h, std::size_t count);
  // y = y - t.
  void (*residual)(float* y, const float* t, std::size_t count);
  // lanes[i % 64] = fma(r[i], r[i], lanes[i % 64]) for ascending i. Pads r with zeros.
  void (*add_squares)(float* r, std::size_t count, float* lanes);
  // The 64 lanes, folded and divided by count.
  float (*mean)(float* lanes, float count);
  // values = outer * (inner * values).
  void (*scale)(float* values, std::size_t count, float inner, float outer);
  // values = values * factor.
  void (*multiply)(float* values, std::size_t count, float factor);
  // weights = fma(-rate, gradients, weights).
  void (*descend)(float* weights, const float* gradients, std::size_t count, float rate);
  // Whether all `count` values are finite.
  bool (*all_finite)(const float* values, std::size_t count);
};

// Null for kPortable.
[[nodiscard]] const BackwardKernels* backward_kernels(Target target);

}  // namespace halfmark::fast
