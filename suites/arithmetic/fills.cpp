// SPDX-License-Identifier: Apache-2.0
#include "suites/arithmetic/fills.hpp"

#include <fmt/format.h>

#include <vector>

#include "reference/formats/classify.hpp"
#include "suites/arithmetic/pairs.hpp"
#include "suites/core/case/errors.hpp"
#include "suites/core/case/fills.hpp"

namespace halfmark::suites::arithmetic {
namespace {

using formats::Bits;
using formats::Format;

constexpr std::string_view kFillNames[] = {"corners", "bits",     "finite",    "near",
                                           "ties",    "cancel",   "subnormal", "tiny",
                                           "all",     kPairsFill, "triples"};

bool narrows(const Operation& op) { return op.result->bits < op.operand->bits; }

constexpr std::uint64_t kConversionOperands = 4;  // per encoding of the result

// One element's randomness: independent words for each operand.
struct Draw {
  const Random& random;
  std::uint64_t index;
  [[nodiscard]] std::uint64_t word(std::uint64_t stream) const {
    return random.derived(stream).at(index);
  }
};

Bits number(const Format& f, int low_field, int high_field, std::uint64_t word) {
  const auto span = static_cast<std::uint64_t>(high_field - low_field + 1);
  const Bits field = static_cast<Bits>(low_field) + (word >> 40) % span;
  const Bits sign = (word >> 63) != 0 ? f.sign_mask() : 0;
  return sign | field << f.fraction_bits | (word & f.fraction_mask());
}

Bits negated(const Format& f, Bits bits) { return bits ^ f.sign_mask(); }

std::vector<Bits> corner_encodings(const Format& f) {
  const Bits one = static_cast<Bits>(f.bias) << f.fraction_bits;
  const Bits min_normal = Bits{1} << f.fraction_bits;
  const Bits max = formats::max_finite(f, false);
  const Bits half_precision = one + (static_cast<Bits>(f.precision() / 2) << f.fraction_bits);
  const Bits positive[] = {0,
                           1,
                           2,
                           min_normal / 2,
                           min_normal - 1,
                           min_normal,
                           min_normal + 1,
                           one - 1,
                           one,
                           one + 1,
                           one + min_normal / 2,
                           half_precision + 1,
                           max - 1,
                           max,
                           formats::infinity(f, false),
                           formats::quiet_nan(f),
                           formats::infinity(f, false) + 1};  // the smallest signaling NaN
  std::vector<Bits> all;
  for (const Bits bits : positive) {
    all.push_back(bits);
    all.push_back(bits | f.sign_mask());
  }
  return all;
}

Operands corners(const Format& f, std::uint64_t index) {
  static thread_local const Format* known = nullptr;
  static thread_local std::vector<Bits> list;
  if (known != &f) list = corner_encodings(*(known = &f));
  const std::uint64_t n = list.size();
  return {.a = list[index % n], .b = list[index / n % n], .c = list[index / n / n % n]};
}

Operands finite(const Format& f, const Draw& draw) {
  const int top = f.max_exponent_field() - 1;
  return {.a = number(f, 0, top, draw.word(0)),
          .b = number(f, 0, top, draw.word(1)),
          .c = number(f, 0, top, draw.word(2))};
}

Operands near(const Format& f, const Draw& draw) {
  const auto around_one = [&](std::uint64_t stream) {
    return number(f, f.bias - 6, f.bias + 6, draw.word(stream));
  };
  return {.a = around_one(0), .b = around_one(1), .c = around_one(2)};
}

// A number and half of its last place, or that plus or minus one unit of the wider operand.
Operands tie_of_sum(const Format& f, const Draw& draw) {
  Operands x = near(f, draw);
  const int field = formats::exponent_field(f, x.a) - f.precision();
  const Bits half_ulp = field > 0 ? static_cast<Bits>(field) << f.fraction_bits : Bits{1};
  // Exactly the tie, or just above; values just below come from the binade below.
  const Bits nudge = draw.word(3) % 3;
  x.b = nudge == 2 ? half_ulp - 1 : half_ulp + nudge;
  if (draw.word(4) % 2 != 0) x.b = negated(f, x.b);
  return x;
}

// The midpoint above a random number of the narrower format, and its two neighbours.
Operands tie_of_conversion(const Format& from, const Format& to, const Draw& draw) {
  const Bits narrow = draw.word(0) % formats::max_finite(to, false);
  const Bits low = soft::convert(to, from, narrow).bits;
  const Bits high = soft::convert(to, from, narrow + 1).bits;
  const Bits sum = soft::add(from, low, high).bits;
  const Bits half = static_cast<Bits>(from.bias - 1) << from.fraction_bits;
  const Bits middle = soft::mul(from, sum, half).bits;
  const Bits value = middle + draw.word(1) % 3 - 1;
  return {.a = draw.word(2) % 2 != 0 ? negated(from, value) : value};
}

// For every encoding of the narrower format: its number, the midpoint above it in magnitude, and
// that midpoint's neighbours; past the largest number, where the next one would lie. Infinity and
// the NaNs also yield NaNs whose payload lies in the lost bits, and in the kept ones.
Operands every_conversion(const Format& from, const Format& to, std::uint64_t index) {
  const Bits narrow = index / kConversionOperands & to.mask();
  const std::uint64_t kind = index % kConversionOperands;
  const Bits sign = formats::sign(to, narrow) ? from.sign_mask() : 0;
  const Bits size = formats::magnitude(to, narrow);
  if (size >= formats::infinity(to, false)) {
    const int lost = from.fraction_bits - to.fraction_bits;
    constexpr Bits kPayloads[kConversionOperands] = {0, 1, 0x55, ~Bits{0}};
    const Bits payload = (size & to.fraction_mask()) << lost;
    const Bits below = kPayloads[kind] & ((Bits{1} << lost) - 1);
    return {.a = sign | formats::infinity(from, false) | payload | below};
  }
  const auto widened = [&](Bits bits) { return soft::convert(to, from, bits).bits; };
  const bool last = size == formats::max_finite(to, false);
  const Bits gap = last ? soft::sub(from, widened(size), widened(size - 1)).bits
                        : soft::sub(from, widened(size + 1), widened(size)).bits;
  const Bits half = static_cast<Bits>(from.bias - 1) << from.fraction_bits;
  const Bits middle = soft::add(from, widened(size), soft::mul(from, gap, half).bits).bits;
  const Bits all[kConversionOperands] = {widened(size), middle, middle - 1, middle + 1};
  return {.a = sign | all[kind]};
}

// Odd integers of n and m bits with n + m = p + 2 have an odd product of p + 1 or p + 2 bits: those
// of p + 1 bits are ties.
Operands tie_of_product(const Format& f, const Draw& draw) {
  const auto odd_of_bits = [&](int n, std::uint64_t word) {
    const int low_bits = f.fraction_bits - (n - 1);
    const Bits bits = number(f, f.bias - 4, f.bias + 4, word);
    return bits >> low_bits << low_bits | Bits{1} << low_bits;
  };
  const int n = (f.precision() + 2) / 2;
  return {.a = odd_of_bits(n, draw.word(0)),
          .b = odd_of_bits(f.precision() + 2 - n, draw.word(1)),
          .c = 0};
}

// A number, and the exponent that scales it to the midpoint of two subnormals or one last place
// away from it: scaling in several rounded steps rounds such results twice.
Operands tie_of_scaling(const Format& f, const Draw& draw) {
  const auto dropped =
      2 + static_cast<int>(draw.word(3) % static_cast<std::uint64_t>(f.precision() - 1));
  Operands x{.a = number(f, 1, f.max_exponent_field() - 1, draw.word(0))};
  const Bits lost = (Bits{1} << dropped) - 1;
  const Bits middle = Bits{1} << (dropped - 1);
  const Bits significand = (x.a & f.fraction_mask()) | (f.fraction_mask() + 1);
  const Bits tie = (significand & ~lost) + middle + draw.word(1) % 3 - 1;
  x.a = (x.a & ~f.fraction_mask()) | (tie & f.fraction_mask());
  const int power = 1 - formats::exponent_field(f, x.a) - dropped;
  x.b = static_cast<std::uint32_t>(static_cast<std::int32_t>(power));
  return x;
}

Operands ties(const Operation& op, const Draw& draw) {
  if (narrows(op)) return tie_of_conversion(*op.operand, *op.result, draw);
  if (plain_name(op) == "ldexp") return tie_of_scaling(*op.operand, draw);
  if (plain_name(op) == "add" || plain_name(op) == "sub") return tie_of_sum(*op.operand, draw);
  return tie_of_product(*op.operand, draw);
}

Operands cancel(const Operation& op, const Draw& draw) {
  const Format& f = *op.operand;
  Operands x = near(f, draw);
  x.c = negated(f, soft::mul(f, x.a, x.b).bits) + draw.word(3) % 2;
  if (op.arity == 2) x.b = negated(f, x.a) + draw.word(3) % 5 - 2;
  return x;
}

Operands subnormal(const Operation& op, const Draw& draw) {
  const Format& f = *op.operand;
  const auto below_normal = [&](std::uint64_t stream) {
    return number(f, 0, 0, draw.word(stream));
  };
  Operands x{.a = below_normal(0), .b = near(f, draw).b, .c = below_normal(2)};
  if (plain_name(op) == "add" || plain_name(op) == "sub" || plain_name(op) == "lt" ||
      plain_name(op) == "eq") {
    x.b = draw.word(3) % 2 != 0 ? below_normal(1) : number(f, 1, 3, draw.word(1));
  }
  if (draw.word(4) % 2 != 0 && plain_name(op) != "div") std::swap(x.a, x.b);
  return x;
}

// Two normal numbers whose product, quotient or difference is subnormal.
Operands tiny(const Operation& op, const Draw& draw) {
  const Format& f = *op.operand;
  // A product's exponent field is the sum of its operands' fields minus the bias: here zero or
  // slightly below.
  const int fields = f.bias - static_cast<int>(draw.word(4) % 4);
  const int split = 1 + static_cast<int>(draw.word(5) % static_cast<std::uint64_t>(fields - 1));
  Operands x{.a = number(f, split, split, draw.word(0)),
             .b = number(f, fields - split, fields - split, draw.word(1)),
             .c = 0};
  if (plain_name(op) == "add" || plain_name(op) == "sub") {
    x.a = number(f, 1, 2, draw.word(0));
    x.b = number(f, 1, 2, draw.word(1));
  }
  if (plain_name(op) == "div") {
    x.a = number(f, 1, f.fraction_bits / 2 + 1, draw.word(0));
    x.b = number(f, f.bias, f.bias + f.fraction_bits / 2 + 1, draw.word(1));
  }
  if (plain_name(op) == "fma" || plain_name(op) == "muladd")
    x.c = draw.word(6) % 2 != 0 ? 0 : number(f, 1, 1, draw.word(2));
  if (op.result->bits < op.operand->bits) {
    x.a = number(f, f.bias + op.result->min_place() - 1, f.bias + op.result->min_exponent(),
                 draw.word(0));
  }
  return x;
}

// Exponents that range from exact results to underflow and overflow.
Bits power_of_two_exponent(std::uint64_t word) {
  const auto n = static_cast<std::int64_t>(word % 601) - 300;
  return static_cast<std::uint32_t>(static_cast<std::int32_t>(n));
}

// With `tiny`, just large enough to leave the normal range; with `subnormal`, to return to it.
Bits power_for(std::string_view fill, const Format& f, Bits a, const Draw& draw) {
  if (fill != "tiny" && fill != "subnormal") return power_of_two_exponent(draw.word(1));
  const auto spread =
      static_cast<std::int32_t>(draw.word(1) % static_cast<std::uint64_t>(f.precision() + 2));
  const std::int32_t step = fill == "tiny" ? -formats::exponent_field(f, a) - spread + 1 : spread;
  return static_cast<std::uint32_t>(step);
}

// Independent operands are rarely equal; half of the pairs are made equal, in value or except for
// the sign.
Operands made_comparable(const Format& f, Operands x, const Draw& draw) {
  const std::uint64_t choice = draw.word(7) % 4;
  if (choice == 0) x.b = x.a;
  if (choice == 1) x.b = negated(f, x.a);
  return x;
}

// fp16 triples whose fma differs from common wrong evaluations: through fp32 with a second
// rounding, product rounded first, subnormals flushed, operands truncated to bf16, other rounding
// directions. Only one random triple in 34,000 reveals the first.
constexpr Operands kTriples[] = {
    {.a = 0x4200, .b = 0x6156, .c = 0x0400},  // 2049 + 2^-14
    {.a = 0x4700, .b = 0x5c94, .c = 0x8400},  // 2051 - 2^-14
    {.a = 0x4200, .b = 0x6156, .c = 0x0001},  // 2049 + 2^-24
    {.a = 0x5001, .b = 0x5001, .c = 0xe402},  // 2^-10 remains
    {.a = 0x520b, .b = 0x00e9, .c = 0x2ff6},
    {.a = 0x5bab, .b = 0x4cfd, .c = 0x7701},
    {.a = 0x5d00, .b = 0x5802, .c = 0x0001},
    {.a = 0x0fae, .b = 0x1240, .c = 0x9000},
    {.a = 0x4c7a, .b = 0x2d15, .c = 0x531b},
    {.a = 0x0001, .b = 0x7400, .c = 0x0000},  // a subnormal operand
    {.a = 0x0400, .b = 0x3800, .c = 0x0000},  // a subnormal result
    {.a = 0x3c01, .b = 0x3c00, .c = 0x0000},  // a last place that bf16 cannot hold
    {.a = 0x7bff, .b = 0x3c00, .c = 0x4c00},  // 65520
    {.a = 0x7bff, .b = 0x3c00, .c = 0x4bff},  // just below
};

Bits scaled_by(const Format& f, Bits bits, int exponent) {
  const int field = formats::exponent_field(f, bits) + exponent;
  return bits + (static_cast<Bits>(field) << f.fraction_bits) -
         (static_cast<Bits>(formats::exponent_field(f, bits)) << f.fraction_bits);
}

// With other signs, and scaled by a power of two where that is exact.
Operands triple(const Format& f, std::uint64_t index) {
  Operands x = kTriples[index % std::size(kTriples)];
  const std::uint64_t variant = index / std::size(kTriples);
  const int power = static_cast<int>((variant / 4 + 3) % 7) - 3;
  const auto scales = [&](Bits bits) {
    const int field = formats::exponent_field(f, bits);
    return field > 0 && field + power > 0 && field + power < f.max_exponent_field();
  };
  if (scales(x.a) && scales(x.c)) {
    x.a = scaled_by(f, x.a, power);
    x.c = scaled_by(f, x.c, power);
  }
  if (variant % 2 != 0) x = {.a = negated(f, x.a), .b = x.b, .c = negated(f, x.c)};
  if (variant / 2 % 2 != 0) x = {.a = negated(f, x.a), .b = negated(f, x.b), .c = x.c};
  return x;
}

Operands pair_of(const Case& c, std::uint64_t index) {
  const std::uint64_t pair = c.seed * kRowPairs + index;
  return {.a = pair / kRowPairs, .b = pair % kRowPairs};
}

Operands draw_operands(const Operation& op, std::string_view fill, const Draw& draw) {
  const Format& f = *op.operand;
  if (fill == "corners") return corners(f, draw.index);
  if (fill == "bits")
    return {
        .a = draw.word(0) & f.mask(), .b = draw.word(1) & f.mask(), .c = draw.word(2) & f.mask()};
  if (fill == "finite") return finite(f, draw);
  if (fill == "near") return near(f, draw);
  if (fill == "ties") return ties(op, draw);
  if (fill == "cancel") return cancel(op, draw);
  if (fill == "subnormal") return subnormal(op, draw);
  if (fill == "tiny") return tiny(op, draw);
  if (fill == "triples") return triple(f, draw.index);
  if (fill == "all" && narrows(op)) return every_conversion(f, *op.result, draw.index);
  if (fill == "all")
    return {.a = draw.index & f.mask(), .b = draw.word(1) & f.mask(), .c = draw.word(2) & f.mask()};
  throw UsageError(fmt::format("'{}' is not a fill of suite 'arithmetic'", fill));
}

}  // namespace

std::size_t count_of_all(const Operation& op) {
  return std::size_t{65536} * (narrows(op) ? kConversionOperands : 1);
}

std::span<const std::string_view> fill_names() { return kFillNames; }

bool applies(std::string_view fill, const Operation& op) {
  const bool rounds = op.arity >= 2 && plain_name(op) != "lt" && plain_name(op) != "eq" &&
                      plain_name(op) != "ldexp";
  if (fill == "ties")
    return narrows(op) || plain_name(op) == "ldexp" || (rounds && plain_name(op) != "div");
  if (fill == "cancel")
    return plain_name(op) == "fma" || plain_name(op) == "muladd" || plain_name(op) == "add" ||
           plain_name(op) == "lt";
  if (fill == "tiny") return plain_name(op) == "ldexp" || rounds || narrows(op);
  if (fill == "subnormal") {  // not where every subnormal becomes zero anyway
    return plain_name(op) != "rint" && op.operand->min_exponent() >= op.result->min_exponent();
  }
  if (fill == "all") return op.operand->bits == 16 || narrows(op);
  if (fill == kPairsFill) return has_pairs(op);
  if (fill == "triples") return op.operand == &formats::kFp16 && op.name == "fma";
  if (fill == "near") return plain_name(op) != "ldexp";
  return true;
}

TensorSet operands_of(const Operation& op, std::string_view fill, std::size_t count,
                      const Case& c) {
  const Random random(c, "operands");
  TensorSet set;
  for (const char* name : {"a", "b", "c"}) {
    if (name[0] - 'a' < op.arity) set.emplace(name, formats::Tensor::zeros(*op.operand, count));
  }
  for (std::size_t i = 0; i < count; ++i) {
    const Draw draw{.random = random, .index = i};
    Operands x = fill == kPairsFill ? pair_of(c, i) : draw_operands(op, fill, draw);
    if (plain_name(op) == "lt" || plain_name(op) == "eq") x = made_comparable(*op.operand, x, draw);
    if (plain_name(op) == "ldexp" && fill != "ties") x.b = power_for(fill, *op.operand, x.a, draw);
    set.at("a").set(i, x.a);
    if (op.arity >= 2) set.at("b").set(i, x.b);
    if (op.arity >= 3) set.at("c").set(i, x.c);
  }
  return set;
}

}  // namespace halfmark::suites::arithmetic
