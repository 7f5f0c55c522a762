// SPDX-License-Identifier: Apache-2.0
// A sequence of encodings of one format, packed little-endian as a device stores them. It has no
// shape: the operator that owns a tensor knows its rows and columns.
//
// Assumption: a word (format.hpp) occupies whole bytes; narrower words use the low bits of
// their byte.
#pragma once

#include <bit>
#include <cstdint>
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
    // A copy of constant size is one load.
    switch (format->storage_bytes()) {
      case 1:
        return format->from_word(word_at<std::uint8_t>(index));
      case 2:
        return format->from_word(word_at<std::uint16_t>(index));
      case 4:
        return format->from_word(word_at<std::uint32_t>(index));
      default:
        break;
    }
    const std::size_t width = format->storage_bytes();
    Bits word = 0;
    std::memcpy(&word, bytes.data() + index * width, width);
    return format->from_word(word);
  }

  void set(std::size_t index, Bits bits) {
    const Bits word = format->to_word(bits);
    switch (format->storage_bytes()) {
      case 1:
        return set_word(index, static_cast<std::uint8_t>(word));
      case 2:
        return set_word(index, static_cast<std::uint16_t>(word));
      case 4:
        return set_word(index, static_cast<std::uint32_t>(word));
      default:
        break;
    }
    const std::size_t width = format->storage_bytes();
    std::memcpy(bytes.data() + index * width, &word, width);
  }

  // The word that holds an element of this size.
  template <typename Word>
  [[nodiscard]] Word word_at(std::size_t index) const {
    static_assert(std::endian::native == std::endian::little);
    Word word{};
    std::memcpy(&word, bytes.data() + index * sizeof word, sizeof word);
    return word;
  }
  template <typename Word>
  void set_word(std::size_t index, Word word) {
    std::memcpy(bytes.data() + index * sizeof word, &word, sizeof word);
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
