// SPDX-License-Identifier: Apache-2.0
// What a tensor's numbers look like: a histogram of exponents, zeros, subnormal numbers, what is
// not finite, the greatest magnitude, sums, and what would vanish if it were stored in a narrower
// format after a scale. Counts are exact, whatever the number of threads; the sums are fp64, in an
// order that depends on the tensor alone.
//
// Assumption: the format is fp16, bf16 or fp32.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

#include "reference/fast/parallel.hpp"
#include "reference/formats/tensor.hpp"

namespace halfmark::fast {

struct Statistics {
  const formats::Format* format = nullptr;
  std::uint64_t count = 0, zeros = 0, subnormals = 0, infinities = 0, nans = 0;
  /// Finite numbers other than zero by floor(log2 |x|), and those of them that are powers of two.
  std::map<int, std::uint64_t> exponents = {}, powers = {};
  formats::Bits amax = 0;                                 // magnitude of the greatest finite number
  std::optional<formats::Bits> least = {}, largest = {};  // of the finite numbers
  double sum = 0, sum_of_squares = 0;                     // of finite numbers
  std::optional<std::size_t> first_non_finite = {}, first_zero = {};  // their indices

  [[nodiscard]] std::uint64_t finite() const { return count - infinities - nans; }
  [[nodiscard]] std::uint64_t numbers() const { return finite() - zeros; }  // without zeros
  [[nodiscard]] double zero_share() const;                                  // of all elements
  [[nodiscard]] double subnormal_share() const;                             // of all elements
  /// The Euclidean norm; infinite or NaN if an element is.
  [[nodiscard]] double norm() const;
};

/// Throws std::invalid_argument for another format.
[[nodiscard]] Statistics statistics(const formats::Tensor& tensor, const Options& options = {});

/// Whether no element is infinite or a NaN; of any format.
[[nodiscard]] bool all_finite(const formats::Tensor& tensor);

/// Where numbers lie once they are multiplied by 2^scale and rounded to `to`.
struct Zones {
  std::uint64_t normal = 0, subnormal = 0, lost = 0, overflow = 0;
};
/// Exact for every number, from the histogram alone, except that a number may round up into the
/// normal range or to infinity from the binade below: it counts where it was.
[[nodiscard]] Zones zones_of(const Statistics& statistics, const formats::Format& to, int scale);

/// The exponent of the largest power of two at which the greatest number stays two binades below
/// the largest of `to`, so that gradients may quadruple. Nothing if there is no number.
[[nodiscard]] std::optional<int> suggested_scale(const Statistics& statistics,
                                                 const formats::Format& to);

}  // namespace halfmark::fast
