// SPDX-License-Identifier: Apache-2.0
#include "suites/elementary/inputs.hpp"

#include <algorithm>
#include <iterator>
#include <span>

#include "reference/formats/classify.hpp"
#include "reference/soft/soft.hpp"
#include "suites/core/case/fills.hpp"
#include "suites/elementary/callee.hpp"

namespace halfmark::suites::elementary {
namespace {

using formats::Bits;
using formats::kFp16;
using formats::kFp32;
using formats::Tensor;

constexpr std::uint64_t kHalves = 65536;
constexpr Bits kOne = 0x3f800000;

// Special values, and 1, -1 and 2: no function maps all three to themselves, because the cube root
// moves 2.
constexpr Bits kEdges[] = {0,          0x80000000, 0x7f800000, 0xff800000,
                           0x7fc00000, 0x40000000, 0x3f800000, 0xbf800000};

// Of functions with a period: also integers and halves, up to where only integers are numbers.
constexpr Bits kTurnEdges[] = {0,          0x80000000, 0x7f800000, 0xff800000, 0x7fc00000,
                               0x40000000, 0x3f800000, 0xbf800000, 0x3f000000, 0xbf000000,
                               0x3fc00000, 0x40200000, 0xc0200000, 0x40400000, 0xc0400000,
                               0x447fe000, 0xc4800000, 0x4a800001, 0x4b000001};

// Also odd and even integers, the largest odd one and the next beyond it, halves, and the ends of
// the range.
constexpr Bits kPairEdges[] = {0,          0x80000000, 0x7f800000, 0xff800000, 0x7fc00000,
                               0x3f800000, 0xbf800000, 0x40000000, 0xc0000000, 0x3f000000,
                               0xbf000000, 0x40400000, 0xc0400000, 0xc0200000, 0x4b7fffff,
                               0xcb7fffff, 0x4b800000, 0x7f7fffff, 0xff7fffff};

Bits number(std::int64_t numerator, int exponent) { return scaled(kFp32, numerator, exponent); }

// The fraction and sign of a random word at an exponent from `low` on.
Bits within(std::uint64_t word, int low, std::uint64_t binades) {
  const Bits field = static_cast<Bits>(kFp32.bias + low) + (word >> 40) % binades;
  return (word >> 63 << 31) | field << kFp32.fraction_bits | (word & kFp32.fraction_mask());
}

struct Words {
  std::uint64_t first, second;
};

// --- two operands at the borders of a function ---------------------------------------------------

// x^w near overflow, near the subnormal range, near underflow and very close to 1: w = target /
// log2 x.
Operands power_of_target(std::uint64_t index, const Words& words) {
  constexpr Bits kTargets[] = {0x43000000, 0xc2fc0000, 0xc3150000, 0x33800000};  // 128 -126 -149
  const bool beside_one = (words.first >> 32) % 3 == 0;
  Bits x = within(words.first, -10, 17) & kFp32.magnitude_mask();
  if (beside_one) x = kOne - 32 + words.first % 64;
  if (x == kOne) ++x;
  const Bits log = soft::log2(kFp32, x).bits;
  const Bits w = soft::div(kFp32, kTargets[index / 4 % std::size(kTargets)], log).bits;
  const Bits steps = words.second % 7;
  return {x, (w & kFp32.sign_mask()) | ((w & kFp32.magnitude_mask()) + steps - 3)};
}

Operands powers(std::uint64_t index, const Words& words) {
  switch (index % 4) {
    case 0:
      return power_of_target(index, words);
    case 1:  // bases next to 1, huge powers
      return {kOne - 64 + words.first % 128, within(words.second, 4, 26)};
    case 2: {  // negative bases, integers and halves
      const auto halves = static_cast<std::int64_t>(words.second % 161) - 80;
      return {within(words.first, -3, 6) | kFp32.sign_mask(), number(halves, -1)};
    }
    default: {  // perfect powers and their roots: numbers, and the midpoints of two
      const auto root = static_cast<int>(words.first % 3);
      auto base = static_cast<std::int64_t>(words.first >> 8 & 63) | 1;
      for (int i = 0; i < root; ++i) base *= base;
      const auto n = static_cast<std::int64_t>(words.second % 9) - 2;
      const int scale = static_cast<int>(words.second >> 8 & 3) << root;
      return {number(base, scale), number(n, -root)};
    }
  }
}

// Near the ends of the range, and sides so different that the smaller one stops mattering.
Operands sides(std::uint64_t index, const Words& words) {
  if (index % 3 == 0) return {within(words.first, 120, 8), within(words.second, 120, 8)};
  if (index % 3 == 1) {
    return {(words.first & 0x80ffffff), (words.second & 0x81ffffff)};  // subnormal or nearly
  }
  const auto low = static_cast<int>(words.second >> 8 & 31) - 13;
  return {within(words.first, 0, 1), within(words.second, low, 1)};
}

// Multiples and half multiples of w, and numbers next to them.
Operands multiples(std::uint64_t index, const Words& words) {
  const auto w = static_cast<std::int64_t>(words.second & 0xfff) | 1;
  const auto times = static_cast<std::int64_t>(words.first & 0xfff);
  const auto scale = static_cast<int>(words.second >> 32 & 63) - 32;
  const auto more = static_cast<int>(words.first >> 32 & 63);
  const bool exact = index % 3 != 0;
  const Bits x = number(w * times, scale - 1 + (exact ? 0 : more)) + (index % 3 == 2 ? 1U : 0U);
  return {x | (words.first >> 63 << 31), number(w, scale)};
}

// Quotients and divisors at both ends of the range.
Operands quotients(std::uint64_t index, const Words& words) {
  const int low = index % 2 == 0 ? 118 : -126;
  const Bits w = within(words.second, low, 9);
  const Bits x = index % 4 < 2 ? within(words.first, -12, 24) : within(words.first, low, 9);
  return {x, w};
}

Operands borders(const Callee& callee, std::uint64_t index, const Words& words) {
  if (callee.name.starts_with("pow")) return powers(index, words);
  if (callee.name == "fmod" || callee.name == "remainder") return multiples(index, words);
  return callee.name == "div" ? quotients(index, words) : sides(index, words);
}

// --- fills ---------------------------------------------------------------------------------------

// The number of binades of the fill `moderate`, from 2^-10 on: for the arc functions they end at 1.
std::uint64_t binades_of(std::string_view function) {
  return function == "asin" || function == "acos" ? 10 : 17;
}

std::span<const Bits> edges_of_one(std::string_view function) {
  const bool turns = function == "sinpi" || function == "cospi";
  return turns ? std::span<const Bits>(kTurnEdges) : std::span<const Bits>(kEdges);
}

Bits single_operand(const Case& c, std::uint64_t index, std::uint64_t word) {
  const std::string_view fill = c.word("fill");
  if (fill == "edges") {
    const std::span<const Bits> edges = edges_of_one(c.word("operation"));
    return edges[index % edges.size()];
  }
  if (fill == "halves") return soft::convert(kFp16, kFp32, index % kHalves).bits;
  if (fill == "bits") return word & kFp32.mask();
  return within(word, -10, binades_of(c.word("operation")));
}

// The exponent of a power stays within 2^5, so that most results stay in range.
Operands operand_pair(const Case& c, const Callee& callee, std::uint64_t index,
                      const Words& words) {
  const std::string_view fill = c.word("fill");
  constexpr std::size_t kCount = std::size(kPairEdges);
  if (fill == "edges") return {kPairEdges[index / kCount % kCount], kPairEdges[index % kCount]};
  if (fill == "borders") return borders(callee, index, words);
  if (fill == "bits") return {words.first & kFp32.mask(), words.second & kFp32.mask()};
  const bool power = callee.name.starts_with("pow");
  const Bits x = within(words.first, -10, 17);
  return {power && words.second >> 60 != 0 ? x & kFp32.magnitude_mask() : x,
          within(words.second, -10, power ? 15 : 17)};
}

// An integer that fits 32 bits, for functions that accept no other second operand.
Bits integral(Bits w, std::uint64_t index) {
  constexpr Bits kLimit = 0x4effffff;  // below 2^31
  if (formats::magnitude(kFp32, w) > kLimit) {
    return number(static_cast<std::int64_t>(index % 7) - 3, 0);
  }
  return soft::rint(kFp32, w, {.rounding = soft::Rounding::kTowardZero}).bits;
}

Bits moved_to_one(Bits bits) { return (bits & (kFp32.sign_mask() | kFp32.fraction_mask())) | kOne; }

// Quiets signaling NaNs: languages need not distinguish NaNs, and functions for which a NaN operand
// does not matter need not notice.
Bits quiet(Bits bits) {
  return formats::is_signaling(kFp32, bits) ? bits | formats::quiet_nan(kFp32) : bits;
}

// Restricts operands to those that the profile defines: finite numbers, positive and normal where
// only those have a value, and within the circle. Others keep their fraction and move to [1, 2).
Bits in_profile(const Bound& bound, Bits bits) {
  const bool positive_only = bound.function.starts_with("log") || bound.function == "rsqrt";
  bool moves = !formats::is_finite(kFp32, bits);
  if (positive_only) moves = moves || formats::classify(kFp32, bits) != formats::Class::kNormal;
  constexpr Bits kPi = 0x40490fda;  // slightly below pi
  if (bound.shape == Shape::kOneCircle) moves = moves || (bits & kFp32.magnitude_mask()) > kPi;
  if (moves) bits = moved_to_one(bits);
  return positive_only ? bits & kFp32.magnitude_mask() : bits;
}

// A divisor from 2^-126 to 2^126, and any coordinate except zero.
Bits second_in_profile(Bits bits) {
  constexpr Bits kLeast = 0x00800000;
  constexpr Bits kGreatest = 0x7e800000;
  const Bits size = bits & kFp32.magnitude_mask();
  return size < kLeast || size > kGreatest ? moved_to_one(bits) : bits;
}

// Restricts operands to those defined for the fast kinds: up to 2^16 for the circular functions,
// positive bases for powers. The logarithm of a subnormal may be NaN or that of zero, which is not
// one range; the same holds for the quotient of two subnormals, and for the reciprocal of one that
// may be taken as a zero of either sign.
Bits in_fast_kind(const Bound& bound, Bits bits) {
  const bool binary = callee_of(bound.function).binary != nullptr;
  const bool divides = bound.function == "recip" || bound.function == "rsqrt";
  if (formats::is_subnormal(kFp32, bits)) {
    bits = binary || divides ? moved_to_one(bits) : bits & kFp32.magnitude_mask();
  }
  constexpr Bits kGreatest = 0x47800000;  // 2^16
  const bool circular =
      bound.function == "sin" || bound.function == "cos" || bound.function == "tan";
  if (circular && (bits & kFp32.magnitude_mask()) > kGreatest) bits = moved_to_one(bits);
  return bound.function == "powr" ? bits & kFp32.magnitude_mask() : bits;
}

// No specification says what the reciprocal root of -0 is.
Bits without_minus_zero(const Bound& bound, const formats::Format& f, Bits bits) {
  return bound.function == "rsqrt" && bits == f.sign_mask() ? 0 : bits;
}

Bits first_of(const Bound& bound, Bits bits) {
  bits = without_minus_zero(bound, kFp32, bits);
  if (bound.kind == "half") bits = in_fast_kind(bound, bits);
  return bound.profile ? in_profile(bound, bits) : bits;
}

Bits second_of(const Bound& bound, Bits bits, std::uint64_t index) {
  if (bound.function == "pown") return integral(bits, index);
  if (bound.kind == "half" && formats::is_subnormal(kFp32, bits)) bits = moved_to_one(bits);
  return bound.profile ? second_in_profile(bits) : bits;
}

}  // namespace

std::size_t edges_of(const Bound& bound) {
  const bool binary = callee_of(bound.function).binary != nullptr;
  return binary ? std::size(kPairEdges) * std::size(kPairEdges)
                : edges_of_one(bound.function).size();
}

namespace {

// fp16 uses the fills of fp32, rounded, except that `bits` uses every encoding equally often.
Operands operands_of(const Case& c, const Bound& bound, std::uint64_t index, const Words& words) {
  const Callee& callee = callee_of(bound.function);
  const bool half = bound.format == &kFp16;
  if (half && c.word("fill") == "halves")
    return {without_minus_zero(bound, kFp16, index % kHalves), 0};
  if (half && c.word("fill") == "bits") {
    return {words.first & kFp16.mask(), words.second & kFp16.mask()};
  }
  Operands operands;
  if (callee.unary != nullptr) {
    operands.x = first_of(bound, single_operand(c, index, words.first));
  } else {
    operands = operand_pair(c, callee, index, words);
    operands = {first_of(bound, quiet(operands.x)), second_of(bound, quiet(operands.w), index)};
  }
  if (!half) return operands;
  return {soft::convert(kFp32, kFp16, operands.x).bits,
          soft::convert(kFp32, kFp16, operands.w).bits};
}

// An fp16 number as it is, or an integer; signaling NaNs are quieted.
Bits second_half(const Bound& bound, Bits w, std::uint64_t index) {
  if (bound.function != "pown") return w;
  const Bits wide = soft::convert(kFp16, kFp32, w).bits;
  return soft::convert(kFp32, kFp16, integral(wide, index)).bits;
}
Bits quiet_half(Bits bits) {
  return formats::is_signaling(kFp16, bits) ? bits | formats::quiet_nan(kFp16) : bits;
}

}  // namespace

TensorSet inputs_of(const Case& c, const Bound& bound, std::size_t count) {
  const bool half = bound.format == &kFp16;
  const bool binary = callee_of(bound.function).binary != nullptr;
  const Random random(c, "x");
  const Random second(c, "w");
  Tensor x = Tensor::zeros(*bound.format, count);
  Tensor w = x;
  for (std::size_t i = 0; i < count; ++i) {
    Operands operands = operands_of(c, bound, i, {random.at(i), second.at(i)});
    if (half && binary) {
      operands = {quiet_half(operands.x), second_half(bound, quiet_half(operands.w), i)};
    }
    x.set(i, operands.x);
    w.set(i, operands.w);
  }
  TensorSet set;
  set.emplace("x", std::move(x));
  if (binary) set.emplace("w", std::move(w));
  return set;
}

}  // namespace halfmark::suites::elementary
