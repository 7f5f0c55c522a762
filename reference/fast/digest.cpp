// SPDX-License-Identifier: Apache-2.0
#include "reference/fast/digest.hpp"

#include <algorithm>
#include <mutex>

#include "reference/fast/digest_kernels.hpp"

namespace halfmark::fast {
namespace {

using formats::Format;
using formats::NonFinite;
using formats::Tensor;

// Elements per part.
constexpr std::uint64_t kBlock = std::uint64_t{1} << 16;

DigestKernels::Sum kernel_of(const Format& format, Target target) {
  const DigestKernels* kernels = digest_kernels(target);
  if (kernels == nullptr) return nullptr;
  switch (format.storage_bytes()) {
    case 1:
      return kernels->bytes;
    case 2:
      return kernels->halves;
    case 4:
      return kernels->words;
    default:
      return nullptr;
  }
}

Digest soft_digest(const Tensor& tensor, std::uint64_t first, std::size_t begin,
                   std::size_t count) {
  Digest sum;
  for (std::size_t i = begin; i < begin + count; ++i) {
    sum += digest_of_element(*tensor.format, first + i, tensor.at(i));
  }
  return sum;
}

}  // namespace

WordRule word_rule(const Format& f) {
  WordRule rule{.mask = static_cast<std::uint32_t>(f.mask()),
                .nan_mask = static_cast<std::uint32_t>(f.magnitude_mask()),
                .nan_first = static_cast<std::uint32_t>(f.magnitude_mask()),
                .nan_last = static_cast<std::uint32_t>(f.magnitude_mask()),
                .quiet_nan = static_cast<std::uint32_t>(formats::quiet_nan(f)),
                .padding = f.padding_bits};
  if (f.non_finite == NonFinite::kIeee) {
    rule.nan_first = static_cast<std::uint32_t>(formats::infinity(f)) + 1;
  } else if (f.non_finite == NonFinite::kNanMinusZero) {
    rule.nan_mask = rule.mask;
    rule.nan_first = rule.nan_last = rule.quiet_nan;
  } else if (f.non_finite == NonFinite::kNone) {
    rule.nan_first = rule.nan_last = rule.mask + 1;  // matches no encoding
  }
  return rule;
}

Digest digest(const Tensor& tensor, std::uint64_t first, const Options& options) {
  const std::uint64_t count = tensor.count();
  if (count == 0) return {};
  const auto kernel = kernel_of(*tensor.format, options.chosen_target());
  const WordRule rule = kernel == nullptr ? WordRule{} : word_rule(*tensor.format);
  // Parts lie between multiples of the block, so all indices of a part share their upper word.
  const std::uint64_t start = first / kBlock;
  const std::uint64_t parts = (first % kBlock + count + kBlock - 1) / kBlock;
  Digest sum;
  std::mutex mutex;
  for_each_part(parts, options.threads, Direction::kNearEven, [&](std::size_t part) {
    const std::uint64_t block = (start + part) * kBlock;
    const std::uint64_t begin = std::max(first, block) - first;
    const std::uint64_t end = std::min(count, block - first + kBlock);
    const Digest own = kernel == nullptr
                           ? soft_digest(tensor, first, begin, end - begin)
                           : kernel(tensor.bytes.data() + begin * tensor.format->storage_bytes(),
                                    end - begin, first + begin, rule);
    const std::scoped_lock lock(mutex);
    sum += own;
  });
  return sum;
}

}  // namespace halfmark::fast
