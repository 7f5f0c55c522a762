// SPDX-License-Identifier: Apache-2.0
#include "suites/core/diagnose/value_mutations.hpp"

#include <fmt/format.h>

#include <cmath>
#include <set>
#include <utility>

#include "reference/formats/classify.hpp"
#include "reference/soft/soft.hpp"
#include "suites/core/bounds/interval.hpp"

namespace halfmark::suites {
namespace {

using formats::Bits;
using formats::Format;

Bits flushed(const Format& f, Bits x) {
  return formats::is_subnormal(f, x) ? formats::zero(f, formats::sign(f, x)) : x;
}

Bits flushed_to_plus_zero(const Format& f, Bits x) {
  return formats::is_subnormal(f, x) ? formats::zero(f) : x;
}

template <int kPower>
Bits subnormal_scaled_by(const Format& f, Bits x) {
  return formats::is_subnormal(f, x) ? soft::ldexp(f, x, kPower).bits : x;
}

// Reads subnormals as numbers of the least exponent, with the leading one that they lack.
Bits with_leading_one(const Format& f, Bits x) {
  return formats::is_subnormal(f, x) ? x | formats::min_normal(f) : x;
}

// Results that overflow because they are computed scaled by 2^kPower.
template <int kPower>
Bits overflown(const Format& f, Bits x) {
  const bool infinite = formats::is_infinity(f, soft::ldexp(f, x, kPower).bits);
  return infinite && f.has_infinity() ? formats::infinity(f, formats::sign(f, x)) : x;
}

Bits nan_as_zero(const Format& f, Bits x) { return formats::is_nan(f, x) ? formats::zero(f) : x; }

Bits nan_as_largest(const Format& f, Bits x) {
  return formats::is_nan(f, x) ? formats::max_finite(f) : x;
}

Bits nan_as_infinity(const Format& f, Bits x) {
  const bool changes = formats::is_nan(f, x) && f.has_infinity();
  return changes ? formats::infinity(f, formats::sign(f, x)) : x;
}

Bits infinity_as_largest(const Format& f, Bits x) {
  return formats::is_infinity(f, x) ? formats::max_finite(f, formats::sign(f, x)) : x;
}

Bits infinity_as_nan(const Format& f, Bits x) {
  return formats::is_infinity(f, x) ? formats::quiet_nan(f) : x;
}

Bits without_sign(const Format& f, Bits x) { return formats::magnitude(f, x); }

Bits plus_zero(const Format& f, Bits x) { return formats::is_zero(f, x) ? formats::zero(f) : x; }

template <int kPower>
Bits scaled_by(const Format& f, Bits x) {
  return formats::is_finite(f, x) ? soft::ldexp(f, x, kPower).bits : x;
}

NumberChange rounded_to(const Format& narrow, bool truncated, FindingClassName finding_class) {
  const soft::Rounding rounding =
      truncated ? soft::Rounding::kTowardZero : soft::Rounding::kNearEven;
  return {fmt::format("{}{}", truncated ? "truncated-to-" : "rounded-to-", narrow.name),
          finding_class,
          fmt::format("{} to {}", truncated ? "truncated" : "rounded", narrow.name),
          [&narrow, rounding](const Format& f, Bits x) {
            if (narrow.fraction_bits >= f.fraction_bits) return x;
            const Bits kept = soft::convert(f, narrow, x, {.rounding = rounding}).bits;
            return soft::convert(narrow, f, kept).bits;
          },
          {},
          &narrow};
}

void add_roundings(std::vector<NumberChange>& changes, FindingClassName finding_class,
                   std::string_view before) {
  for (const Format* narrow : {&formats::kFp16, &formats::kBf16, &formats::kTf32}) {
    for (const bool truncated : {false, true}) {
      NumberChange change = rounded_to(*narrow, truncated, finding_class);
      change.words = fmt::format("{} {}", before, change.words);
      changes.push_back(std::move(change));
    }
  }
}

}  // namespace

std::vector<NumberChange> readings() {
  std::vector<NumberChange> changes = {
      {"subnormals-flushed",
       "ftz_in",
       "subnormal numbers count as zero",
       flushed,
       {"conversion_subnormals"}},
      {"nan-as-infinity", "nan_to_inf", "NaN counts as an infinity", nan_as_infinity},
      {"nan-as-zero", "nan_dropped", "NaN counts as zero", nan_as_zero},
      {"nan-as-largest", "nan_dropped", "NaN counts as the largest number", nan_as_largest},
      {"infinity-as-largest", "nan_inf", "an infinity counts as the largest number",
       infinity_as_largest},
      {"infinity-as-nan", "nan_inf", "an infinity counts as NaN", infinity_as_nan},
      {"subnormals-doubled", "decode", "subnormal numbers count twice", subnormal_scaled_by<1>},
      {"subnormals-halved", "decode", "subnormal numbers count half", subnormal_scaled_by<-1>},
      {"subnormals-with-leading-one", "decode", "subnormal numbers have a leading one",
       with_leading_one},
      {"sign-lost", "decode", "numbers lose their sign", without_sign},
  };
  add_roundings(changes, "fmt_subst", "numbers are");
  return changes;
}

std::vector<NumberChange> stores() {
  std::vector<NumberChange> changes = {
      {"subnormals-flushed",
       "ftz_out",
       "subnormal results become zero",
       flushed,
       {"conversion_subnormals"}},
      {"infinity-as-largest", "sat_instead_of_inf",
       "results beyond the range become the largest number", infinity_as_largest},
      {"infinity-as-nan", "nan_made", "infinite results become NaN", infinity_as_nan},
      {"twice-overflows", "overflow", "results overflow as if they were computed twice as large",
       overflown<1>},
      {"four-times-overflows", "overflow",
       "results overflow as if they were computed four times as large", overflown<2>},
      {"nan-as-zero", "nan_dropped", "results that are NaN become zero", nan_as_zero},
      {"nan-as-infinity", "nan_to_inf", "results that are NaN become infinite", nan_as_infinity},
      {"subnormals-as-plus-zero",
       "ftz_out",
       "subnormal results become +0, whatever their sign",
       flushed_to_plus_zero,
       {"conversion_subnormals", "signed_zero"}},
      {"sign-of-zero-lost", "signed_zero", "zero results are +0", plus_zero},
  };
  add_roundings(changes, "early_round", "results are");
  return changes;
}

std::vector<NumberChange> readings_by_limit() {
  std::set<double> limits;
  for (int power = 7; power < 16; ++power) limits.insert(std::ldexp(1.0, power));
  for (const Format& f : formats::all_formats()) {
    const double largest = value_of(f, formats::max_finite(f));
    if (f.bits <= 16 && largest > 128 && largest < 0x1p16) limits.insert(largest);
  }
  std::vector<NumberChange> changes;
  for (const double limit : limits) {
    const NumberMap map = [limit](const Format& f, Bits x) {
      if (formats::is_nan(f, x) || !(std::abs(value_of(f, x)) > limit)) return x;
      return nearest(f, std::copysign(limit, value_of(f, x)));
    };
    changes.push_back({fmt::format("limited-to-{:g}", limit), "range",
                       fmt::format("numbers beyond {0:g} and infinities count as {0:g}", limit),
                       map});
  }
  const double largest = value_of(formats::kFp16, formats::max_finite(formats::kFp16));
  changes.push_back({"nan-as-largest-of-fp16", "nan_dropped",
                     "NaN counts as the largest number of fp16",
                     [largest](const Format& f, Bits x) {
                       return formats::is_nan(f, x) ? nearest(f, largest) : x;
                     }});
  return changes;
}

std::vector<NumberChange> readings_by_factor() {
  return {{"halved", "decode", "numbers count half", scaled_by<-1>},
          {"doubled", "decode", "numbers count twice", scaled_by<1>}};
}

std::vector<NumberChange> readings_by_size(int exponent) {
  struct Row {
    std::string_view name;
    FindingClassName finding_class;
    std::string_view words;
    NumberMap map;
  };
  const NumberMap halved = scaled_by<-1>;
  const NumberMap doubled = scaled_by<1>;
  const NumberMap limited = [exponent](const Format& f, Bits x) {
    return nearest(f, std::copysign(std::ldexp(1.0, exponent), value_of(f, x)));
  };
  const Row kAbove[] = {{"halved", "decode", "count half", halved},
                        {"doubled", "decode", "count twice", doubled},
                        {"limited", "range", "count as that", limited}};
  const Row kBelow[] = {{"halved", "decode", "count half", halved},
                        {"doubled", "decode", "count twice", doubled}};
  std::vector<NumberChange> changes;
  const auto add = [&](const Row& row, bool above) {
    const auto map = [exponent, above, change = row.map](const Format& f, Bits x) {
      const bool plain = formats::is_finite(f, x) && !formats::is_zero(f, x);
      return plain && (std::ilogb(value_of(f, x)) >= exponent) == above ? change(f, x) : x;
    };
    changes.push_back(
        {fmt::format("{}-{}-2^{}", row.name, above ? "from" : "below", exponent), row.finding_class,
         fmt::format("numbers {} 2^{} {}", above ? "from" : "below", exponent, row.words), map});
  };
  for (const Row& row : kAbove) add(row, true);
  for (const Row& row : kBelow) add(row, false);
  return changes;
}

}  // namespace halfmark::suites
