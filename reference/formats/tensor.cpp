// SPDX-License-Identifier: Apache-2.0
#include "reference/formats/tensor.hpp"

namespace halfmark::formats {

Tensor Tensor::zeros(const Format& format, std::size_t count) {
  return {.format = &format, .bytes = std::vector<std::byte>(count * format.storage_bytes())};
}

Tensor Tensor::from_bits(const Format& format, std::span<const Bits> elements) {
  Tensor tensor = zeros(format, elements.size());
  for (std::size_t i = 0; i < elements.size(); ++i) tensor.set(i, elements[i]);
  return tensor;
}

std::vector<Bits> Tensor::to_bits() const {
  std::vector<Bits> elements(count());
  for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = at(i);
  return elements;
}

}  // namespace halfmark::formats
