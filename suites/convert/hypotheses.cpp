// SPDX-License-Identifier: Apache-2.0
// What implementations of conversions have been seen to do instead.
#include "reference/formats/classify.hpp"
#include "reference/soft/soft.hpp"
#include "suites/convert/binding.hpp"
#include "suites/convert/faithful.hpp"

namespace halfmark::suites::convert {
namespace {

using formats::Bits;
using formats::Format;
using formats::kFp32;

// The first `bits` bits of the encoding are those of the narrow format: bf16 in fp32.
Bits cut(const Binding& b, Bits x) {
  return b.from == nullptr ? plain(b, x) : x >> (b.from->bits - b.to->bits);
}

bool overflows(const Binding& b, Bits x) {
  const Bits result = converted(b, x, {});
  const bool finite = b.from == nullptr || formats::is_finite(*b.from, x);
  return finite && !formats::is_finite(*b.to, result);
}

Bits largest(const Binding& b, Bits x) {
  const Format& from = b.stored();
  return formats::max_finite(*b.to, formats::sign(from, x));
}

Bits saturating(const Binding& b, Bits x) { return overflows(b, x) ? largest(b, x) : plain(b, x); }

bool infinite(const Binding& b, Bits x) {
  return b.from != nullptr && formats::is_infinity(*b.from, x);
}

Bits infinity_to_largest(const Binding& b, Bits x) {
  return infinite(b, x) ? largest(b, x) : plain(b, x);
}

Bits all_to_largest(const Binding& b, Bits x) {
  return infinite(b, x) ? largest(b, x) : saturating(b, x);
}

Bits through_single(const Binding& b, Bits x) {
  const Bits single = b.from == nullptr ? soft::from_int(kFp32, static_cast<std::int32_t>(x)).bits
                                        : soft::convert(*b.from, kFp32, x).bits;
  return soft::convert(kFp32, *b.to, single, {.overflow = b.overflow}).bits;
}

// Ties go to the neighbour closer to zero, which rounding the encoding below x finds.
Bits ties_toward_zero(const Binding& b, Bits x) {
  const Format& from = *b.from;
  if (!formats::is_finite(from, x)) return plain(b, x);
  const soft::Environment down{.rounding = soft::Rounding::kDown, .overflow = b.overflow};
  const soft::Environment up{.rounding = soft::Rounding::kUp, .overflow = b.overflow};
  if (converted(b, x, down) == converted(b, x, up)) return plain(b, x);
  return converted(b, x - 1, {.rounding = soft::Rounding::kNearAway, .overflow = b.overflow});
}

Bits ties_away(const Binding& b, Bits x) {
  return converted(b, x, {.rounding = soft::Rounding::kNearAway, .overflow = b.overflow});
}

// The result of adding one half and truncating, in two's complement.
Bits ties_up(const Binding& b, Bits x) {
  return formats::sign(*b.from, x) ? ties_toward_zero(b, x) : ties_away(b, x);
}

template <bool kNegative>
Bits one_sign_saturates(const Binding& b, Bits x) {
  return formats::sign(b.stored(), x) == kNegative ? saturating(b, x) : plain(b, x);
}

Bits least_flushed(const Binding& b, Bits x) {
  const Bits result = plain(b, x);
  const bool least = (result & b.to->magnitude_mask()) == formats::min_subnormal(*b.to);
  return least ? formats::zero(*b.to, formats::sign(*b.to, result)) : result;
}

Bits subnormals_cut(const Binding& b, Bits x) {
  const Bits result =
      converted(b, x, {.rounding = soft::Rounding::kTowardZero, .overflow = b.overflow});
  const Bits magnitude = result & b.to->magnitude_mask();
  return magnitude < formats::min_normal(*b.to) ? result : plain(b, x);
}

// Keeps the digits of a result below the normal range, with the exponent of the least normal one.
Bits exponent_clamped(const Binding& b, Bits x) {
  const Format& wide = formats::kFp64;
  const Bits whole = b.from == nullptr ? soft::from_int(wide, static_cast<std::int32_t>(x)).bits
                                       : soft::convert(*b.from, wide, x).bits;
  if (!formats::is_finite(wide, whole) || formats::is_zero(wide, whole)) return plain(b, x);
  constexpr int kAboveSubnormals = 200;
  const bool is_subnormal = formats::is_subnormal(wide, whole);
  const Bits normal = is_subnormal ? soft::ldexp(wide, whole, kAboveSubnormals).bits : whole;
  const int exponent =
      formats::exponent_field(wide, normal) - wide.bias - (is_subnormal ? kAboveSubnormals : 0);
  if (exponent >= b.to->min_exponent()) return plain(b, x);
  const auto field = static_cast<Bits>(b.to->min_exponent() + wide.bias);
  const Bits clamped =
      (normal & (wide.sign_mask() | wide.fraction_mask())) | field << wide.fraction_bits;
  return soft::convert(wide, *b.to, clamped, {.overflow = b.overflow}).bits;
}

// Rounds to nearest even with `kMore` more fraction bits than the result's, and then again. Every
// source fits fp64.
template <int kMore>
Bits through_bits(const Binding& b, Bits x) {
  const Format& wide = formats::kFp64;
  const Bits whole = b.from == nullptr ? soft::from_int(wide, static_cast<std::int32_t>(x)).bits
                                       : soft::convert(*b.from, wide, x).bits;
  if (!formats::is_finite(wide, whole)) return plain(b, x);
  const int lost = wide.fraction_bits - b.to->fraction_bits - kMore;
  const Bits odd = whole >> lost & 1;
  const Bits rounded = (whole + ((Bits{1} << (lost - 1)) - 1) + odd) >> lost << lost;
  return soft::convert(wide, *b.to, rounded, {.overflow = b.overflow}).bits;
}

// Reads the top exponent field as one more binade.
Bits infinity_as_number(const Binding& b, Bits x) {
  if (!infinite(b, x)) return plain(b, x);
  const Bits beyond = soft::ldexp(*b.to, formats::one(*b.to), b.from->max_exponent() + 1).bits;
  return beyond | (formats::sign(*b.from, x) ? b.to->sign_mask() : 0);
}

Bits through_half(const Binding& b, Bits x) {
  const Bits half = b.from == nullptr
                        ? soft::from_int(formats::kFp16, static_cast<std::int32_t>(x)).bits
                        : soft::convert(*b.from, formats::kFp16, x).bits;
  return soft::convert(formats::kFp16, *b.to, half, {.overflow = b.overflow}).bits;
}

Bits without_minus_zero(const Binding& b, Bits x) {
  const Bits result = plain(b, x);
  return formats::is_zero(*b.to, result) ? formats::zero(*b.to) : result;
}

// Negative numbers that round to zero still give -0.
Bits minus_zero_read_as_plus(const Binding& b, Bits x) {
  const bool is_minus_zero = b.from != nullptr && formats::is_zero(*b.from, x);
  return plain(b, is_minus_zero ? formats::zero(*b.from) : x);
}

// A subnormal number decoded with the leading one of a normal number; its exponent is that of the
// least normal number minus `kDown`.
template <int kDown>
Bits with_leading_one(const Binding& b, Bits x) {
  if (b.from == nullptr || !formats::is_subnormal(*b.from, x)) return plain(b, x);
  const Format& from = *b.from;
  const Bits one = formats::min_normal(from) | formats::fraction_field(from, x);
  const Bits wide = soft::convert(from, formats::kFp64, one).bits;
  const Bits moved = soft::ldexp(formats::kFp64, wide, -kDown).bits;
  return soft::convert(formats::kFp64, *b.to, moved).bits |
         (formats::sign(from, x) ? b.to->sign_mask() : 0);
}

// The top exponent field is treated as infinity and NaN in a format that has numbers there.
enum class Top { kOverflows, kClamps };

template <Top kTop>
Bits top_binade_lost(const Binding& b, Bits x) {
  const Bits result = plain(b, x);
  if (b.to->has_infinity() || formats::is_nan(*b.to, result)) return result;
  if (formats::exponent_field(*b.to, result) < b.to->max_exponent_field()) return result;
  const bool negative = formats::sign(*b.to, result);
  const Bits below = (Bits(b.to->max_exponent_field()) << b.to->fraction_bits) - 1;
  if (kTop == Top::kClamps) return formats::encode(*b.to, negative, below);
  return formats::quiet_nan(*b.to);
}

// Overflows although the largest number is the nearest.
Bits overflows_early(const Binding& b, Bits x) {
  const Bits result = plain(b, x);
  if (formats::is_infinity(*b.from, x)) return result;
  const bool negative = formats::sign(*b.from, x);
  const soft::Rounding away = negative ? soft::Rounding::kDown : soft::Rounding::kUp;
  const Bits outer = soft::convert(*b.from, *b.to, x, {.rounding = away}).bits;
  return formats::is_infinity(*b.to, outer) ? outer : result;
}

Bits payload_lost(const Binding& b, Bits x) {
  const bool nan = b.from != nullptr && formats::is_nan(*b.from, x);
  const Bits kept = cut(b, x);
  return nan && formats::is_infinity(*b.to, kept) ? kept : plain(b, x);
}

// The usual rounding in integers without a NaN check: a carry may leave the top field.
Bits rounded_blindly(const Binding& b, Bits x) {
  const int shift = b.stored().bits - b.to->bits;
  const Bits odd = x >> shift & 1;
  return (x + ((Bits{1} << (shift - 1)) - 1) + odd) >> shift & b.to->mask();
}

bool any(const Binding&) { return true; }
bool cuts_fraction(const Binding& b) {
  return b.from != nullptr && b.from->exponent_bits == b.to->exponent_bits &&
         b.from->bits > b.to->bits;
}
bool from_float(const Binding& b) { return b.from != nullptr; }
bool overflows(const Binding& b) {
  return b.from != nullptr && b.to->has_infinity() && b.from->precision() > b.to->precision();
}
bool beside_single(const Binding& b) { return b.from != &kFp32 && b.to != &kFp32; }
bool wider_than_half(const Binding& b) { return b.stored().bits >= 32 && b.to != &formats::kFp16; }
bool widens(const Binding& b) { return b.from != nullptr && b.from->bits < b.to->bits; }

struct Departure {
  std::string_view name;
  FindingClassName finding_class;
  std::string_view sentence;
  Bits (*evaluate)(const Binding&, Bits);
  bool (*concerns)(const Binding&);
  std::string_view freedom = {};  // kFaithful: where the results are
};

constexpr Departure kDepartures[] = {
    {"saturates", "sat", "overflow gives the largest number", saturating, any, kFaithful},
    {"infinity-to-largest", "sat", "infinity gives the largest number", infinity_to_largest, any},
    {"all-to-largest", "sat", "overflow and infinity give the largest number", all_to_largest, any},
    {"negative-saturates", "sat", "overflow of negative numbers gives the lowest number",
     one_sign_saturates<true>, any, kFaithful},
    {"positive-saturates", "sat", "overflow of positive numbers gives the largest number",
     one_sign_saturates<false>, any, kFaithful},
    {"ties-away", "cvt_round", "ties go away from zero", ties_away, from_float, kFaithful},
    {"ties-up", "cvt_round", "ties go toward plus infinity", ties_up, from_float, kFaithful},
    {"ties-toward-zero", "cvt_round", "ties go toward zero", ties_toward_zero, from_float,
     kFaithful},
    {"least-flushed", "ftz_out", "the least subnormal result becomes zero", least_flushed, any,
     kFaithful},
    {"subnormals-cut", "cvt_round", "subnormal results are truncated", subnormals_cut, any,
     kFaithful},
    {"infinity-as-number", "decode", "infinity is read as a number of one more binade",
     infinity_as_number, widens},
    {"through-1-bit-more", "double_round", "the value is rounded to one fraction bit more first",
     through_bits<1>, any, kFaithful},
    {"through-2-bits-more", "double_round", "the value is rounded to two fraction bits more first",
     through_bits<2>, any, kFaithful},
    {"through-3-bits-more", "double_round",
     "the value is rounded to three fraction bits more first", through_bits<3>, any, kFaithful},
    {"through-4-bits-more", "double_round", "the value is rounded to four fraction bits more first",
     through_bits<4>, any, kFaithful},
    {"through-fp32", "double_round", "the value is rounded to fp32 first", through_single,
     beside_single, kFaithful},
    {"through-fp16", "double_round", "the value is rounded to fp16 first", through_half,
     wider_than_half, kFaithful},
    {"loses-minus-zero", "signed_zero", "a result of -0 becomes +0", without_minus_zero, any,
     "signed_zero"},
    {"minus-zero-operand-as-plus", "signed_zero", "an operand of -0 counts as +0",
     minus_zero_read_as_plus, from_float, "signed_zero"},
    {"leading-one", "decode", "subnormal numbers are read with a leading one", with_leading_one<0>,
     widens},
    {"leading-one-below", "decode",
     "subnormal numbers are read with a leading one and exponent field 0", with_leading_one<1>,
     widens},
    {"overflows-early", "cvt_round",
     "what lies above the largest number becomes an infinity where it should round down",
     overflows_early, overflows, kFaithful},
    {"top-field-overflows", "range", "the binade of the top exponent field counts as overflow",
     top_binade_lost<Top::kOverflows>, any},
    {"top-field-clamps", "range",
     "the binade of the top exponent field is clamped to the one below",
     top_binade_lost<Top::kClamps>, any},
    {"exponent-clamped", "range",
     "a result below the normal range keeps its digits and takes the least normal exponent",
     exponent_clamped, any},
    {"cut", "nan_to_inf", "the low bits are cut off, of NaNs too", cut, cuts_fraction},
    {"payload-lost", "nan_to_inf", "a NaN whose payload is cut off becomes an infinity",
     payload_lost, cuts_fraction},
    {"rounded-blindly", "nan_to_inf", "NaNs are rounded like numbers", rounded_blindly,
     cuts_fraction},
};

}  // namespace

std::vector<Hypothesis> hypotheses(const Case& c) {
  const Binding bound = bind(c);
  std::vector<Hypothesis> list;
  for (const Departure& d : kDepartures) {
    if (!d.concerns(bound)) continue;
    Hypothesis hypothesis{
        .name = std::string(d.name),
        .finding_class = d.finding_class,
        .sentence = std::string(d.sentence),
        .evaluate = [evaluate = d.evaluate](const Case& which, const TensorSet& in) {
          const Binding b = bind(which);
          return TensorSet{
              {"y", mapped(b, in.at("x"), [&](Bits bits) { return evaluate(b, bits); })}};
        }};
    list.push_back(with_freedom(std::move(hypothesis), d.freedom));
  }
  return list;
}

}  // namespace halfmark::suites::convert
