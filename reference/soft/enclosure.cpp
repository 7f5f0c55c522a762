// SPDX-License-Identifier: Apache-2.0
#include "reference/soft/enclosure.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>

namespace halfmark::soft {
namespace {

__extension__ using Wide = unsigned __int128;

std::uint64_t& at(Limbs& limbs, int i) { return limbs[static_cast<std::size_t>(i)]; }
std::uint64_t at(const Limbs& limbs, int i) { return limbs[static_cast<std::size_t>(i)]; }

// Leaving the range is always a bug in this program, never a fault of its input.
void require(bool holds) {
  if (!holds) std::abort();
}

int compare(const Limbs& a, const Limbs& b, int size) {
  for (int i = size - 1; i >= 0; --i) {
    if (at(a, i) != at(b, i)) return at(a, i) < at(b, i) ? -1 : 1;
  }
  return 0;
}

// The position of the leading one; -1 for zero.
int top_bit(const Limbs& a, int size) {
  int i = size - 1;
  while (i >= 0 && at(a, i) == 0) --i;
  return i < 0 ? -1 : 64 * i + 63 - std::countl_zero(at(a, i));
}

void add(Limbs& a, const Limbs& b, int size) {
  std::uint64_t carry = 0;
  for (int i = 0; i < size; ++i) {
    const Wide sum = Wide{at(a, i)} + at(b, i) + carry;
    at(a, i) = static_cast<std::uint64_t>(sum);
    carry = static_cast<std::uint64_t>(sum >> 64);
  }
  require(carry == 0);
}

// requires a >= b
void subtract(Limbs& a, const Limbs& b, int size) {
  std::uint64_t borrow = 0;
  for (int i = 0; i < size; ++i) {
    const Wide difference = Wide{at(a, i)} - at(b, i) - borrow;
    at(a, i) = static_cast<std::uint64_t>(difference);
    borrow = static_cast<std::uint64_t>(difference >> 64) & 1;
  }
}

void add_one(Limbs& a, int size) {
  Limbs one{};
  one[0] = 1;
  add(a, one, size);
}

// a * 2^places, truncated; rounded up in the last place if `up` and anything was cut off.
Limbs shift(const Limbs& a, int places, int size, bool up) {
  Limbs result{};
  const int top = top_bit(a, size);
  if (top < 0) return result;
  require(top + places < 64 * size);
  bool rest = false;
  const int limbs = places >= 0 ? places / 64 : -((-places + 63) / 64);  // floor
  const int bits = places - 64 * limbs;
  for (int i = 0; i < size; ++i) {
    const int to = i + limbs;
    const std::uint64_t low = at(a, i) << bits;
    const std::uint64_t high = bits == 0 ? 0 : at(a, i) >> (64 - bits);
    if (to >= 0 && to < size) at(result, to) |= low;
    if (to + 1 >= 0 && to + 1 < size) at(result, to + 1) |= high;
    if ((to < 0 && low != 0) || (to + 1 < 0 && high != 0)) rest = true;
  }
  if (up && rest) add_one(result, size);
  return result;
}

Limbs multiply(const Limbs& a, const Limbs& b, int fraction, bool up) {
  const int size = fraction + kIntegerLimbs;
  std::array<std::uint64_t, 2 * kMaxLimbs> product{};
  for (int i = 0; i < size; ++i) {
    if (at(a, i) == 0) continue;
    std::uint64_t carry = 0;
    for (int j = 0; j < size; ++j) {
      std::uint64_t& digit = product[static_cast<std::size_t>(i + j)];
      const Wide sum = Wide{at(a, i)} * at(b, j) + digit + carry;
      digit = static_cast<std::uint64_t>(sum);
      carry = static_cast<std::uint64_t>(sum >> 64);
    }
    product[static_cast<std::size_t>(i + size)] = carry;
  }
  Limbs result{};
  std::copy_n(product.begin() + fraction, size, result.begin());
  const auto is_zero = [](std::uint64_t limb) { return limb == 0; };
  require(std::all_of(product.begin() + fraction + size, product.end(), is_zero));
  if (up && !std::all_of(product.begin(), product.begin() + fraction, is_zero)) {
    add_one(result, size);
  }
  return result;
}

Limbs divide(const Limbs& a, std::uint64_t divisor, int size, bool up) {
  Limbs result{};
  std::uint64_t rest = 0;
  for (int i = size - 1; i >= 0; --i) {
    const Wide dividend = Wide{rest} << 64 | at(a, i);
    at(result, i) = static_cast<std::uint64_t>(dividend / divisor);
    rest = static_cast<std::uint64_t>(dividend % divisor);
  }
  if (up && rest != 0) add_one(result, size);
  return result;
}

// a / b by long division, one bit of the quotient at a time. The running remainder stays below 2 b.
Limbs divide(const Limbs& a, const Limbs& b, int fraction, bool up) {
  const int size = fraction + kIntegerLimbs;
  require(top_bit(b, size) >= 0 && top_bit(b, size) < 64 * size - 1);
  Limbs quotient{};
  Limbs rest{};
  for (int bit = top_bit(a, size) + 64 * fraction; bit >= 0; --bit) {
    rest = shift(rest, 1, size, false);
    const int from = bit - 64 * fraction;
    if (from >= 0) rest[0] |= at(a, from / 64) >> (from % 64) & 1;
    if (compare(rest, b, size) < 0) continue;
    subtract(rest, b, size);
    require(bit < 64 * size);
    at(quotient, bit / 64) |= std::uint64_t{1} << (bit % 64);
  }
  if (up && top_bit(rest, size) >= 0) add_one(quotient, size);
  return quotient;
}

// The root by trial from the top bit: the largest one whose square does not exceed a.
Limbs root(const Limbs& a, int fraction, bool up) {
  const int size = fraction + kIntegerLimbs;
  Limbs result{};
  for (int bit = (top_bit(a, size) + 64 * fraction) / 2 + 1; bit >= 0; --bit) {
    Limbs trial = result;
    at(trial, bit / 64) |= std::uint64_t{1} << (bit % 64);
    if (compare(multiply(trial, trial, fraction, true), a, size) <= 0) result = trial;
  }
  if (up && compare(multiply(result, result, fraction, false), a, size) < 0) add_one(result, size);
  return result;
}

}  // namespace

Enclosure::Enclosure(int fraction_limbs, std::uint64_t integer, int place)
    : fraction_limbs_(fraction_limbs) {
  require(fraction_limbs > 0 && fraction_limbs <= kMaxFractionLimbs);
  Limbs number{};
  number[point()] = integer;
  low_ = shift(number, place, size(), false);
  high_ = shift(number, place, size(), true);
}

Leading Enclosure::leading(const Limbs& end) const {
  const int top = top_bit(end, size());
  if (top < 0) return {0, 0, false};
  std::uint64_t significand = 0;
  for (int bit = top; bit > top - 63; --bit) {
    const std::uint64_t digit = bit < 0 ? 0 : at(end, bit / 64) >> (bit % 64) & 1;
    significand = significand << 1 | digit;
  }
  bool rest = false;
  for (int bit = top - 63; bit >= 0 && !rest; --bit)
    rest = (at(end, bit / 64) >> (bit % 64) & 1) != 0;
  return {top - 64 * fraction_limbs_, significand, rest};
}

unsigned __int128 Enclosure::low_scaled(int bits) const {
  const Limbs scaled = shift(low_, bits - 64 * fraction_limbs_, size(), false);
  return Wide{scaled[1]} << 64 | scaled[0];
}

bool Enclosure::is_last_place() const { return top_bit(high_, size()) <= 0; }

Enclosure Enclosure::shifted(int places) const {
  Enclosure result = *this;
  result.low_ = shift(low_, places, size(), false);
  result.high_ = shift(high_, places, size(), true);
  return result;
}

Enclosure Enclosure::times(std::uint64_t factor) const {
  return *this * Enclosure(fraction_limbs_, factor);
}

Enclosure Enclosure::divided_by(std::uint64_t divisor) const {
  Enclosure result = *this;
  result.low_ = divide(low_, divisor, size(), false);
  result.high_ = divide(high_, divisor, size(), true);
  return result;
}

Enclosure Enclosure::root() const {
  Enclosure result = *this;
  result.low_ = soft::root(low_, fraction_limbs_, false);
  result.high_ = soft::root(high_, fraction_limbs_, true);
  return result;
}

Enclosure Enclosure::fraction() const {
  Enclosure result = *this;
  for (int i = fraction_limbs_; i < size(); ++i) {
    require(at(low_, i) == at(high_, i));
    at(result.low_, i) = at(result.high_, i) = 0;
  }
  return result;
}

Enclosure Enclosure::widened(const Enclosure& more) const {
  Enclosure result = *this;
  add(result.high_, more.high_, size());
  return result;
}

Enclosure operator+(const Enclosure& a, const Enclosure& b) {
  Enclosure result = a;
  add(result.low_, b.low_, a.size());
  add(result.high_, b.high_, a.size());
  return result;
}

// The true difference is not negative, so neither is a low end.
Enclosure operator-(const Enclosure& a, const Enclosure& b) {
  Enclosure result = a;
  if (compare(a.low_, b.high_, a.size()) < 0) {
    result.low_ = {};
  } else {
    subtract(result.low_, b.high_, a.size());
  }
  require(compare(a.high_, b.low_, a.size()) >= 0);
  subtract(result.high_, b.low_, a.size());
  return result;
}

Enclosure operator*(const Enclosure& a, const Enclosure& b) {
  Enclosure result = a;
  result.low_ = multiply(a.low_, b.low_, a.fraction_limbs_, false);
  result.high_ = multiply(a.high_, b.high_, a.fraction_limbs_, true);
  return result;
}

Enclosure operator/(const Enclosure& a, const Enclosure& b) {
  Enclosure result = a;
  result.low_ = divide(a.low_, b.high_, a.fraction_limbs_, false);
  result.high_ = divide(a.high_, b.low_, a.fraction_limbs_, true);
  return result;
}

}  // namespace halfmark::soft
