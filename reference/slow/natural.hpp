// SPDX-License-Identifier: Apache-2.0
// Natural numbers in schoolbook arithmetic: an array of digits in base 2^32. Only for the naive
// twin, where obvious correctness matters and speed does not.
//
// Assumption: no number needs more than 6,656 bits, the span of sums of products of three fp64
// factors. Overflowing the array aborts the test.
#pragma once

#include <array>
#include <cstdint>

namespace halfmark::slow {

class Natural {
 public:
  Natural() = default;
  explicit Natural(std::uint64_t value);
  Natural(const Natural& other) { *this = other; }
  Natural& operator=(const Natural& other);  // copies only the digits in use
  ~Natural() = default;

  [[nodiscard]] bool is_zero() const { return used_ == 0; }
  [[nodiscard]] bool is_one() const { return used_ == 1 && digits_[0] == 1; }
  [[nodiscard]] bool is_even() const { return used_ == 0 || digits_[0] % 2 == 0; }
  [[nodiscard]] int bit_length() const;
  [[nodiscard]] Natural shifted_left(int places) const;

  friend Natural operator+(const Natural& a, const Natural& b);
  friend Natural operator-(const Natural& a, const Natural& b);  // requires a >= b
  friend Natural operator*(const Natural& a, const Natural& b);
  // The sign of a - b: negative, zero or positive.
  friend int compare(const Natural& a, const Natural& b);

 private:
  static constexpr int kDigits = 208;

  [[nodiscard]] std::uint64_t digit(int i) const;
  void set_digit(int i, std::uint64_t digit);
  void drop_leading_zeros();

  std::array<std::uint32_t, kDigits> digits_;  // least significant first; only those below used_
                                               // are set
  int used_ = 0;
};

}  // namespace halfmark::slow
