// SPDX-License-Identifier: Apache-2.0
//
// What the row operators of the software device's library share: tensors as rows along their last
// axis, fp32 sums, and what a fault may alter of either. A default policy is right.
//
// Assumptions:
//  1. Views lie inside their buffers; the caller has checked that. Where a fault looks outside of
//  the buffer it sees zeros, and what it writes there is lost.
//  2. Elements are decoded to double exactly and kept as float: fp16, bf16 and fp32 fit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "backends/host/library/operators.hpp"

namespace halfmark::backends::host::library {

// Where a row is looked for.
struct Addressing {
  bool dense = false;           // strides are ignored
  unsigned offset_bits = 64;    // the offset of a row wraps
  std::uint64_t row_limit = 0;  // rows at or past it are taken from the start again; 0: none
};

// A tensor as rows along its last axis, the other axes run through in order.
class Rows {
 public:
  explicit Rows(const Tensor& tensor, const Addressing& addressing = {});

  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] std::size_t width() const { return width_; }
  [[nodiscard]] const Format& format() const { return *tensor_.format; }
  // Elements from one row to the next; what is more than the width lies between rows.
  [[nodiscard]] std::size_t pitch() const;

  [[nodiscard]] float at(std::size_t row, std::size_t column) const;
  // `length` elements from the start of the row on, which may run past its end.
  [[nodiscard]] std::vector<float> read(std::size_t row, std::size_t length) const;
  [[nodiscard]] std::vector<float> read(std::size_t row) const { return read(row, width_); }
  void write(std::size_t row, std::span<const float> values, const Storing& storing) const;

 private:
  [[nodiscard]] std::int64_t offset(std::size_t row, std::size_t column) const;

  Tensor tensor_;
  Addressing addressing_;
  std::size_t count_ = 1, width_ = 1;
};

// How fp32 terms are added.
struct Summation {
  const Format* kept_in = nullptr;  // the running sum is rounded to it after each term
  bool in_double = false;
  std::size_t lanes = 1;  // partial sums, added in the end
};
[[nodiscard]] float total(std::span<const float> terms, const Summation& how);

// Elementary functions to fp32, rounded correctly or, where that is legal, by so many units in the
// last place off, in a direction that depends on the operand.
struct Functions {
  int exp_ulps = 0, rsqrt_ulps = 0, reciprocal_ulps = 0;
  bool multiplies_by_reciprocal = false;  // instead of dividing

  [[nodiscard]] float exp(float x) const;
  [[nodiscard]] float log(float x) const;
  [[nodiscard]] float rsqrt(float x) const;
  [[nodiscard]] float divide(float a, float b) const;
};

// Lets a control alter what every row operator shares; all others leave it as it is.
void plant_control(const Fault& fault, Functions& functions, Summation& sum, Storing& storing);

}  // namespace halfmark::backends::host::library
