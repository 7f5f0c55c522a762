// SPDX-License-Identifier: Apache-2.0
// The counter-based generator Philox4x32 with ten rounds: four words of 32 bits from a counter and
// a key, in integers alone. Source: Salmon, Moraes, Dror, Shaw, Parallel random numbers: as easy as
// 1, 2, 3, SC 2011, section 4.3; its constants are those of Random123, philox.h. GPU libraries and
// frameworks draw the masks of dropout from it, since a backward pass can make the same words
// again.
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

[[nodiscard]] PhiloxCounter philox4x32(const PhiloxCounter& counter, const PhiloxKey& key,
                                       const PhiloxVariant& variant = {});

}  // namespace halfmark::operators
