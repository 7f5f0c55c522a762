// SPDX-License-Identifier: Apache-2.0
#include "reference/fast/functions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace halfmark::fast {
namespace {

using formats::Bits;
using formats::Format;
using formats::Tensor;

constexpr int kTableBits = 16;
constexpr std::size_t kBlock = 512;

// result[i] = value_at(i), in blocks.
template <typename Value>
Tensor by_blocks(const Format& format, std::size_t total, unsigned threads, const Value& value_at) {
  Tensor result = Tensor::zeros(format, total);
  for_each_part((total + kBlock - 1) / kBlock, threads, Direction::kNearEven,
                [&](std::size_t part) {
                  const std::size_t end = std::min(total, (part + 1) * kBlock);
                  for (std::size_t i = part * kBlock; i < end; ++i) result.set(i, value_at(i));
                });
  return result;
}

}  // namespace

Tensor every_encoding(const Format& format) {
  if (format.bits > kTableBits) {
    throw std::invalid_argument(
        fmt::format("{}: only formats of up to 16 bits are swept whole", format.name));
  }
  Tensor all = Tensor::zeros(format, std::size_t{1} << format.bits);
  for (std::size_t i = 0; i < all.count(); ++i) all.set(i, i);
  return all;
}

Tensor evaluate(const soft::Function& function, const Tensor& x,
                const soft::Environment& environment, const Options& options) {
  if (!soft::has_functions(*x.format)) {
    throw std::invalid_argument(
        fmt::format("{}: {} has no elementary functions", function.name, x.format->name));
  }
  const Format& format = *x.format;
  if (format.bits <= kTableBits && x.count() > std::size_t{1} << format.bits) {
    const Tensor table = evaluate(function, every_encoding(format), environment, options);
    return by_blocks(format, x.count(), options.threads,
                     [&](std::size_t i) { return table.at(x.at(i)); });
  }
  return by_blocks(format, x.count(), options.threads, [&](std::size_t i) {
    return function.evaluate(format, x.at(i), environment).bits;
  });
}

Tensor evaluate(const soft::BinaryFunction& function, const Tensor& a, const Tensor& b,
                const soft::Environment& environment, const Options& options) {
  const Format& format = *a.format;
  if (!soft::has_functions(format) || a.format != b.format || a.count() != b.count()) {
    throw std::invalid_argument(fmt::format("{}: {} elements of {} and {} of {}", function.name,
                                            a.count(), format.name, b.count(), b.format->name));
  }
  return by_blocks(format, a.count(), options.threads, [&](std::size_t i) {
    return function.evaluate(format, a.at(i), b.at(i), environment).bits;
  });
}

}  // namespace halfmark::fast
