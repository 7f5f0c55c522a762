// SPDX-License-Identifier: Apache-2.0
// Inputs: a counter-based generator (reference/operators/philox.hpp) keyed by (seed, case, tensor),
// and the fills that several suites share. Decides the operand bits of a case, independently of
// order, shards and thread count. Fills specific to one operator live in its folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "reference/formats/tensor.hpp"
#include "suites/core/case/case.hpp"

namespace halfmark::suites {

/// Random words by index: at(i) depends only on the key and i.
class Random {
 public:
  /// Keyed by the case's seed and seedless name, and the tensor's name.
  Random(const Case& c, std::string_view tensor);
  explicit Random(std::uint64_t key) : key_(key) {}

  [[nodiscard]] std::uint64_t at(std::uint64_t index) const;
  /// Uniform in [0, bound), bound > 0 and at most 2^32.
  [[nodiscard]] std::uint64_t below(std::uint64_t index, std::uint64_t bound) const;
  /// An independent generator, for a second quantity of the same element.
  [[nodiscard]] Random derived(std::uint64_t stream) const;

 private:
  std::uint64_t key_;
};

/// numerator * 2^exponent, rounded to nearest even in `format`. Every fill writes its values
/// through this function, without host floating point.
[[nodiscard]] formats::Bits scaled(const formats::Format& format, std::int64_t numerator,
                                   int exponent);

/// Element `index`, uniform on [low, high) * 2^exponent, in steps of 2^(exponent - step_bits).
[[nodiscard]] formats::Bits between(const formats::Format& format, const Random& random,
                                    std::size_t index, std::int64_t low, std::int64_t high,
                                    int exponent = 0, int step_bits = 16);

// clang-format off
/// `count` elements of one of the fills that several suites share. Throws UsageError if there is no
/// such fill.
///   integer    integers -4..4: products and sums stay exact, so index and tile faults show
///              without a tolerance
///   positive   integers 1..4
///   uniform    [-1, 1) on a grid of 2^-23, rounded to the format
///   normal     mean 0, standard deviation 1 (sum of 16 uniforms)
///   bits       every encoding equally likely, NaNs and infinities included
///   finite     random finite encodings, all exponents
///   subnormal  half of the values subnormal, the rest within 2^8 of the smallest normal
///   tiny       numbers whose pairwise products are subnormal or near it in the same format
///   large      finite values within 2^4 of the largest
///   special    normal values, one in eight replaced by a NaN, an infinity, a zero of either sign,
///              a subnormal or the largest finite number
// clang-format on
[[nodiscard]] formats::Tensor fill(const formats::Format& format, std::size_t count,
                                   std::string_view name, const Random& random);

/// Calls `visit(begin, end)` for ranges that cover all indices below `count`, on all threads if
/// there are many indices.
void for_each_range(std::size_t count,
                    const std::function<void(std::size_t begin, std::size_t end)>& visit);

/// Elements by index. `value_at(i)` may run on several threads, and must depend on i alone.
template <typename ValueAt>
[[nodiscard]] formats::Tensor filled(const formats::Format& format, std::size_t count,
                                     const ValueAt& value_at) {
  formats::Tensor tensor = formats::Tensor::zeros(format, count);
  for_each_range(count, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) tensor.set(i, value_at(i));
  });
  return tensor;
}

}  // namespace halfmark::suites
