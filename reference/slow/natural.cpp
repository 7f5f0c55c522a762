// SPDX-License-Identifier: Apache-2.0
#include "reference/slow/natural.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>

namespace halfmark::slow {

Natural::Natural(std::uint64_t value) {
  set_digit(0, value & 0xffffffff);
  set_digit(1, value >> 32);
  drop_leading_zeros();
}

Natural& Natural::operator=(const Natural& other) {
  if (this == &other) return *this;
  std::copy_n(other.digits_.begin(), other.used_, digits_.begin());
  used_ = other.used_;
  return *this;
}

std::uint64_t Natural::digit(int i) const {
  return i >= 0 && i < used_ ? digits_[static_cast<std::size_t>(i)] : 0;
}

void Natural::set_digit(int i, std::uint64_t digit) {
  if (i >= kDigits) {
    if (digit != 0) std::abort();
    return;
  }
  for (; used_ <= i; ++used_) digits_[static_cast<std::size_t>(used_)] = 0;
  digits_[static_cast<std::size_t>(i)] = static_cast<std::uint32_t>(digit);
}

void Natural::drop_leading_zeros() {
  while (used_ > 0 && digit(used_ - 1) == 0) --used_;
}

int Natural::bit_length() const {
  return used_ == 0 ? 0 : (used_ - 1) * 32 + static_cast<int>(std::bit_width(digit(used_ - 1)));
}

Natural Natural::shifted_left(int places) const {
  Natural result;
  const int whole = places / 32;
  const int part = places % 32;
  for (int i = 0; i <= used_; ++i) {
    const std::uint64_t both = digit(i) << 32 | digit(i - 1);
    result.set_digit(i + whole, both << part >> 32 & 0xffffffff);
  }
  result.drop_leading_zeros();
  return result;
}

Natural operator+(const Natural& a, const Natural& b) {
  Natural result;
  std::uint64_t carry = 0;
  for (int i = 0; i <= std::max(a.used_, b.used_); ++i) {
    const std::uint64_t total = a.digit(i) + b.digit(i) + carry;
    result.set_digit(i, total & 0xffffffff);
    carry = total >> 32;
  }
  result.drop_leading_zeros();
  return result;
}

Natural operator-(const Natural& a, const Natural& b) {
  Natural result;
  std::uint64_t borrow = 0;
  for (int i = 0; i < a.used_; ++i) {
    const std::uint64_t difference = a.digit(i) - b.digit(i) - borrow;
    result.set_digit(i, difference & 0xffffffff);
    borrow = difference >> 63;
  }
  result.drop_leading_zeros();
  return result;
}

Natural operator*(const Natural& a, const Natural& b) {
  Natural result;
  for (int i = 0; i < a.used_; ++i) {
    std::uint64_t carry = 0;
    for (int j = 0; j <= b.used_; ++j) {
      const std::uint64_t total = a.digit(i) * b.digit(j) + result.digit(i + j) + carry;
      result.set_digit(i + j, total & 0xffffffff);
      carry = total >> 32;
    }
  }
  result.drop_leading_zeros();
  return result;
}

int compare(const Natural& a, const Natural& b) {
  if (a.used_ != b.used_) return a.used_ < b.used_ ? -1 : 1;
  for (int i = a.used_ - 1; i >= 0; --i) {
    if (a.digit(i) != b.digit(i)) return a.digit(i) < b.digit(i) ? -1 : 1;
  }
  return 0;
}

}  // namespace halfmark::slow
