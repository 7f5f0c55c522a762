// SPDX-License-Identifier: Apache-2.0
#include "reference/fast/convert.hpp"

#include <algorithm>
#include <array>

#include "reference/fast/convert_kernels.hpp"
#include "reference/fast/lanes.hpp"
#include "reference/formats/classify.hpp"
#include "reference/soft/soft.hpp"

namespace halfmark::fast {
namespace {

using formats::Bits;
using formats::Format;
using formats::kFp32;
using formats::Tensor;

// Elements per part.
constexpr std::size_t kBlock = 4096;

bool rounds_to(const Format& to) {
  return to.has_sign && to.has_zero && to.storage_bytes() <= 4 && kFp32.contains(to);
}

constexpr std::uint32_t word(Bits bits) { return static_cast<std::uint32_t>(bits); }

// The fp32 encoding of 2^exponent.
constexpr std::uint32_t power_of_two(int exponent) {
  return static_cast<std::uint32_t>(exponent + kFp32.bias) << kFp32.fraction_bits;
}

RoundingRule rounding_rule(const Format& f) {
  return {.cut = kFp32.fraction_bits - f.fraction_bits,
          .rebias = static_cast<std::uint32_t>(kFp32.bias - f.bias) << f.fraction_bits,
          .min_normal = power_of_two(f.min_exponent()),
          .grid = power_of_two(f.min_place() + kFp32.fraction_bits),
          .max_finite = word(formats::max_finite(f)),
          .overflow = {word(formats::infinity(f)), word(formats::infinity(f, true))},
          .zero = {word(formats::zero(f)), word(formats::zero(f, true))},
          .sign = word(f.sign_mask()),
          .nan = word(formats::quiet_nan(f)),
          .padding = f.padding_bits};
}

ConvertKernels::Round kernel_of(const Format& to, const ConvertKernels& kernels) {
  if (to.storage_bytes() == 1) return kernels.bytes;
  return to.storage_bytes() == 2 ? kernels.halves : kernels.words;
}

template <typename Block>
void for_each_block(std::size_t total, unsigned threads, const Block& block) {
  for_each_part(
      (total + kBlock - 1) / kBlock, threads, Direction::kNearEven,
      [&](std::size_t part) { block(part * kBlock, std::min(kBlock, total - part * kBlock)); });
}

}  // namespace

Tensor convert(const Tensor& from, const Format& to, const soft::Environment& environment,
               const Options& options) {
  const std::size_t total = from.count();
  const Target target = options.chosen_target();
  Tensor result = Tensor::zeros(to, total);
  const ConvertKernels* kernels = convert_kernels(target);
  if (kernels == nullptr || environment != soft::Environment{} || !kFp32.contains(*from.format) ||
      !rounds_to(to)) {
    for_each_block(total, options.threads, [&](std::size_t first, std::size_t count) {
      for (std::size_t i = first; i < first + count; ++i) {
        result.set(i, soft::convert(*from.format, to, from.at(i), environment).bits);
      }
    });
    return result;
  }
  const auto round = kernel_of(to, *kernels);
  const RoundingRule rule = rounding_rule(to);
  for_each_block(total, options.threads, [&](std::size_t first, std::size_t count) {
    alignas(64) std::array<float, kBlock> lanes;
    widen(target, from, first, count, lanes.data());
    std::byte* place = result.bytes.data() + first * to.storage_bytes();
    if (to == formats::kFp16 || to == formats::kBf16 || to == kFp32) {
      narrow(target, lanes.data(), count, result, first);
    } else {
      round(lanes.data(), count, rule, place);
    }
  });
  return result;
}

}  // namespace halfmark::fast
