// SPDX-License-Identifier: Apache-2.0
#include "suites/gemm/scaling.hpp"

#include "reference/soft/soft.hpp"

namespace halfmark::suites::gemm {
namespace {

using formats::Bits;
using formats::Format;
using formats::kFp32;
using formats::Tensor;

struct ScalingName {
  Scaling scaling;
  std::string_view suffix;
};
constexpr std::array kNames{ScalingName{Scaling::kAlphaFused, ".scaled-alpha-fma"},
                            ScalingName{Scaling::kRounded, ".scaled-mul"},
                            ScalingName{Scaling::kNarrow, ".scaled-narrow"},
                            ScalingName{Scaling::kNarrowAlphaFused, ".scaled-narrow-alpha-fma"},
                            ScalingName{Scaling::kNarrowRounded, ".scaled-narrow-mul"}};

// Everything in D's format, including the scalars. The first step rounds a wider sum to
// that format.
Tensor scale_narrowly(const operators::GemmProblem& p, const Tensor& sums, const Tensor* c,
                      const models::Machine& machine, Scaling scaling) {
  const Format& f = *p.d_format;
  const Bits alpha = soft::convert(kFp32, f, *p.alpha, machine.convert).bits;
  const Bits beta = soft::convert(kFp32, f, *p.beta, machine.convert).bits;
  Tensor d = Tensor::zeros(f, p.d_count());
  for (std::size_t i = 0; i < d.count(); ++i) {
    const Bits scaled = soft::mul(f, alpha, *sums.format, sums.at(i), f, machine.mul).bits;
    if (!reads_c(p)) {
      d.set(i, scaled);
      continue;
    }
    const std::size_t row = i / p.n;
    const Bits addend = c->at(p.c_index(row / p.m, row % p.m, i % p.n));
    const Bits scaled_c = soft::mul(f, beta, *c->format, addend, f, machine.mul).bits;
    if (scaling == Scaling::kNarrowAlphaFused) {
      d.set(i, soft::fma(f, alpha, *sums.format, sums.at(i), f, scaled_c, machine.fma).bits);
    } else if (scaling == Scaling::kNarrowRounded) {
      d.set(i, soft::add(f, scaled, scaled_c, machine.add).bits);
    } else {
      d.set(i, soft::fma(f, beta, *c->format, addend, f, scaled, machine.fma).bits);
    }
  }
  return d;
}

}  // namespace

bool reads_c(const operators::GemmProblem& p) {
  return p.beta && !formats::is_zero(kFp32, *p.beta);
}

std::string with_scaling(std::string sums, Scaling scaling) {
  for (const ScalingName& name : kNames) {
    if (name.scaling == scaling) sums += name.suffix;
  }
  return sums;
}

std::pair<std::string, Scaling> without_scaling(std::string_view name) {
  for (const ScalingName& known : kNames) {
    if (!name.ends_with(known.suffix)) continue;
    name.remove_suffix(known.suffix.size());
    return {std::string(name), known.scaling};
  }
  return {std::string(name), Scaling::kSpecified};
}

Tensor scale_sums(const operators::GemmProblem& p, const Tensor& sums, const Tensor* c,
                  const models::Machine& machine, Scaling scaling) {
  const bool narrow = is_narrow(scaling) && p.alpha && p.d_format->precision() < kFp32.precision();
  if (narrow) return scale_narrowly(p, sums, c, machine, scaling);
  if (scaling == Scaling::kSpecified || is_narrow(scaling) || !reads_c(p))
    return operators::gemm_epilogue(p, sums, c, machine);
  const Format& wide = sums.format->precision() > kFp32.precision() ? *sums.format : kFp32;
  // Values already in the scaling's format are not converted.
  const auto moved = [&](const Format& from, const Format& to, Bits bits) {
    return from == to ? bits : soft::convert(from, to, bits, machine.convert).bits;
  };
  Tensor d = Tensor::zeros(*p.d_format, p.d_count());
  for (std::size_t i = 0; i < d.count(); ++i) {
    const std::size_t row = i / p.n;
    const Bits addend = moved(*c->format, wide, c->at(p.c_index(row / p.m, row % p.m, i % p.n)));
    const Bits scaled_c = soft::mul(kFp32, *p.beta, wide, addend, wide, machine.mul).bits;
    // Widening a sum is exact.
    const Bits sum = soft::convert(*sums.format, wide, sums.at(i)).bits;
    Bits value = 0;
    if (scaling == Scaling::kAlphaFused) {
      value = soft::fma(kFp32, *p.alpha, wide, sum, wide, scaled_c, machine.fma).bits;
    } else {
      const Bits scaled_sum = soft::mul(kFp32, *p.alpha, wide, sum, wide, machine.mul).bits;
      value = soft::add(wide, scaled_sum, scaled_c, machine.add).bits;
    }
    d.set(i, moved(wide, *p.d_format, value));
  }
  return d;
}

}  // namespace halfmark::suites::gemm
