// SPDX-License-Identifier: Apache-2.0
// The rules built from whole operations: kFmaChain, kFlushedChain, kOddPairs, kExact, kFlushedPairs
// and kEvenOdd.
#include "reference/models/exact_sum.hpp"
#include "reference/models/unit_rules.hpp"
#include "reference/soft/soft.hpp"

namespace halfmark::models::rules {
namespace {

using formats::Format;
using formats::kFp32;

Bits with_nan_of(const Unit& unit, Bits d) {
  return formats::is_nan(*unit.output, d) ? unit.nan() : d;
}

// The environment of kEvenOdd and kFlushedChain.
constexpr soft::Environment kFlushed{.subnormals = soft::Subnormals::kFlush};

// A zero loses its sign, too.
Bits flush_operand(const Format& f, Bits bits) {
  return formats::exponent_field(f, bits) == 0 ? formats::zero(f) : bits;
}

// Tests the rounded result: one that rounds up to the smallest normal number stays.
Bits flush_result(Bits bits) {
  return formats::is_subnormal(kFp32, bits) ? formats::zero(kFp32, formats::sign(kFp32, bits))
                                            : bits;
}

Bits flushed_add(Bits x, Bits y) { return flush_result(soft::add(kFp32, x, y).bits); }

Bits flushed_product(const Block& block, std::size_t k) {
  const Bits a = flush_operand(*block.a_format, block.a[k]);
  const Bits b = flush_operand(*block.b_format, block.b[k]);
  return flush_result(soft::mul(*block.a_format, a, *block.b_format, b, kFp32, {}).bits);
}

// The sum of `count` products from `first` on, added as a tree; count is a power of two.
Bits pair_sum(const Block& block, std::size_t first, std::size_t count) {
  if (count == 1) return flushed_product(block, first);
  const std::size_t half = std::bit_ceil(count) / 2;
  return flushed_add(pair_sum(block, first, half), pair_sum(block, first + half, count - half));
}

Bits chain(const Block& block, std::size_t first, std::size_t stride, const Format& f, Bits sum,
           const soft::Environment& env) {
  for (std::size_t k = first; k < block.a.size(); k += stride) {
    sum = soft::fma(*block.a_format, block.a[k], *block.b_format, block.b[k], f, sum, env).bits;
  }
  return sum;
}

// A NaN as fp32: the upper bits of its fraction, quiet.
Bits quieted(const Format& f, Bits nan) {
  const int places = kFp32.fraction_bits - f.fraction_bits;
  return formats::encode(kFp32, formats::sign(f, nan), formats::magnitude(f, nan) << places) |
         formats::quiet_nan(kFp32);
}

// The NaN of one step of a chain whose result is one.
Bits nan_of_step(const Unit& unit, const Block& block, std::size_t k, Bits c) {
  if (!unit.propagates_nan) return unit.nan();
  if (formats::is_nan(*block.a_format, block.a[k])) return quieted(*block.a_format, block.a[k]);
  if (formats::is_nan(*block.b_format, block.b[k])) return quieted(*block.b_format, block.b[k]);
  return formats::is_nan(kFp32, c) ? quieted(kFp32, c) : unit.nan();
}

// The environment of kOddPairs, before the last bit is set.
constexpr soft::Environment kOdd{.rounding = soft::Rounding::kTowardZero,
                                 .subnormals = soft::Subnormals::kFlush};

Bits to_odd(const soft::Result& result) {
  if ((result.flags & soft::kOverflow) != 0)
    return formats::infinity(kFp32, formats::sign(kFp32, result.bits));
  const bool is_cut = (result.flags & soft::kInexact) != 0;
  return is_cut && !formats::is_zero(kFp32, result.bits) ? result.bits | 1 : result.bits;
}

}  // namespace

Bits fma_chain(const Unit& unit, const Block& block, Bits c) {
  return with_nan_of(unit, chain(block, 0, 1, *unit.output, c, {}));
}

Bits exact(const Unit& unit, const Block& block, Bits c) {
  ExactSum sum;
  for (std::size_t k = 0; k < block.a.size(); ++k) {
    sum.add_product(*block.a_format, block.a[k], *block.b_format, block.b[k]);
  }
  sum.add(*unit.output, c);
  return with_nan_of(unit, sum.round(*unit.output).bits);
}

Bits flushed_pairs(const Unit& unit, const Block& block, Bits c) {
  const Bits sum = pair_sum(block, 0, block.a.size());
  return with_nan_of(unit, flushed_add(flush_operand(*unit.output, c), sum));
}

Bits even_odd(const Unit& unit, const Block& block, Bits c) {
  const Bits even = chain(block, 0, 2, kFp32, formats::zero(kFp32), kFlushed);
  const Bits odd = chain(block, 1, 2, kFp32, formats::zero(kFp32), kFlushed);
  const Bits sum = soft::add(kFp32, even, odd, kFlushed).bits;
  return with_nan_of(unit, soft::add(kFp32, c, sum, kFlushed).bits);
}

Bits flushed_chain(const Unit& unit, const Block& block, Bits c) {
  for (std::size_t k = block.a.size(); k-- > 0;) {
    const Bits sum =
        soft::fma(*block.a_format, block.a[k], *block.b_format, block.b[k], kFp32, c, kFlushed)
            .bits;
    c = formats::is_nan(kFp32, sum) ? nan_of_step(unit, block, k, c) : sum;
  }
  return c;
}

Bits odd_pairs(const Unit& unit, const Block& block, Bits c) {
  const auto product = [&](std::size_t k) {
    return to_odd(soft::mul(*block.a_format, block.a[k], *block.b_format, block.b[k], kFp32, kOdd));
  };
  Bits sum = product(0);
  for (std::size_t k = 1; k < block.a.size(); ++k)
    sum = to_odd(soft::add(kFp32, sum, product(k), kOdd));
  return with_nan_of(unit, to_odd(soft::add(kFp32, c, sum, kOdd)));
}

}  // namespace halfmark::models::rules
