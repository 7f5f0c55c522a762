// SPDX-License-Identifier: Apache-2.0
// The fp32 operations of a machine, in which the specified sequences of operators are written, and
// the encodings that these need. Flags are dropped.
#pragma once

#include "reference/formats/format.hpp"
#include "reference/models/machine.hpp"

namespace halfmark::operators {

/// Refers to the machine, which must outlive it.
class Fp32 {
 public:
  using Bits = formats::Bits;
  static constexpr Bits kOne = 0x3f800000;
  static constexpr Bits kMinusZero = 0x80000000;
  static constexpr Bits kInfinity = 0x7f800000;
  static constexpr Bits kMinusInfinity = 0xff800000;
  static constexpr Bits kNan = 0x7fc00000;

  explicit constexpr Fp32(const models::Machine& machine) : machine_(machine) {}

  [[nodiscard]] Bits add(Bits a, Bits b) const;
  [[nodiscard]] Bits sub(Bits a, Bits b) const;
  [[nodiscard]] Bits mul(Bits a, Bits b) const;
  [[nodiscard]] Bits fma(Bits a, Bits b, Bits c) const;
  [[nodiscard]] Bits div(Bits a, Bits b) const;
  [[nodiscard]] Bits sqrt(Bits a) const;
  /// Conversions from and to a storage format.
  [[nodiscard]] Bits load(const formats::Format& from, Bits stored) const;
  [[nodiscard]] Bits store(const formats::Format& to, Bits value) const;

  [[nodiscard]] static Bits negated(Bits a) { return a ^ kMinusZero; }
  /// a > b as in C: false if either is a NaN.
  [[nodiscard]] static bool greater(Bits a, Bits b);

 private:
  const models::Machine& machine_;
};

}  // namespace halfmark::operators
