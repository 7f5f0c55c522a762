// SPDX-License-Identifier: Apache-2.0
#include "reference/models/exact_sum.hpp"

namespace halfmark::models {
namespace {

using formats::Bits;
using formats::Format;
using soft::Kind;
using soft::Value;
using soft::Wide;

// A finite value as an odd integer times 2^place: place is then never below the format's least.
struct Odd {
  std::uint64_t integer;
  int place;
};

Odd odd(const Value& value) {
  const int zeros = std::countr_zero(value.significand);
  return {value.significand >> zeros, value.exponent - soft::kLead + zeros};
}

// Whether a number with this last place and exponent could be a product of `factors` fp32 numbers.
bool is_short(int factors, int place, int exponent) {
  return place >= factors * formats::kFp32.min_place() &&
         exponent <= factors * formats::kFp32.max_exponent();
}

}  // namespace

ExactSum::Long& ExactSum::long_register() {
  if (long_.empty()) long_.resize(1);
  return long_.front();
}

// Moves the whole sum to one register: the long one if it exists.
void ExactSum::gather() {
  if (long_.empty()) return;
  long_.front().add(short_);
  short_ = {};
}

void ExactSum::add_finite(bool negative, int place, int exponent, Wide integer) {
  if (!is_short(2, place, exponent)) [[unlikely]] {
    return long_register().add(negative, place, integer);
  }
  short_.add(negative, place, integer);
}

void ExactSum::add_special(const Value& value) {
  if (value.is_nan()) {
    nan_ = true;
    invalid_ = invalid_ || value.kind == Kind::kSignalingNan;
  } else if (value.kind == Kind::kInfinity) {
    (value.negative ? minus_infinity_ : plus_infinity_) = true;
  }
}

void ExactSum::add(const Format& f, Bits x) {
  const Value value = soft::unpack(f, x);
  if (!value.is_nan()) see_sign(value.negative);
  if (value.kind != Kind::kFinite) return add_special(value);
  const Odd term = odd(value);
  add_finite(value.negative, term.place, value.exponent, term.integer);
}

void ExactSum::add_product(const Format& fa, Bits a, const Format& fb, Bits b) {
  const Value x = soft::unpack(fa, a);
  const Value y = soft::unpack(fb, b);
  const bool negative = x.negative != y.negative;
  if (x.kind == Kind::kFinite && y.kind == Kind::kFinite) {
    see_sign(negative);
    const Odd m = odd(x);
    const Odd n = odd(y);
    return add_finite(negative, m.place + n.place, x.exponent + y.exponent,
                      Wide{m.integer} * n.integer);
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
  short_.add(other.short_);
  if (!other.long_.empty()) long_register().add(other.long_.front());
  positive_seen_ = positive_seen_ || other.positive_seen_;
  negative_seen_ = negative_seen_ || other.negative_seen_;
  plus_infinity_ = plus_infinity_ || other.plus_infinity_;
  minus_infinity_ = minus_infinity_ || other.minus_infinity_;
  nan_ = nan_ || other.nan_;
  invalid_ = invalid_ || other.invalid_;
}

// Handles a factor or a sum that is not finite.
void ExactSum::scale_special(const Value& factor) {
  add_special(factor.is_nan() ? factor : Value{Kind::kZero, false, 0, 0});
  if (factor.is_nan()) return;
  if (plus_infinity_ || minus_infinity_) {
    if (factor.kind == Kind::kZero) nan_ = invalid_ = true;
  } else if (!nan_) {  // a finite sum times an infinity
    const bool zero = long_.empty() ? short_.is_zero() : long_.front().is_zero();
    const bool negative = long_.empty() ? short_.is_negative() : long_.front().is_negative();
    if (zero) {
      nan_ = invalid_ = true;
    } else {
      add_special({Kind::kInfinity, negative != factor.negative, 0, 0});
    }
    return;
  }
  if (factor.negative) std::swap(plus_infinity_, minus_infinity_);
}

void ExactSum::scale(const Format& f, Bits factor) {
  const Value value = soft::unpack(f, factor);
  if (value.negative) std::swap(positive_seen_, negative_seen_);
  const Odd scaled = value.kind == Kind::kFinite ? odd(value) : Odd{};
  if (!is_short(1, scaled.place, value.exponent)) long_register();
  gather();
  if (is_special() || value.is_nan() || value.kind == Kind::kInfinity) return scale_special(value);
  if (value.kind == Kind::kZero) {
    short_ = {};
    long_.clear();
    return;
  }
  const auto apply = [&](auto& sum) {
    sum.multiply(scaled.integer, scaled.place);
    if (value.negative) sum.negate();
  };
  long_.empty() ? apply(short_) : apply(long_.front());
}

soft::Result ExactSum::round(const Format& f, const soft::Environment& env) const {
  const bool opposite = plus_infinity_ && minus_infinity_;
  if (nan_ || opposite) return soft::nan_result(f, invalid_ || (opposite && !nan_));
  if (is_special()) return soft::round(f, Value{Kind::kInfinity, minus_infinity_, 0, 0}, env);
  const Value sum = unpacked();
  // Terms of both signs make it a sum of a plus zero and a minus zero.
  if (sum.kind == Kind::kZero)
    return soft::detail::zero_sum(f, negative_seen_, !positive_seen_ && negative_seen_, env);
  return soft::round(f, sum.negative, sum.exponent, sum.significand, env);
}

Value ExactSum::unpacked() const {
  const auto read = [](const auto& sum) {
    if (sum.is_zero()) return Value{Kind::kZero, false, 0, 0};
    const auto [exponent, significand] = sum.leading();
    return Value{Kind::kFinite, sum.is_negative(), exponent, significand};
  };
  if (long_.empty()) return read(short_);
  Long whole = long_.front();
  whole.add(short_);
  return read(whole);
}

}  // namespace halfmark::models
