// SPDX-License-Identifier: Apache-2.0
// What an implementation of layernorm or rmsnorm with its own order of operations may return: an
// interval for every output, for the correct evaluation and for mistakes seen in practice. For
// portable kernels, whose arithmetic is specified, a mistake has the bits of the specified sequence
// with one step replaced.
//
// The bound allows this evaluation, with u = 2^-24: fp32 inside, sums of n terms in any order (n
// u), rsqrt within 2 ulp, one rounding to the output format. The mean is off by at most (n + 1) u
// mean|x|; the variance, by two passes or by running updates, by at most (n + 3) u (var + 2 sd rms)
// + ((n + 1) u rms)^2: T. F. Chan, G. H. Golub, R. J. LeVeque, "Algorithms for computing the sample
// variance", The American Statistician 37 (1983); Higham, Accuracy and Stability of Numerical
// Algorithms, 2nd edition, 1.9 and 4.2. The mean of a row with an infinity is that infinity, or the
// NaN that running updates turn it into.
#pragma once

#include <limits>

#include "suites/core/bounds/interval.hpp"
#include "suites/layernorm/binding.hpp"

namespace halfmark::suites::layernorm {

enum class Variance : std::uint8_t {
  kRight,
  kNaive,         // E[x^2] - E[x]^2, summed sequentially in fp32
  kNaiveClamped,  // the same, with negative values replaced by 0
  kNaiveAnyhow,   // the same in any order, which leaves a wide interval
  kNaiveNarrow,   // the same, every step rounded to naive_in, terms divided before they are added
};

/// How rows are evaluated; the defaults are correct.
struct Model {
  Variance variance = Variance::kRight;
  bool one_less = false;  // the variance is divided by n - 1
  bool eps_dropped = false, eps_outside_root = false, eps_twice = false;
  bool eps_under_own_root = false;  // sqrt(variance) + sqrt(eps)
  bool eps_is_least = false;        // max(variance, eps)
  const formats::Format* eps_in = nullptr;
  const formats::Format* mean_in = nullptr;
  const formats::Format* variance_in = nullptr;
  const formats::Format* squares_in = nullptr;     // format of their running sum
  const formats::Format* naive_in = nullptr;       // for Variance::kNaiveNarrow
  const formats::Format* normalised_in = nullptr;  // (x - mean) rstd, before gamma
  std::size_t multiple = 1;  // elements past the last multiple are left out of the statistics
  bool divides_by_counted = false;
  std::size_t counted_multiple = 1;  // the count is rounded up to a multiple of it
  const formats::Format* count_in = nullptr;
  std::size_t welford_parts = 0;  // merges of this many parts count one element too many
  // Only the first `kept` of every `wave` elements enter the statistics, or only the squares.
  std::size_t wave = 0, kept = 0;
  bool squares_alone = false;
  std::size_t blocks_alone = 0;  // size of the blocks within which the variance is taken
  bool centers_too = false;      // rmsnorm subtracts the mean
  double eps_is = -1;            // this value, whatever the call specifies
  const formats::Format* deviation_in = nullptr;  // x - mean, before it is squared
  double largest_variance = std::numeric_limits<double>::infinity();
  const formats::Format* rstd_to = nullptr;  // only the output of that name
  bool rstd_inverted = false;                // only in the output of that name
  bool rstd_is_variance = false;             // only in the output of that name
  bool gamma_plus_one = false;
  bool statistics_before = false;  // those of the previous row
  bool gamma_by_row = false;
  bool gamma_is_zero = false;
  unsigned rstd_bits = 24;
  bool over_read = false;     // elements between rows enter the statistics
  bool dense = false;         // strides are ignored
  std::size_t row_limit = 0;  // rows at or past it start again from the first
  // backward
  bool no_projection = false, no_mean_term = false;
  bool weights_unscaled = false;  // dgamma lacks rstd
  bool gamma_outside = false;     // of the projection in dx
  std::size_t rows_limit = 0;     // rows from this one on are left out of dgamma and dbeta
  bool mean_term_too = false;     // in the gradient of rmsnorm
  const formats::Format* gradient_in = nullptr;  // dy gamma is rounded to it
  std::size_t rows_again = 1;  // rows past the last multiple count twice in dgamma and dbeta
  const formats::Format* weights_in = nullptr;
  std::size_t lanes_halved = 0;  // only the lower half of this many lanes counts
  bool half_of_rows = false;
  bool last_row_left_out = false;  // from dgamma and dbeta
  std::size_t rows_multiple = 1;   // rows past the last multiple are left out of them
  bool dbeta_alone = false;        // rows are missing only in dbeta; dgamma is right
  bool means_over_less = false;    // the means inside dx are divided by n - 1
  bool no_gamma = false;           // in dx
  bool first_axis_is_all = false;
  // of kernels only
  const formats::Format* inputs_in = nullptr;    // format of x
  const formats::Format* radicand_in = nullptr;  // format of variance + eps
  const formats::Format* rstd_in = nullptr;
  bool affine_unfused = false;   // the product with gamma is rounded
  bool sums_unfused = false;     // products are rounded before they are summed
  bool centering_fused = false;  // dy gamma - a
  bool gradient_fused = false;   // dy gamma and its sum
};

/// For portable kernels specified_model().
[[nodiscard]] Expectation evaluate_model(const Case& c, const TensorSet& inputs,
                                         const Model& model);

/// The specified sequence with the model's steps, of the members that mistakes of portable
/// kernels change.
[[nodiscard]] TensorSet specified_model(const Binding& b, const TensorSet& inputs,
                                        const Model& model);

/// Distance in elements from one row of x to the next.
[[nodiscard]] inline std::size_t pitch_of(const Binding& b) {
  return b.fill == "padded" ? b.width + 3 : b.width;
}
/// The first of three axes; 0 if there are two.
[[nodiscard]] inline std::size_t first_axis(const Binding& b) {
  return b.fill == "axes3" ? b.rows / 4 : 0;
}

}  // namespace halfmark::suites::layernorm
