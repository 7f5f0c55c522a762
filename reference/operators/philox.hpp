// SPDX-License-Identifier: Apache-2.0
// The counter-based generator Philox4x32 with ten rounds: four words of 32 bits from a counter and
// a key, in integers alone. Source: Salmon, Moraes, Dror, Shaw, Parallel random numbers: as easy as
// 1, 2, 3, SC 2011; its constants are those of Random123, philox.h. GPU libraries and frameworks
// draw the masks of dropout from it, since a backward pass can make the same words again; the data
// of every case come from it, too.
#pragma once

#include <array>
#include <cstdint>

namespace halfmark::operators {

using PhiloxCounter = std::array<std::uint32_t, 4>;
using PhiloxKey = std::array<std::uint32_t, 2>;

/// Departures from the specification. The default is the specification.
struct PhiloxVariant {
  int rounds = 10;
  bool keeps_key = false;    // every round takes the key itself
  bool signed_high = false;  // the upper half of a product is that of signed numbers
};

[[nodiscard]] constexpr PhiloxCounter philox4x32(const PhiloxCounter& counter, const PhiloxKey& key,
                                                 const PhiloxVariant& variant = {}) {
  constexpr std::uint32_t kFirst = 0xd2511f53U, kSecond = 0xcd9e8d57U;
  const auto high = [&](std::uint64_t product, std::uint32_t a, std::uint32_t b) {
    const auto half = static_cast<std::uint32_t>(product >> 32);
    if (!variant.signed_high) return half;
    // As signed numbers, a - 2^32 and b - 2^32 stand for operands with the top bit.
    return half - ((a >> 31) != 0 ? b : 0) - ((b >> 31) != 0 ? a : 0);
  };
  PhiloxCounter w = counter;
  PhiloxKey k = key;
  for (int round = 0; round < variant.rounds; ++round) {
    const std::uint64_t first = std::uint64_t{kFirst} * w[0];
    const std::uint64_t second = std::uint64_t{kSecond} * w[2];
    w = {high(second, kSecond, w[2]) ^ w[1] ^ k[0], static_cast<std::uint32_t>(second),
         high(first, kFirst, w[0]) ^ w[3] ^ k[1], static_cast<std::uint32_t>(first)};
    if (!variant.keeps_key) k = {k[0] + 0x9e3779b9U, k[1] + 0xbb67ae85U};
  }
  return w;
}

}  // namespace halfmark::operators
