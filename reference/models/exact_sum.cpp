// SPDX-License-Identifier: Apache-2.0
#include "reference/models/exact_sum.hpp"

namespace halfmark::models {
namespace {

using formats::Bits;
using formats::Format;
using soft::Kind;
using soft::Value;
using soft::Wide;
using Limb = std::uint64_t;

// A finite value as an odd integer times 2^place: the place is then never below the format's least.
struct Odd {
  Limb integer;
  int place;
};

Odd odd(const Value& value) {
  const int zeros = std::countr_zero(value.significand);
  return {value.significand >> zeros, value.exponent - soft::kLead + zeros};
}

template <std::size_t kCount>
void negate(std::array<Limb, kCount>& limbs) {
  Limb carry = 1;
  for (Limb& limb : limbs) {
    limb = ~limb + carry;
    carry = carry != 0 && limb == 0 ? 1 : 0;
  }
}

template <std::size_t kCount>
void multiply(std::array<Limb, kCount>& limbs, Limb factor) {
  Limb carry = 0;
  for (Limb& limb : limbs) {
    const Wide product = Wide{limb} * factor + carry;
    limb = static_cast<Limb>(product);
    carry = static_cast<Limb>(product >> 64);
  }
}

// Whole limbs first, then bits; places outside the array read as zero.
template <std::size_t kCount>
void shift(std::array<Limb, kCount>& limbs, int places) {
  const int whole = places >> 6;
  const int part = places & 63;
  const std::array<Limb, kCount> old = limbs;
  const auto at = [&](int i) {
    return i < 0 || i >= static_cast<int>(kCount) ? Limb{0} : old[static_cast<std::size_t>(i)];
  };
  for (int i = 0; i < static_cast<int>(kCount); ++i) {
    const Limb lower = part == 0 ? 0 : at(i - whole - 1) >> (64 - part);
    limbs[static_cast<std::size_t>(i)] = at(i - whole) << part | lower;
  }
}

// The position of the leading one, or -1.
template <std::size_t kCount>
int leading_place(const std::array<Limb, kCount>& limbs) {
  for (std::size_t i = kCount; i-- > 0;) {
    if (limbs[i] != 0) return static_cast<int>(i) * 64 + 63 - std::countl_zero(limbs[i]);
  }
  return -1;
}

}  // namespace

void ExactSum::add_special(const Value& value) {
  if (value.is_nan()) {
    nan_ = true;
    invalid_ = invalid_ || value.kind == Kind::kSignalingNan;
  } else if (value.kind == Kind::kInfinity) {
    (value.negative ? minus_infinity_ : plus_infinity_) = true;
  }
}

void ExactSum::add_finite(bool negative, int place, Wide integer) {
  const int offset = place - kMinPlace;
  auto limb = static_cast<std::size_t>(offset >> 6);
  const int part = offset & 63;
  const auto low = static_cast<Limb>(integer);
  const auto high = static_cast<Limb>(integer >> 64);
  const std::array<Limb, 3> words{low << part, part == 0 ? high : high << part | low >> (64 - part),
                                  part == 0 ? 0 : high >> (64 - part)};
  Limb carry = 0;
  for (std::size_t i = 0; limb < kLimbs && (i < words.size() || carry != 0); ++i, ++limb) {
    const Limb word = i < words.size() ? words[i] : 0;
    const Wide total =
        negative ? Wide{limbs_[limb]} - word - carry : Wide{limbs_[limb]} + word + carry;
    limbs_[limb] = static_cast<Limb>(total);
    carry = static_cast<Limb>(total >> 64) & 1;
  }
}

void ExactSum::add(const Format& f, Bits x) {
  const Value value = soft::unpack(f, x);
  if (!value.is_nan()) see_sign(value.negative);
  if (value.kind != Kind::kFinite) return add_special(value);
  const Odd term = odd(value);
  add_finite(value.negative, term.place, term.integer);
}

void ExactSum::add_product(const Format& fa, Bits a, const Format& fb, Bits b) {
  const Value x = soft::unpack(fa, a);
  const Value y = soft::unpack(fb, b);
  const bool negative = x.negative != y.negative;
  if (x.kind == Kind::kFinite && y.kind == Kind::kFinite) {
    see_sign(negative);
    const Odd m = odd(x);
    const Odd n = odd(y);
    return add_finite(negative, m.place + n.place, Wide{m.integer} * n.integer);
  }
  add_special(x.is_nan() ? x : Value{Kind::kZero, false, 0, 0});
  add_special(y.is_nan() ? y : Value{Kind::kZero, false, 0, 0});
  if (x.is_nan() || y.is_nan()) return;
  see_sign(negative);
  if (soft::detail::is_invalid_product(x, y)) {
    nan_ = invalid_ = true;
  } else if (x.kind == Kind::kInfinity || y.kind == Kind::kInfinity) {
    add_special({Kind::kInfinity, negative, 0, 0});
  }
}

void ExactSum::add(const ExactSum& other) {
  Limb carry = 0;
  for (std::size_t i = 0; i < kLimbs; ++i) {
    const Wide total = Wide{limbs_[i]} + other.limbs_[i] + carry;
    limbs_[i] = static_cast<Limb>(total);
    carry = static_cast<Limb>(total >> 64);
  }
  positive_seen_ = positive_seen_ || other.positive_seen_;
  negative_seen_ = negative_seen_ || other.negative_seen_;
  plus_infinity_ = plus_infinity_ || other.plus_infinity_;
  minus_infinity_ = minus_infinity_ || other.minus_infinity_;
  nan_ = nan_ || other.nan_;
  invalid_ = invalid_ || other.invalid_;
}

ExactSum::Limbs ExactSum::magnitude() const {
  Limbs limbs = limbs_;
  if (is_negative()) negate(limbs);
  return limbs;
}

// A factor or a sum that is not finite.
void ExactSum::scale_special(const Value& factor) {
  add_special(factor.is_nan() ? factor : Value{Kind::kZero, false, 0, 0});
  if (factor.is_nan()) return;
  if (plus_infinity_ || minus_infinity_) {
    if (factor.kind == Kind::kZero) nan_ = invalid_ = true;
  } else if (!nan_) {  // a finite sum times an infinity
    if (leading_place(limbs_) < 0) {
      nan_ = invalid_ = true;
    } else {
      add_special({Kind::kInfinity, is_negative() != factor.negative, 0, 0});
    }
    return;
  }
  if (factor.negative) std::swap(plus_infinity_, minus_infinity_);
}

void ExactSum::scale(const Format& f, Bits factor) {
  const Value value = soft::unpack(f, factor);
  if (value.negative) std::swap(positive_seen_, negative_seen_);
  if (is_special() || value.is_nan() || value.kind == Kind::kInfinity) return scale_special(value);
  if (value.kind == Kind::kZero) {
    limbs_ = {};
    return;
  }
  const bool negative = is_negative() != value.negative;
  limbs_ = magnitude();
  const Odd scaled = odd(value);
  // Room for the product before it is moved down: the factor's own bits may pass the top limb.
  std::array<Limb, kLimbs + 1> wide{};
  std::copy(limbs_.begin(), limbs_.end(), wide.begin());
  multiply(wide, scaled.integer);
  shift(wide, scaled.place);
  std::copy_n(wide.begin(), kLimbs, limbs_.begin());
  if (negative) negate(limbs_);
}

soft::Result ExactSum::round(const Format& f, const soft::Environment& env) const {
  const bool opposite = plus_infinity_ && minus_infinity_;
  if (nan_ || opposite) return soft::detail::nan_result(f, invalid_ || (opposite && !nan_));
  if (is_special()) return soft::round(f, Value{Kind::kInfinity, minus_infinity_, 0, 0}, env);
  const Limbs limbs = magnitude();
  const int lead = leading_place(limbs);
  // Terms of both signs make it a sum of a plus and a minus zero.
  if (lead < 0)
    return soft::detail::zero_sum(f, negative_seen_, !positive_seen_ && negative_seen_, env);
  Limbs top = limbs;
  shift(top, soft::kLead - lead);
  Limbs back = top;
  shift(back, lead - soft::kLead);
  const std::uint64_t sticky = back == limbs ? 0 : 1;
  return soft::round(f, is_negative(), lead + kMinPlace, top[0] | sticky, env);
}

}  // namespace halfmark::models
