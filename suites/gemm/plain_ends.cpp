// SPDX-License-Identifier: Apache-2.0
#include "suites/gemm/plain_ends.hpp"

#include <bit>
#include <cmath>

#include "reference/soft/soft.hpp"

namespace halfmark::suites::gemm {
namespace {

using formats::Bits;
using formats::Format;

constexpr double kSlack = 0x1p-50;
constexpr double kMost = 0x1p127;

Bits rounded(const Format& to, double x) {
  if (to == formats::kFp32) return std::bit_cast<std::uint32_t>(static_cast<float>(x));
  return soft::convert(formats::kFp64, to, std::bit_cast<Bits>(x)).bits;
}

// Of a number within `slack` of `near`.
std::optional<Bits> decided(const Format& to, double near, double slack) {
  const Bits below = rounded(to, near - slack);
  if (below != rounded(to, near + slack)) return std::nullopt;
  return below;
}

}  // namespace

std::optional<Ends> plain_ends(const Format& output, double sum, double size, double error,
                               double gamma, double lost) {
  const double spread = gamma * size + lost;
  if (!(std::fabs(sum) < kMost && spread < kMost)) return std::nullopt;
  const double off = error * size * (1 + 2 * gamma);
  const double slack = off + kSlack * (std::fabs(sum) + spread + off);
  const std::optional<Bits> low = decided(output, sum - spread, slack);
  const std::optional<Bits> high = decided(output, sum + spread, slack);
  if (!low || !high) return std::nullopt;
  return Ends{*low, *high};
}

}  // namespace halfmark::suites::gemm
