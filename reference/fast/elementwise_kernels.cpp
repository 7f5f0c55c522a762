// SPDX-License-Identifier: Apache-2.0
// Why one fp32 operation and one more rounding give the fp16 and bf16 result. fp32 has 24 digits,
// fp16 11, bf16 8; by Figueroa ("When is double rounding innocuous?", 1995) 24 >= 2p + 2 is
// sufficient for + - * / and sqrt as long as nothing is subnormal. For subnormal results:
//   fp16   every intermediate result is a normal fp32 number (or zero), and a quotient differs from
//          a midpoint m of fp16 by more than 2^-22 m: A/B - M 2^k is 0 or at least 2^k / B.
//   bf16   sums and differences of its numbers, all multiples of 2^-133, are exact in fp32 when
//          tiny. A tiny quotient differs from a midpoint by at least 2^-143, more than fp32's error
//          of 2^-150. A product has 16 digits: from 2^-134 on, half of the least number, it is a
//          multiple of 2^-149 and exact when tiny; below that it becomes at most 2^-134, a tie that
//          goes to zero as the product does.
// For fma, double rounding is never innocuous: it uses fp64 and a sum rounded to odd, see demote.
#include "reference/fast/elementwise_kernels.hpp"

#include "reference/fast/simd.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reference/fast/elementwise_kernels.cpp"
#include <hwy/foreach_target.h>
// After foreach_target, which includes this file once per target.
#include "reference/fast/lanes_vector.hpp"

HWY_BEFORE_NAMESPACE();
namespace halfmark::fast::HWY_NAMESPACE {
#if HWY_NATIVE_FMA

using Doubles = hn::ScalableTag<double>;
using Longs = hn::RebindToUnsigned<Doubles>;
using HalfFloats = hn::Rebind<float, Doubles>;
using DoubleVector = hn::Vec<Doubles>;

// Operates on a, b, c in fp32 lanes; the result must still be rounded once to the storage format.
using Lanewise = FloatVector (*)(FloatVector a, FloatVector b, FloatVector c);

HWY_INLINE FloatVector add(FloatVector a, FloatVector b, FloatVector) { return hn::Add(a, b); }
HWY_INLINE FloatVector sub(FloatVector a, FloatVector b, FloatVector) { return hn::Sub(a, b); }
HWY_INLINE FloatVector mul(FloatVector a, FloatVector b, FloatVector) { return hn::Mul(a, b); }
HWY_INLINE FloatVector div(FloatVector a, FloatVector b, FloatVector) { return hn::Div(a, b); }
HWY_INLINE FloatVector sqrt(FloatVector a, FloatVector, FloatVector) { return hn::Sqrt(a); }
HWY_INLINE FloatVector fma(FloatVector a, FloatVector b, FloatVector c) {
  return hn::MulAdd(a, b, c);
}

// Whether b comes before a: numbers in order, with -0 before +0.
HWY_INLINE hn::Mask<Floats> precedes(FloatVector b, FloatVector a) {
  const hn::RebindToSigned<Floats> integers;
  const auto key = [&](FloatVector value) HWY_ATTR {
    const auto bits = hn::BitCast(integers, value);
    return hn::Xor(bits, hn::And(hn::BroadcastSignBit(bits), hn::Set(integers, 0x7fffffff)));
  };
  return hn::RebindMask(Floats(), hn::Lt(key(b), key(a)));
}

HWY_INLINE FloatVector extremum_number(FloatVector a, FloatVector b, hn::Mask<Floats> takes_b) {
  const FloatVector number = hn::IfThenElse(takes_b, b, a);
  return hn::IfThenElse(hn::IsNaN(a), b, hn::IfThenElse(hn::IsNaN(b), a, number));
}
HWY_INLINE FloatVector extremum(FloatVector a, FloatVector b, hn::Mask<Floats> takes_b) {
  const auto any_nan = hn::Or(hn::IsNaN(a), hn::IsNaN(b));
  return hn::IfThenElse(any_nan, every_lane(0x7fc00000U), hn::IfThenElse(takes_b, b, a));
}
HWY_INLINE FloatVector minimum(FloatVector a, FloatVector b, FloatVector) {
  return extremum(a, b, precedes(b, a));
}
HWY_INLINE FloatVector maximum(FloatVector a, FloatVector b, FloatVector) {
  return extremum(a, b, precedes(a, b));
}
HWY_INLINE FloatVector minimum_number(FloatVector a, FloatVector b, FloatVector) {
  return extremum_number(a, b, precedes(b, a));
}
HWY_INLINE FloatVector maximum_number(FloatVector a, FloatVector b, FloatVector) {
  return extremum_number(a, b, precedes(a, b));
}

// a + b rounded to odd in fp64. The error of the sum, which is exact (Knuth's TwoSum), gives the
// direction in which an even last place must step.
HWY_INLINE DoubleVector add_to_odd(DoubleVector a, DoubleVector b) {
  const Doubles d;
  const Longs longs;
  const DoubleVector sum = hn::Add(a, b);
  const DoubleVector b_part = hn::Sub(sum, a);
  const DoubleVector error = hn::Add(hn::Sub(a, hn::Sub(sum, b_part)), hn::Sub(b, b_part));
  const auto one = hn::Set(longs, std::uint64_t{1});
  const auto bits = hn::BitCast(longs, sum);
  const auto even = hn::Eq(hn::And(bits, one), hn::Zero(longs));
  // False for a NaN, which is the error of an infinite sum.
  const auto inexact = hn::RebindMask(longs, hn::Gt(hn::Abs(error), hn::Zero(d)));
  // Away from zero if the error has the sum's sign, that is, + 1 on the magnitude, else - 1.
  const auto against = hn::ShiftRight<63>(hn::Xor(bits, hn::BitCast(longs, error)));
  const auto step = hn::Sub(one, hn::Add(against, against));
  const auto odd = hn::IfThenElse(hn::And(even, inexact), hn::Add(bits, step), bits);
  return hn::BitCast(d, odd);
}

// Rounds fp64 to fp32 such that one more rounding, to fp16 or bf16, gives the same as rounding
// the fp64 number directly: truncates to 24 digits and makes the last one odd if anything was
// lost, where 24 >= p + 2. Tiny numbers, which only bf16 has, lose the digits below 2^-149 in
// addition, which moves none onto or over a midpoint. For c is a multiple of 2^-133, so the sum
// is next to a midpoint only if the product is; then the product is at least 2^-134 and a
// multiple of 2^-149. The only number just below, 65535 * 2^-150, is not a product, because 65535
// has the prime factor 257.
HWY_INLINE hn::Vec<HalfFloats> demote(DoubleVector values) {
  const Doubles d;
  const Longs longs;
  constexpr std::uint64_t kCut = (std::uint64_t{1} << 29) - 1;
  const auto bits = hn::BitCast(longs, values);
  const auto cut = hn::Set(longs, kCut);
  const auto exact = hn::Eq(hn::And(bits, cut), hn::Zero(longs));
  const auto kept = hn::AndNot(cut, bits);
  const auto odd = hn::IfThenElse(exact, kept, hn::Or(kept, hn::Set(longs, kCut + 1)));
  return hn::DemoteTo(HalfFloats(), hn::BitCast(d, odd));
}

// For fp16 or bf16 numbers: the product is exact in fp64, and its sum with c is rounded to odd.
HWY_INLINE FloatVector fma_wide(FloatVector a, FloatVector b, FloatVector c) {
  const Doubles d;
  const HalfFloats h;
  const auto low = add_to_odd(
      hn::Mul(hn::PromoteTo(d, hn::LowerHalf(h, a)), hn::PromoteTo(d, hn::LowerHalf(h, b))),
      hn::PromoteTo(d, hn::LowerHalf(h, c)));
  const auto high = add_to_odd(
      hn::Mul(hn::PromoteTo(d, hn::UpperHalf(h, a)), hn::PromoteTo(d, hn::UpperHalf(h, b))),
      hn::PromoteTo(d, hn::UpperHalf(h, c)));
  return hn::Combine(Floats(), demote(high), demote(low));
}

// How elements are stored in memory.
struct InFp16 {
  using Word = std::uint16_t;
  static HWY_INLINE FloatVector load(const Word* p) { return from_fp16(hn::LoadU(Halves(), p)); }
  static HWY_INLINE FloatVector widen(HalfVector words) { return from_fp16(words); }
  static HWY_INLINE void store(FloatVector v, Word* p) { hn::StoreU(to_fp16(v), Halves(), p); }
};
struct InBf16 {
  using Word = std::uint16_t;
  static HWY_INLINE FloatVector load(const Word* p) { return from_bf16(hn::LoadU(Halves(), p)); }
  static HWY_INLINE FloatVector widen(HalfVector words) { return from_bf16(words); }
  static HWY_INLINE void store(FloatVector v, Word* p) { hn::StoreU(to_bf16(v), Halves(), p); }
};
struct InFp32 {
  using Word = float;
  static HWY_INLINE FloatVector load(const Word* p) { return hn::LoadU(Floats(), p); }
  static HWY_INLINE void store(FloatVector v, Word* p) {
    hn::StoreU(with_default_nans(v), Floats(), p);
  }
};

// Whole vectors first, then the rest in copies padded with zeros.
template <typename In, int kArity, Lanewise kOperation>
void run(const std::byte* a_bytes, const std::byte* b_bytes, const std::byte* c_bytes,
         std::size_t count, std::byte* to_bytes) {
  using Word = typename In::Word;
  constexpr std::size_t kVector = hn::MaxLanes(Floats());
  const auto* a = reinterpret_cast<const Word*>(a_bytes);
  const auto* b = reinterpret_cast<const Word*>(kArity > 1 ? b_bytes : a_bytes);
  const auto* c = reinterpret_cast<const Word*>(kArity > 2 ? c_bytes : a_bytes);
  auto* to = reinterpret_cast<Word*>(to_bytes);
  std::size_t i = 0;
  for (; i + kVector <= count; i += kVector) {
    In::store(kOperation(In::load(a + i), In::load(b + i), In::load(c + i)), to + i);
  }
  if (i == count) return;
  Word rest[4][kVector] = {};
  for (std::size_t j = i; j < count; ++j) {
    rest[0][j - i] = a[j];
    rest[1][j - i] = b[j];
    rest[2][j - i] = c[j];
  }
  In::store(kOperation(In::load(rest[0]), In::load(rest[1]), In::load(rest[2])), rest[3]);
  for (std::size_t j = i; j < count; ++j) to[j] = rest[3][j - i];
}

template <typename In, Lanewise kOperation>
void pairs(std::uint16_t a, std::uint16_t b, std::size_t count,
           std::uint16_t* HWY_RESTRICT results) {
  const Halves halves;
  const FloatVector left = In::widen(hn::Set(halves, a));
  HalfVector right = hn::Iota(halves, b);
  const HalfVector step = hn::Set(halves, static_cast<std::uint16_t>(hn::Lanes(halves)));
  for (std::size_t i = 0; i < count; i += hn::Lanes(halves)) {
    In::store(kOperation(left, In::widen(right), left), results + i);
    right = hn::Add(right, step);
  }
}

template <typename In, Lanewise kFma>
constexpr std::array<ElementwiseKernels::Run, kOperationCount> runs_of() {
  return {run<In, 2, add>,           run<In, 2, sub>,     run<In, 2, mul>,
          run<In, 2, div>,           run<In, 1, sqrt>,    run<In, 3, kFma>,
          run<In, 2, minimum>,       run<In, 2, maximum>, run<In, 2, minimum_number>,
          run<In, 2, maximum_number>};
}

template <typename In>
constexpr std::array<ElementwiseKernels::Pairs, kOperationCount> pairs_of() {
  return {pairs<In, add>,
          pairs<In, sub>,
          pairs<In, mul>,
          pairs<In, div>,
          nullptr,
          nullptr,
          pairs<In, minimum>,
          pairs<In, maximum>,
          pairs<In, minimum_number>,
          pairs<In, maximum_number>};
}

inline constexpr ElementwiseKernels kElementwiseKernels{.fp16 = runs_of<InFp16, fma_wide>(),
                                                        .bf16 = runs_of<InBf16, fma_wide>(),
                                                        .fp32 = runs_of<InFp32, fma>(),
                                                        .fp16_pairs = pairs_of<InFp16>(),
                                                        .bf16_pairs = pairs_of<InBf16>()};
static_assert(ElementwiseKernels::kPairStep % hn::MaxLanes(Floats()) == 0);
#endif
}  // namespace halfmark::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace halfmark::fast {

const ElementwiseKernels* elementwise_kernels(Target target) {
  return HM_FAST_CHOOSE(ElementwiseKernels, target, kElementwiseKernels);
}

}  // namespace halfmark::fast
#endif
