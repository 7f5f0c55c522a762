// SPDX-License-Identifier: Apache-2.0
// Shared by the wide evaluations in functions_*.cpp.
#pragma once

#include <cstdint>

#include "reference/soft/functions_detail.hpp"

namespace halfmark::soft::detail {

inline Enclosure number(const Enclosure& like, std::uint64_t integer) {
  return {like.fraction_limbs(), integer};
}

// |x| and the significand of x, in [1, 2).
inline Enclosure argument(const Value& x, int limbs) {
  return {limbs, x.significand, x.exponent - kLead};
}
inline Enclosure significand(const Value& x, int limbs) { return {limbs, x.significand, -kLead}; }

inline Enclosure unscaled(const Scaled& scaled) { return scaled.value.shifted(scaled.exponent); }

// requires s <= 1/3
[[nodiscard]] Enclosure atanh(const Enclosure& s);

// e^t or e^-t
[[nodiscard]] Scaled exp_of(const Enclosure& t, bool negated);

}  // namespace halfmark::soft::detail
