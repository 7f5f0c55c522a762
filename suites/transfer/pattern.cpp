// SPDX-License-Identifier: Apache-2.0
#include "suites/transfer/pattern.hpp"

namespace halfmark::suites::transfer {
namespace {

constexpr std::uint32_t kInEveryDigit = 0x11111111;
constexpr int kGenerationShift = 28;

std::uint32_t word_at(Generation generation, std::size_t index) {
  return static_cast<std::uint32_t>(index) ^ static_cast<std::uint32_t>(generation) * kInEveryDigit;
}

}  // namespace

std::byte byte_at(Generation generation, std::size_t place) {
  return static_cast<std::byte>(word_at(generation, place / 4) >> 8 * (place % 4));
}

std::vector<std::byte> pattern(Generation generation, std::size_t bytes) {
  std::vector<std::byte> made(bytes);
  for (std::size_t i = 0; i < bytes; ++i) made[i] = byte_at(generation, i);
  return made;
}

std::optional<Word> word_in(const std::byte* bytes) {
  std::uint32_t word = 0;
  for (int i = 0; i < 4; ++i) word |= std::to_integer<std::uint32_t>(bytes[i]) << 8 * i;
  const std::uint32_t digit = word >> kGenerationShift;
  if (digit < static_cast<std::uint32_t>(Generation::kBefore) ||
      digit > static_cast<std::uint32_t>(Generation::kHostBeforeLast))
    return std::nullopt;
  const auto generation = static_cast<Generation>(digit);
  return Word{.generation = generation, .place = std::size_t{word ^ word_at(generation, 0)} * 4};
}

}  // namespace halfmark::suites::transfer
