// SPDX-License-Identifier: Apache-2.0
// The number type for computing bounds: fp64 from the soft-float, independent of the host's
// floating-point state. Decides how a value and a radius become the encodings that a contract row
// allows. An operation here rounds by 2^-53, negligible next to the fp32 roundings (2^-24) that
// make up a radius; radii are therefore stated slightly larger than derived.
#pragma once

#include "reference/formats/classify.hpp"
#include "reference/soft/soft.hpp"
#include "suites/core/execute/plan.hpp"

namespace halfmark::suites {

class Real {
 public:
  constexpr Real() = default;
  constexpr explicit Real(std::int64_t value) : bits_(soft::from_int(formats::kFp64, value).bits) {}
  /// numerator * 2^exponent
  constexpr Real(std::int64_t numerator, int exponent)
      : bits_(soft::ldexp(formats::kFp64, Real(numerator).bits_, exponent).bits) {}
  [[nodiscard]] static constexpr Real of(const formats::Format& f, formats::Bits bits) {
    Real r;
    r.bits_ = soft::convert(f, formats::kFp64, bits).bits;
    return r;
  }
  [[nodiscard]] constexpr formats::Bits in(const formats::Format& f) const {
    return soft::convert(formats::kFp64, f, bits_).bits;
  }
  [[nodiscard]] constexpr bool is_nan() const { return formats::is_nan(formats::kFp64, bits_); }
  [[nodiscard]] constexpr Real abs() const { return raw(bits_ & formats::kFp64.magnitude_mask()); }

  friend constexpr Real operator+(Real a, Real b) {
    return raw(soft::add(formats::kFp64, a.bits_, b.bits_).bits);
  }
  friend constexpr Real operator-(Real a, Real b) {
    return raw(soft::sub(formats::kFp64, a.bits_, b.bits_).bits);
  }
  friend constexpr Real operator*(Real a, Real b) {
    return raw(soft::mul(formats::kFp64, a.bits_, b.bits_).bits);
  }
  friend constexpr Real operator/(Real a, Real b) {
    return raw(soft::div(formats::kFp64, a.bits_, b.bits_).bits);
  }
  friend constexpr bool operator<(Real a, Real b) {
    return soft::lt(formats::kFp64, a.bits_, b.bits_).bits != 0;
  }

 private:
  [[nodiscard]] static constexpr Real raw(formats::Bits bits) {
    Real r;
    r.bits_ = bits;
    return r;
  }
  formats::Bits bits_ = 0;
};

/// Half an ULP of fp32 at 1: the error of one rounding of a number of that size.
inline constexpr Real kSingleRounding{1, -24};

/// The numbers from `low` to `high`. NaN in `low` means the value NaN.
struct RealInterval {
  Real low, high;
};
[[nodiscard]] constexpr RealInterval around(Real value, Real radius) {
  return {value - radius, value + radius};
}

/// Sets the allowed encodings of one bounded output element: the roundings of all numbers in
/// the interval.
inline void allow(Enclosure& enclosure, const std::string& tensor, std::size_t index,
                  const RealInterval& interval) {
  formats::Tensor& low = enclosure.low.at(tensor);
  formats::Tensor& high = enclosure.high.at(tensor);
  low.set(index, interval.low.in(*low.format));
  high.set(index, interval.high.in(*high.format));
}

[[nodiscard]] inline Enclosure empty_enclosure(const std::string& tensor, const formats::Format& f,
                                               std::size_t count) {
  Enclosure enclosure;
  enclosure.low.emplace(tensor, formats::Tensor::zeros(f, count));
  enclosure.high.emplace(tensor, formats::Tensor::zeros(f, count));
  return enclosure;
}

}  // namespace halfmark::suites
