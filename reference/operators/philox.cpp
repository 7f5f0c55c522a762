// SPDX-License-Identifier: Apache-2.0
#include "reference/operators/philox.hpp"

namespace halfmark::operators {
namespace {

constexpr std::uint32_t kMultipliers[] = {0xd2511f53U, 0xcd9e8d57U};
constexpr std::uint32_t kWeyl[] = {0x9e3779b9U, 0xbb67ae85U};

struct Halves {
  std::uint32_t high, low;
};

Halves multiply(std::uint32_t a, std::uint32_t b, bool is_signed) {
  const std::uint64_t product = std::uint64_t{a} * b;
  auto high = static_cast<std::uint32_t>(product >> 32);
  // As signed numbers, a - 2^32 and b - 2^32 stand for operands with the top bit.
  if (is_signed) high -= ((a >> 31) != 0 ? b : 0) + ((b >> 31) != 0 ? a : 0);
  return {high, static_cast<std::uint32_t>(product)};
}

}  // namespace

PhiloxCounter philox4x32(const PhiloxCounter& counter, const PhiloxKey& key,
                         const PhiloxVariant& variant) {
  PhiloxCounter w = counter;
  PhiloxKey k = key;
  for (int round = 0; round < variant.rounds; ++round) {
    const Halves first = multiply(kMultipliers[0], w[0], variant.signed_high);
    const Halves second = multiply(kMultipliers[1], w[2], variant.signed_high);
    w = {second.high ^ w[1] ^ k[0], second.low, first.high ^ w[3] ^ k[1], first.low};
    if (!variant.keeps_key) k = {k[0] + kWeyl[0], k[1] + kWeyl[1]};
  }
  return w;
}

}  // namespace halfmark::operators
