// SPDX-License-Identifier: Apache-2.0
// Sums in fp16 or bf16: natively if the target can, else in fp32 lanes by rounding to odd. The
// latter needs exact products, which the formats or, for wide exponents, the data guarantee;
// otherwise the soft-float is used.
#include <bit>

#include "reference/fast/call.hpp"
#include "reference/fast/chain.hpp"
#include "reference/fast/epilogue.hpp"
#include "reference/fast/half_kernels.hpp"
#include "reference/fast/lanes.hpp"
#include "reference/fast/lanes_kernels.hpp"
#include "reference/fast/operand_span.hpp"
#include "reference/soft/soft.hpp"

namespace halfmark::fast {
namespace {

using formats::Bits;
using formats::Format;
using formats::kBf16;
using formats::kFp16;
using formats::kFp32;
using formats::Tensor;

// Whether fp32 can represent all products of numbers with these places and sizes.
bool products_fit(int place_a, int above_a, int place_b, int above_b) {
  return place_a + place_b >= kFp32.min_place() && above_a + above_b <= kFp32.max_exponent();
}

bool products_are_exact(const Call& call) {
  const Format& fa = *call.a.format;
  const Format& fb = *call.b.format;
  if (products_fit(fa.min_place(), fa.max_exponent() + 1, fb.min_place(), fb.max_exponent() + 1)) {
    return true;
  }
  const Span a = span_of(call.a, call.target, call.options.threads);
  const Span b = span_of(call.b, call.target, call.options.threads);
  return products_fit(a.place, a.place + a.width, b.place, b.place + b.width);
}

class HalfWalk {
 public:
  HalfWalk(const Call& call, Tensor& d)
      : call_(call),
        epilogue_(call.problem, call.c, d, call.target),
        format_(*call.arithmetic.accumulator),
        fused_(call.arithmetic.step == models::Step::kFma) {}

  void run_in_fp32() const {
    const HalfKernels& kernels = *half_kernels(call_.target);
    const bool fp16 = format_ == kFp16;
    walk(Chain<float, float>{.problem = call_.problem,
                             .reversed = is_reversed(),
                             .direction = Direction::kTowardZero,
                             .load_a = [&](auto... at) { load(call_.a, at...); },
                             .load_b = [&](auto... at) { load(call_.b, at...); },
                             .tile_rows = kernels.rows,
                             .tile_columns = kernels.columns,
                             .tile = fused_ ? (fp16 ? kernels.fp16_fma : kernels.bf16_fma)
                                            : (fp16 ? kernels.fp16_mul : kernels.bf16_mul),
                             .start = [&](auto... at) { start(at...); },
                             .finish = [&](auto... at) { epilogue_.finish(at...); }},
         call_.options);
  }

  void run_in_fp16(const Fp16Kernels& kernels) const {
    const LanesKernels& lanes = *lanes_kernels(call_.target);
    walk(Chain<std::uint16_t, std::uint16_t>{
             .problem = call_.problem,
             .reversed = is_reversed(),
             .load_a = [&](auto... at) { load(call_.a, at...); },
             .load_b = [&](auto... at) { load(call_.b, at...); },
             .tile_rows = kernels.rows,
             .tile_columns = kernels.columns,
             .tile = fused_ ? kernels.fma : kernels.mul,
             .start =
                 [&](std::size_t item, std::size_t i, std::size_t j, std::size_t count,
                     std::uint16_t* sums) {
                   const Buffer<float> values = make_buffer<float>(count);
                   start(item, i, j, count, values.get());
                   lanes.narrow_fp16(values.get(), count, sums);
                 },
             .finish =
                 [&](std::size_t item, std::size_t i, std::size_t j, std::size_t count,
                     const std::uint16_t* sums) {
                   const Buffer<float> values = make_buffer<float>(count);
                   lanes.widen_fp16(sums, count, values.get());
                   epilogue_.finish(item, i, j, count, values.get());
                 }},
         call_.options);
  }

 private:
  [[nodiscard]] bool is_reversed() const {
    return call_.arithmetic.order.kind == models::Order::kReversed;
  }

  void load(const Tensor& from, std::size_t first, std::size_t count, float* to) const {
    widen(call_.target, from, first, count, to);
    for (std::size_t i = 0; i < count; ++i) {
      const auto bits = std::bit_cast<std::uint32_t>(to[i]);
      if ((bits << 1) > 0xff000000U) to[i] = std::bit_cast<float>(0x7fc00000U);
    }
  }

  void load(const Tensor& from, std::size_t first, std::size_t count, std::uint16_t* to) const {
    if (*from.format == kFp16) {
      for (std::size_t i = 0; i < count; ++i) {
        to[i] = static_cast<std::uint16_t>(from.at(first + i));
      }
      return;
    }
    const Buffer<float> values = make_buffer<float>(count);
    widen(call_.target, from, first, count, values.get());
    lanes_kernels(call_.target)->narrow_fp16(values.get(), count, to);
  }

  // c in the accumulator's format, as fp32 numbers.
  void start(std::size_t item, std::size_t i, std::size_t j, std::size_t count, float* sums) const {
    epilogue_.start(item, i, j, count, sums);
    if (call_.problem.alpha || call_.c == nullptr) return;
    const Format& from = *call_.c->format;
    for (std::size_t x = 0; x < count; ++x) {
      const Bits c = call_.c->at(call_.problem.c_index(item, i, j + x));
      const Bits narrow = soft::convert(from, format_, c).bits;
      sums[x] = std::bit_cast<float>(
          static_cast<std::uint32_t>(soft::convert(format_, kFp32, narrow).bits));
    }
  }

  const Call& call_;
  Epilogue epilogue_;
  const Format& format_;
  bool fused_;
};

}  // namespace

bool covers_half_chain(const Format& a, const Format& b, const models::Arithmetic& arithmetic) {
  return models::is_plain_chain(arithmetic) &&
         (*arithmetic.accumulator == kFp16 || *arithmetic.accumulator == kBf16) &&
         kFp32.contains(a) && kFp32.contains(b) &&
         a.precision() + b.precision() <= kFp32.precision();
}

Tensor half_chain(const Call& call) {
  Tensor d = Tensor::zeros(*call.problem.d_format, call.problem.d_count());
  const HalfWalk chain(call, d);
  const Fp16Kernels* native = fp16_kernels(call.target);
  const bool is_fp16 = *call.arithmetic.accumulator == kFp16 && kFp16.contains(*call.a.format) &&
                       kFp16.contains(*call.b.format);
  if (native != nullptr && is_fp16) {
    chain.run_in_fp16(*native);
  } else if (products_are_exact(call)) {
    chain.run_in_fp32();
  } else {
    return operators::gemm(call.problem, call.a, call.b, call.c, call.arithmetic, {});
  }
  return d;
}

}  // namespace halfmark::fast
