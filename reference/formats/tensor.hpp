// SPDX-License-Identifier: Apache-2.0
// A sequence of encodings of one format, packed little-endian as a device stores them. It has no
// shape: the operator that owns a tensor knows its rows and columns.
//
// Assumption: a word (format.hpp) occupies whole bytes; narrower words use the low bits of
// their byte.
#pragma once

#include <cstring>
#include <vector>

#include "reference/formats/format.hpp"

namespace halfmark::formats {

struct Tensor {
  const Format* format = nullptr;
  std::vector<std::byte> bytes;

  // Every element has the encoding 0: +0 where the format has a zero.
  [[nodiscard]] static Tensor zeros(const Format& format, std::size_t count);
  [[nodiscard]] static Tensor from_bits(const Format& format, std::span<const Bits> elements);

  [[nodiscard]] std::size_t count() const {
    return format == nullptr ? 0 : bytes.size() / format->storage_bytes();
  }

  [[nodiscard]] Bits at(std::size_t index) const {
    const std::size_t width = format->storage_bytes();
    const std::byte* place = bytes.data() + index * width;
    Bits word = 0;
    for (std::size_t i = 0; i < width; ++i) word |= static_cast<Bits>(place[i]) << (8 * i);
    return format->from_word(word);
  }

  void set(std::size_t index, Bits bits) {
    const std::size_t width = format->storage_bytes();
    std::byte* place = bytes.data() + index * width;
    const Bits word = format->to_word(bits);
    for (std::size_t i = 0; i < width; ++i) place[i] = static_cast<std::byte>(word >> (8 * i));
  }

  // All elements widened to Bits. Hot loops should read this instead of calling at() repeatedly.
  [[nodiscard]] std::vector<Bits> to_bits() const;

  // By memory, which reads large tensors at the memory's rate; std::vector compares byte by byte.
  [[nodiscard]] bool has_bytes_of(const Tensor& other) const {
    return bytes.size() == other.bytes.size() &&
           (bytes.empty() || std::memcmp(bytes.data(), other.bytes.data(), bytes.size()) == 0);
  }
  [[nodiscard]] bool operator==(const Tensor& other) const {
    return format == other.format && has_bytes_of(other);
  }
};

}  // namespace halfmark::formats
