// SPDX-License-Identifier: Apache-2.0
// Normal data from a seed, and its conversion to a format, for the reports that compare formats.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "reference/formats/tensor.hpp"
#include "reference/operators/fp32.hpp"
#include "reference/operators/splitmix.hpp"

namespace halfmark::tools {

class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : words_(seed) {}

  std::uint64_t next() { return words_.next(); }

  // The sum of twelve uniform numbers less 6: mean 0, deviation 1.
  double normal() {
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += static_cast<double>(next() >> 11) * 0x1p-53;
    return sum;
  }

 private:
  operators::SplitMix64 words_;
};

[[nodiscard]] inline formats::Tensor normal_tensor(std::size_t count, double deviation,
                                                   Numbers& numbers) {
  formats::Tensor tensor = formats::Tensor::zeros(formats::kFp32, count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto number = static_cast<float>(deviation * numbers.normal());
    tensor.set(i, std::bit_cast<std::uint32_t>(number));
  }
  return tensor;
}

// fp32 numbers, each rounded once.
[[nodiscard]] inline formats::Tensor converted(const formats::Tensor& from,
                                               const formats::Format& to) {
  const models::Machine ieee;
  const operators::Fp32 op(ieee);
  formats::Tensor tensor = formats::Tensor::zeros(to, from.count());
  for (std::size_t i = 0; i < from.count(); ++i) tensor.set(i, op.store(to, from.at(i)));
  return tensor;
}

}  // namespace halfmark::tools
