// SPDX-License-Identifier: Apache-2.0
#include "reference/fast/operand_span.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>

#include "reference/fast/buffer.hpp"
#include "reference/fast/lanes.hpp"
#include "reference/fast/lanes_kernels.hpp"
#include "reference/fast/parallel.hpp"
#include "reference/fast/special_lines.hpp"

namespace halfmark::fast {
namespace {

// The exponent of the leading one of a non-negative fp32 encoding.
int leading_exponent(std::uint32_t bits) {
  const int field = static_cast<int>(bits >> 23);
  return field != 0 ? field - 127 : static_cast<int>(std::bit_width(bits)) - 150;
}

}  // namespace

Span span_of(const formats::Tensor& tensor, Target target, unsigned threads) {
  constexpr std::size_t kPart = std::size_t{1} << 16;
  const std::size_t parts = (tensor.count() + kPart - 1) / kPart;
  std::atomic<std::uint32_t> largest = 0;
  std::atomic<std::uint32_t> least = 0x7f800000;
  for_each_part(parts, threads, Direction::kNearEven, [&](std::size_t part) {
    const std::size_t first = part * kPart;
    const std::size_t count = std::min(kPart, tensor.count() - first);
    const Buffer<float> values = make_buffer<float>(count);
    widen(target, tensor, first, count, values.get());
    for (std::size_t i = 0; i < count; ++i) {
      if (!is_finite(values[i])) values[i] = 0;
    }
    std::uint32_t most = 0;
    std::uint32_t fewest = 0x7f800000;
    lanes_kernels(target)->magnitudes(values.get(), count, &most, &fewest);
    for (std::uint32_t seen = largest; seen < most && !largest.compare_exchange_weak(seen, most);) {
    }
    for (std::uint32_t seen = least; seen > fewest && !least.compare_exchange_weak(seen, fewest);) {
    }
  });
  if (largest == 0) return {};
  const int place =
      std::max(leading_exponent(least) - tensor.format->fraction_bits, tensor.format->min_place());
  return {place, leading_exponent(largest) + 1 - place};
}

}  // namespace halfmark::fast
