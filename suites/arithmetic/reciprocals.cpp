// SPDX-License-Identifier: Apache-2.0
// Quotients as a * (1/b) and roots as a * (1/sqrt a), where hardware gives some good bits of the
// reciprocal, and code adds a Newton step, a correction of the result, or the scaling that keeps
// intermediate results in range. Decides which forms of these steps deserve a name.
#include <fmt/format.h>

#include <utility>

#include "reference/formats/classify.hpp"
#include "reference/soft/functions.hpp"
#include "suites/arithmetic/families.hpp"

namespace halfmark::suites::arithmetic {
namespace {

using formats::Bits;
using formats::Format;
using formats::kFp32;
using formats::kFp64;
using soft::Rounding;

// --- the first approximation ---------------------------------------------------------------------

// A reciprocal with this many bits, rounded to nearest or cut; 0: all bits of the format.
struct Seed {
  int bits = 0;
  bool is_cut = false;
};

// Rounds a number that was rounded toward zero, and whose last bit then stands for all lost ones.
Bits seeded(const Format& from, const soft::Result& cut, const Seed& seed, const Format& work) {
  const Bits odd = cut.bits | Bits{(cut.flags & soft::kInexact) != 0};
  if (seed.bits == 0) return soft::convert(from, work, odd).bits;
  const Format few = of_precision(seed.bits);
  const Rounding rounding = seed.is_cut ? Rounding::kTowardZero : Rounding::kNearEven;
  return soft::convert(few, work, soft::convert(from, few, odd, {.rounding = rounding}).bits).bits;
}

Bits reciprocal(const Format& work, Bits b, const Seed& seed) {
  const Bits wide = soft::convert(work, kFp64, b).bits;
  const soft::Result cut =
      soft::div(kFp64, formats::one(kFp64), wide, {.rounding = Rounding::kTowardZero});
  return seeded(kFp64, cut, seed, work);
}

Bits reciprocal_root(const Format& work, Bits a, const Seed& seed) {
  if (seed.bits == 0) return soft::rsqrt(work, a).bits;
  const Bits wide = soft::convert(work, kFp32, a).bits;
  return seeded(kFp32, soft::rsqrt(kFp32, wide, {.rounding = Rounding::kTowardZero}), seed, work);
}

// --- the steps -----------------------------------------------------------------------------------

// The arithmetic of one format.
struct In {
  const Format& f;

  [[nodiscard]] Bits mul(Bits a, Bits b) const { return soft::mul(f, a, b).bits; }
  [[nodiscard]] Bits sub(Bits a, Bits b) const { return soft::sub(f, a, b).bits; }
  [[nodiscard]] Bits fma(Bits a, Bits b, Bits c) const { return soft::fma(f, a, b, c).bits; }
  [[nodiscard]] Bits neg(Bits a) const { return soft::neg(f, a); }
  [[nodiscard]] Bits halves(int count) const {
    return soft::ldexp(f, soft::from_int(f, count).bits, -1).bits;
  }
};

enum class Newton : std::uint8_t { kNone, kSeparate, kSeparateOther, kFused, kFusedOther };

struct Way {
  Seed seed{};
  Newton newton = Newton::kNone;
  bool is_corrected = false;
  bool is_scaled = false;
  bool is_in_fp32 = false;
};

Bits improved_reciprocal(const In& in, Bits b, Bits r, Newton newton) {
  const Bits one = in.halves(2), two = in.halves(4);
  switch (newton) {
    case Newton::kNone:
      break;
    case Newton::kSeparate:
      return in.mul(r, in.sub(two, in.mul(b, r)));
    case Newton::kSeparateOther:
      return in.sub(in.mul(two, r), in.mul(b, in.mul(r, r)));
    case Newton::kFused:
      return in.fma(r, in.fma(in.neg(b), r, one), r);
    case Newton::kFusedOther:
      return in.mul(r, in.fma(in.neg(b), r, two));
  }
  return r;
}

Bits improved_root(const In& in, Bits a, Bits r, Newton newton) {
  const Bits half = in.halves(1), three_halves = in.halves(3);
  const Bits half_a = in.mul(half, a);
  switch (newton) {
    case Newton::kNone:
      break;
    case Newton::kSeparate:
      return in.mul(r, in.sub(three_halves, in.mul(half_a, in.mul(r, r))));
    case Newton::kSeparateOther:
      return in.mul(r, in.sub(three_halves, in.mul(in.mul(half_a, r), r)));
    case Newton::kFused:
      return in.fma(r, in.fma(in.neg(in.mul(half_a, r)), r, half), r);
    case Newton::kFusedOther:
      return in.mul(r, in.fma(in.neg(in.mul(half_a, r)), r, three_halves));
  }
  return r;
}

Bits quotient(const Format& work, Bits a, Bits b, const Way& way) {
  const In in{work};
  const Bits r = improved_reciprocal(in, b, reciprocal(work, b, way.seed), way.newton);
  const Bits q = in.mul(a, r);
  return way.is_corrected ? in.fma(in.fma(in.neg(b), q, a), r, q) : q;
}

Bits root(const Format& work, Bits a, const Way& way) {
  const In in{work};
  const Bits r = improved_root(in, a, reciprocal_root(work, a, way.seed), way.newton);
  const Bits s = in.mul(a, r);
  return way.is_corrected ? in.fma(in.fma(in.neg(s), s, a), in.mul(in.halves(1), r), s) : s;
}

// --- scaling -------------------------------------------------------------------------------------

bool is_special(const Format& f, Bits bits) {
  return formats::is_zero(f, bits) || !formats::is_finite(f, bits);
}

// The exponent of a number other than zero.
int exponent_of_number(const Format& f, Bits bits) {
  return formats::exponent_field(kFp64, soft::convert(f, kFp64, bits).bits) - kFp64.bias;
}

// bits * 2^exponent, rounded to `to` once.
Bits scaled(const Format& from, const Format& to, Bits bits, int exponent) {
  const Bits wide = soft::convert(from, kFp64, bits).bits;
  return soft::convert(kFp64, to, soft::ldexp(kFp64, wide, exponent).bits).bits;
}

Bits divided(const Format& f, const Operands& x, const Way& way) {
  const Format& work = way.is_in_fp32 ? kFp32 : f;
  if (!way.is_scaled) {
    const Bits a = soft::convert(f, work, x.a).bits, b = soft::convert(f, work, x.b).bits;
    return soft::convert(work, f, quotient(work, a, b, way)).bits;
  }
  if (is_special(f, x.a) || is_special(f, x.b)) return soft::div(f, x.a, x.b).bits;
  const int a = exponent_of_number(f, x.a), b = exponent_of_number(f, x.b);
  const Bits q = quotient(work, scaled(f, work, x.a, -a), scaled(f, work, x.b, -b), way);
  return scaled(work, f, q, a - b);
}

Bits rooted(const Format& f, const Operands& x, const Way& way) {
  const Format& work = way.is_in_fp32 ? kFp32 : f;
  if (!way.is_scaled)
    return soft::convert(work, f, root(work, soft::convert(f, work, x.a).bits, way)).bits;
  if (is_special(f, x.a) || formats::sign(f, x.a)) return soft::sqrt(f, x.a).bits;
  const int exponent = exponent_of_number(f, x.a);
  const int even = exponent - (exponent % 2 != 0 ? 1 : 0);
  return scaled(work, f, root(work, scaled(f, work, x.a, -even), way), even / 2);
}

// --- names ---------------------------------------------------------------------------------------

struct StepWords {
  Newton newton;
  std::string_view key, words;
};

constexpr StepWords kSteps[] = {
    {Newton::kNone, "", ""},
    {Newton::kFused, "-newton", " and a Newton step of two fused operations"},
    {Newton::kFusedOther, "-newton-fused-once", " and a Newton step of one fused operation"},
    {Newton::kSeparate, "-newton-separate", " and a Newton step without fused operations"},
    {Newton::kSeparateOther, "-newton-reordered",
     " and a Newton step without fused operations, in another order"},
};

std::string name_of(std::string_view what, const Way& way, const StepWords& step) {
  std::string name(what);
  if (way.seed.bits != 0)
    name += fmt::format("-{}-{}-bits", way.seed.is_cut ? "cut-to" : "of", way.seed.bits);
  name += step.key;
  if (way.is_corrected) name += "-corrected";
  if (way.is_in_fp32) name += "-in-fp32";
  if (way.is_scaled) name += "-scaled";
  return name;
}

std::string sentence_of(std::string_view result, std::string_view reciprocal, const Way& way,
                        const StepWords& step) {
  std::string bits;
  if (way.seed.bits != 0)
    bits = fmt::format(" {} {} bits", way.seed.is_cut ? "cut to" : "rounded to", way.seed.bits);
  return fmt::format("{} is a times {}{}{}{}{}{}", result, reciprocal, bits, step.words,
                     way.is_corrected ? ", corrected by its remainder" : "",
                     way.is_in_fp32 ? ", in fp32" : "",
                     way.is_scaled ? ", of operands scaled to the middle of the range" : "");
}

// Whether departures.cpp has this way.
bool is_known(const Operation& op, const Way& way) {
  const bool is_plain = way.seed.bits == 0 && way.newton == Newton::kNone && !way.is_in_fp32;
  return is_plain && !way.is_scaled && (!way.is_corrected || plain_name(op) == "div");
}

// A step doubles the good bits: from more than these it gives the same bits as from all of them.
int most_seed_bits(const Format& work, Newton newton) {
  constexpr int kLost = 2;  // a reciprocal root is known to 24 bits, rounded toward zero
  return newton == Newton::kNone ? work.precision() - kLost : work.precision() * 2 / 3;
}

class Ways {
 public:
  explicit Ways(const Operation& op) : op_(op), divides_(plain_name(op) == "div") {}

  [[nodiscard]] std::vector<Member> all() && {
    const bool through_fp32 = is_in_fp32(op_);
    for (const bool in_fp32 : {false, true}) {
      if (in_fp32 ? *op_.operand == kFp32 : through_fp32) continue;
      for (const StepWords& step : kSteps) add_seeds(step, in_fp32);
    }
    return std::move(list_);
  }

 private:
  void add_seeds(const StepWords& step, bool in_fp32) {
    constexpr int kFewest = 5;
    const Format& work = in_fp32 ? kFp32 : *op_.operand;
    if (step.newton == Newton::kNone) add(step, {.is_in_fp32 = in_fp32});
    for (int bits = kFewest; bits <= most_seed_bits(work, step.newton); ++bits) {
      for (const bool is_cut : {false, true})
        add(step, {.seed = {bits, is_cut}, .newton = step.newton, .is_in_fp32 = in_fp32});
    }
  }

  void add(const StepWords& step, Way way) {
    for (const bool is_corrected : {false, true}) {
      for (const bool is_scaled : {false, true}) {
        way.is_corrected = is_corrected;
        way.is_scaled = is_scaled;
        if (!is_known(op_, way)) list_.push_back(member(step, way));
      }
    }
  }

  [[nodiscard]] Member member(const StepWords& step, const Way& way) const {
    const bool is_rough = way.seed.bits != 0 && step.newton == Newton::kNone && !way.is_corrected;
    const auto finding_class =
        is_rough ? FindingClassName("low_precision") : FindingClassName("rounding");
    const Format& f = *op_.operand;
    if (divides_) {
      return {name_of("reciprocal", way, step), finding_class,
              sentence_of("the quotient", "1/b", way, step),
              [&f, way](const Operands& x) { return divided(f, x, way); }};
    }
    return {name_of("reciprocal-root", way, step), finding_class,
            sentence_of("the root", "1/sqrt(a)", way, step),
            [&f, way](const Operands& x) { return rooted(f, x, way); }};
  }

  const Operation& op_;
  bool divides_;
  std::vector<Member> list_;
};

}  // namespace

std::vector<Member> reciprocals(const Operation& operation) {
  const std::string_view name = plain_name(operation);
  if (name != "div" && name != "sqrt") return {};
  return Ways(operation).all();
}

}  // namespace halfmark::suites::arithmetic
