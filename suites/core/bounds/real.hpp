// SPDX-License-Identifier: Apache-2.0
// Numbers that bounds are computed with: fp64 of the soft-float, so that no state of the host plays
// a part. Decides how a value and a radius become the encodings that a contract row allows. A step
// rounds by 2^-53, which is nothing beside the fp32 roundings (2^-24) that radii are made of: a
// radius is stated a little larger than its derivation says.
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

/// Half a last place of fp32 at 1: what one rounding of a number of that size costs.
inline constexpr Real kSingleRounding{1, -24};

/// Numbers from `low` to `high`. A NaN in `low` is a NaN.
struct RealInterval {
  Real low, high;
};
[[nodiscard]] constexpr RealInterval around(Real value, Real radius) {
  return {value - radius, value + radius};
}

/// An output under a bound: what each number of the interval may be rounded to.
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
