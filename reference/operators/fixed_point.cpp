// SPDX-License-Identifier: Apache-2.0
#include "reference/operators/fixed_point.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <utility>

namespace halfmark::operators {
namespace {

__extension__ using Wide = unsigned __int128;

std::uint64_t low(Wide value) { return static_cast<std::uint64_t>(value); }
std::uint64_t high(Wide value) { return static_cast<std::uint64_t>(value >> 64); }

// Leaving the range is always a defect of this program, never of its input.
void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

FixedPoint::FixedPoint(std::size_t fraction_limbs, std::uint64_t integer, int place)
    : FixedPoint(fraction_limbs) {
  limbs_[this->fraction_limbs()] = integer;
  shift(place);
}

bool FixedPoint::is_zero() const {
  return std::all_of(limbs_.begin(), limbs_.end(), [](std::uint64_t limb) { return limb == 0; });
}

int FixedPoint::exponent() const {
  std::size_t top = limbs_.size() - 1;
  while (top > 0 && limbs_[top] == 0) --top;
  return static_cast<int>(64 * top) + 63 - std::countl_zero(limbs_[top]) - fraction_bits();
}

FixedPoint& FixedPoint::operator+=(const FixedPoint& other) {
  std::uint64_t carry = 0;
  for (std::size_t i = 0; i < limbs_.size(); ++i) {
    const Wide sum = Wide{limbs_[i]} + other.limbs_[i] + carry;
    limbs_[i] = low(sum);
    carry = high(sum);
  }
  return *this;
}

FixedPoint& FixedPoint::operator-=(const FixedPoint& other) {
  std::uint64_t borrow = 0;
  for (std::size_t i = 0; i < limbs_.size(); ++i) {
    const Wide difference = Wide{limbs_[i]} - other.limbs_[i] - borrow;
    limbs_[i] = low(difference);
    borrow = high(difference) != 0 ? 1 : 0;
  }
  return *this;
}

FixedPoint FixedPoint::times(const FixedPoint& other) const {
  const std::size_t count = limbs_.size();
  std::vector<std::uint64_t> product(2 * count);
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t carry = 0;
    for (std::size_t j = 0; j < count; ++j) {
      const Wide term = Wide{limbs_[i]} * other.limbs_[j] + product[i + j] + carry;
      product[i + j] = low(term);
      carry = high(term);
    }
    product[i + count] = carry;
  }
  FixedPoint result(fraction_limbs());
  const auto begin = product.begin() + static_cast<std::ptrdiff_t>(fraction_limbs());
  std::copy_n(begin, count, result.limbs_.begin());
  return result;
}

FixedPoint& FixedPoint::divide(std::uint64_t divisor) {
  std::uint64_t rest = 0;
  for (std::size_t i = limbs_.size(); i-- > 0;) {
    const Wide part = (Wide{rest} << 64) | limbs_[i];
    limbs_[i] = low(part / divisor);
    rest = low(part % divisor);
  }
  return *this;
}

FixedPoint& FixedPoint::shift(int places) {
  require(is_zero() || exponent() + places < 64 * static_cast<int>(kIntegerLimbs));
  const std::size_t count = limbs_.size();
  const auto size = static_cast<std::size_t>(places < 0 ? -places : places);
  const std::size_t whole_limbs = size / 64;
  const std::size_t bits = size % 64;
  std::vector<std::uint64_t> moved(count);
  for (std::size_t i = 0; i + whole_limbs < count; ++i) {
    if (places >= 0) {
      moved[i + whole_limbs] |= limbs_[i] << bits;
      if (bits != 0 && i + whole_limbs + 1 < count) {
        moved[i + whole_limbs + 1] |= limbs_[i] >> (64 - bits);
      }
    } else {
      moved[i] |= limbs_[i + whole_limbs] >> bits;
      if (bits != 0 && i + whole_limbs + 1 < count) {
        moved[i] |= limbs_[i + whole_limbs + 1] << (64 - bits);
      }
    }
  }
  limbs_ = std::move(moved);
  return *this;
}

std::strong_ordering operator<=>(const FixedPoint& a, const FixedPoint& b) {
  return std::lexicographical_compare_three_way(a.limbs_.rbegin(), a.limbs_.rend(),
                                                b.limbs_.rbegin(), b.limbs_.rend());
}

FixedPoint ln2(std::size_t fraction_limbs) {
  // ln 2 = 2 atanh(1/3) = sum 2 / ((2k + 1) 3^(2k + 1)); fewer than 2^9 terms for 1024 bits, each
  // truncated by less than two last places.
  FixedPoint power(fraction_limbs, 2, 0);
  power.divide(3);
  FixedPoint sum(fraction_limbs);
  for (std::uint64_t k = 0; !power.is_zero(); ++k) {
    FixedPoint term = power;
    sum += term.divide(2 * k + 1);
    power.divide(9);
  }
  return sum;
}

FixedPoint exp(const FixedPoint& x, bool negated) {
  constexpr int kHalvings = 8;
  const std::size_t limbs = x.fraction_limbs();
  const FixedPoint log_two = ln2(limbs);
  // u = x - n ln 2, or n ln 2 - x for exp(-x), in [0, ln 2]. The constant is 1 / ln 2, rounded up.
  const FixedPoint quotient = x.times(FixedPoint(limbs, 0xb8aa3b295c17f0bc, -63));
  std::uint64_t n = quotient.whole() + (negated ? 1 : 0);
  FixedPoint multiple = log_two.times(FixedPoint(limbs, n, 0));
  while (negated ? multiple < x : multiple > x) {  // only next to a multiple of ln 2
    if (negated) {
      multiple += log_two;
      ++n;
    } else {
      multiple -= log_two;
      --n;
    }
  }
  FixedPoint u = negated ? multiple : x;
  u -= negated ? x : multiple;
  u.shift(-kHalvings);
  FixedPoint term(limbs, 1, 0);
  FixedPoint sum = term;
  // Fewer than 200 terms, each truncated twice; the squarings multiply the error by 2^8 and add
  // their own.
  for (std::uint64_t k = 1; !term.is_zero(); ++k) {
    term = term.times(u).divide(k);
    sum += term;
  }
  for (int i = 0; i < kHalvings; ++i) sum = sum.times(sum);
  const int power = static_cast<int>(n);
  return sum.shift(negated ? -power : power);
}

}  // namespace halfmark::operators
