// SPDX-License-Identifier: Apache-2.0
// Natural numbers as school teaches them: an array of digits in base 2^32. For the naive twin only,
// where being obviously right matters and speed does not.
//
// Assumption: no number here needs more than 6,656 bits, what sums of three fp64 factors span.
// Leaving the array aborts the test.
#pragma once

#include <array>
#include <cstdint>

namespace halfmark::slow {

class Natural {
 public:
  Natural() = default;
  explicit Natural(std::uint64_t value);
  Natural(const Natural& other) { *this = other; }
  Natural& operator=(const Natural& other);  // copies the digits in use
  ~Natural() = default;

  [[nodiscard]] bool is_zero() const { return used_ == 0; }
  [[nodiscard]] bool is_one() const { return used_ == 1 && digits_[0] == 1; }
  [[nodiscard]] bool is_even() const { return used_ == 0 || digits_[0] % 2 == 0; }
  [[nodiscard]] int bit_length() const;
  [[nodiscard]] Natural shifted_left(int places) const;

  friend Natural operator+(const Natural& a, const Natural& b);
  friend Natural operator-(const Natural& a, const Natural& b);  // a >= b
  friend Natural operator*(const Natural& a, const Natural& b);
  // Negative, zero or positive, as a - b is.
  friend int compare(const Natural& a, const Natural& b);

 private:
  static constexpr int kDigits = 208;

  [[nodiscard]] std::uint64_t digit(int i) const;
  void set_digit(int i, std::uint64_t digit);
  void drop_leading_zeros();

  std::array<std::uint32_t, kDigits> digits_;  // least significant first; set below used_ only
  int used_ = 0;
};

}  // namespace halfmark::slow
