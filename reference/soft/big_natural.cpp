// SPDX-License-Identifier: Apache-2.0
#include "reference/soft/big_natural.hpp"

#include <algorithm>
#include <bit>

namespace halfmark::soft {
namespace {

constexpr int kLimbBits = 32;

std::uint32_t low_half(std::uint64_t word) { return static_cast<std::uint32_t>(word); }

}  // namespace

BigNatural::BigNatural(std::uint64_t value)
    : limbs_{low_half(value), low_half(value >> kLimbBits)} {
  drop_leading_zeros();
}

void BigNatural::drop_leading_zeros() {
  while (!limbs_.empty() && limbs_.back() == 0) limbs_.pop_back();
}

std::int64_t BigNatural::bit_length() const {
  if (limbs_.empty()) return 0;
  return static_cast<std::int64_t>(limbs_.size() - 1) * kLimbBits + std::bit_width(limbs_.back());
}

std::int64_t BigNatural::trailing_zeros() const {
  for (std::size_t i = 0; i < limbs_.size(); ++i) {
    if (limbs_[i] != 0) {
      return static_cast<std::int64_t>(i) * kLimbBits + std::countr_zero(limbs_[i]);
    }
  }
  return 0;
}

std::uint64_t BigNatural::low_word() const { return limb(0) | limb(1) << kLimbBits; }

std::string BigNatural::decimal() const {
  constexpr std::uint32_t kBillion = 1'000'000'000;
  if (is_zero()) return "0";
  std::string digits;  // least significant first
  for (BigNatural rest = *this; !rest.is_zero();) {
    std::uint32_t group = rest.divide_by(kBillion);
    for (int i = 0; i < 9; ++i, group /= 10) digits.push_back(static_cast<char>('0' + group % 10));
  }
  digits.erase(digits.find_last_not_of('0') + 1);
  std::reverse(digits.begin(), digits.end());
  return digits;
}

void BigNatural::multiply_add(std::uint32_t factor, std::uint32_t addend) {
  std::uint64_t carry = addend;
  for (std::uint32_t& limb : limbs_) {
    carry += std::uint64_t{limb} * factor;
    limb = low_half(carry);
    carry >>= kLimbBits;
  }
  if (carry != 0) limbs_.push_back(low_half(carry));
  drop_leading_zeros();
}

std::uint32_t BigNatural::divide_by(std::uint32_t divisor) {
  std::uint64_t rest = 0;
  for (std::size_t i = limbs_.size(); i-- > 0;) {
    rest = rest << kLimbBits | limbs_[i];
    limbs_[i] = low_half(rest / divisor);
    rest %= divisor;
  }
  drop_leading_zeros();
  return low_half(rest);
}

BigNatural BigNatural::shifted_left(std::int64_t places) const {
  if (is_zero() || places == 0) return *this;
  const auto whole = static_cast<std::size_t>(places / kLimbBits);
  const auto part = static_cast<int>(places % kLimbBits);
  BigNatural result;
  result.limbs_.resize(whole + limbs_.size() + 1);
  for (std::size_t i = 0; i <= limbs_.size(); ++i) {
    const std::uint64_t below = i == 0 ? 0 : limb(i - 1);
    result.limbs_[i + whole] = low_half((limb(i) << kLimbBits | below) << part >> kLimbBits);
  }
  result.drop_leading_zeros();
  return result;
}

BigNatural BigNatural::shifted_right(std::int64_t places) const {
  const auto whole = static_cast<std::size_t>(places / kLimbBits);
  const auto part = static_cast<int>(places % kLimbBits);
  BigNatural result;
  for (std::size_t i = whole; i < limbs_.size(); ++i) {
    result.limbs_.push_back(low_half((limb(i + 1) << kLimbBits | limb(i)) >> part));
  }
  result.drop_leading_zeros();
  return result;
}

BigNatural operator+(const BigNatural& a, const BigNatural& b) {
  BigNatural sum;
  std::uint64_t carry = 0;
  for (std::size_t i = 0; i < std::max(a.limbs_.size(), b.limbs_.size()); ++i) {
    carry += a.limb(i) + b.limb(i);
    sum.limbs_.push_back(low_half(carry));
    carry >>= kLimbBits;
  }
  if (carry != 0) sum.limbs_.push_back(low_half(carry));
  return sum;
}

BigNatural operator-(const BigNatural& a, const BigNatural& b) {
  BigNatural difference;
  std::uint64_t borrow = 0;
  for (std::size_t i = 0; i < a.limbs_.size(); ++i) {
    const std::uint64_t word = a.limb(i) - b.limb(i) - borrow;
    difference.limbs_.push_back(low_half(word));
    borrow = word >> 63;
  }
  difference.drop_leading_zeros();
  return difference;
}

BigNatural operator*(const BigNatural& a, const BigNatural& b) {
  BigNatural product;
  product.limbs_.resize(a.limbs_.size() + b.limbs_.size());
  for (std::size_t i = 0; i < a.limbs_.size(); ++i) {
    std::uint64_t carry = 0;
    for (std::size_t j = 0; j < b.limbs_.size(); ++j) {
      carry += a.limb(i) * b.limb(j) + product.limb(i + j);
      product.limbs_[i + j] = low_half(carry);
      carry >>= kLimbBits;
    }
    product.limbs_[i + b.limbs_.size()] = low_half(carry);
  }
  product.drop_leading_zeros();
  return product;
}

int compare(const BigNatural& a, const BigNatural& b) {
  if (a.limbs_.size() != b.limbs_.size()) return a.limbs_.size() < b.limbs_.size() ? -1 : 1;
  for (std::size_t i = a.limbs_.size(); i-- > 0;) {
    if (a.limbs_[i] != b.limbs_[i]) return a.limbs_[i] < b.limbs_[i] ? -1 : 1;
  }
  return 0;
}

BigNatural power(std::uint32_t base, std::int64_t exponent) {
  BigNatural result(1);
  BigNatural square(base);
  for (std::int64_t rest = exponent; rest > 0; rest >>= 1) {
    if ((rest & 1) != 0) result = result * square;
    if (rest > 1) square = square * square;
  }
  return result;
}

Division divide(const BigNatural& dividend, const BigNatural& divisor) {
  Division result{.quotient = {}, .remainder = dividend};
  const std::int64_t top = dividend.bit_length() - divisor.bit_length();
  for (std::int64_t place = top; place >= 0; --place) {
    const BigNatural part = divisor.shifted_left(place);
    const bool fits = compare(part, result.remainder) <= 0;
    if (fits) result.remainder = result.remainder - part;
    result.quotient.multiply_add(2, fits ? 1 : 0);
  }
  return result;
}

BigNatural integer_root(const BigNatural& n) {
  BigNatural root;
  for (std::int64_t place = (n.bit_length() + 1) / 2; place >= 0; --place) {
    const BigNatural trial = root + BigNatural(1).shifted_left(place);
    if (compare(trial * trial, n) <= 0) root = trial;
  }
  return root;
}

}  // namespace halfmark::soft
