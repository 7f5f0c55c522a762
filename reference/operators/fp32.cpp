// SPDX-License-Identifier: Apache-2.0
#include "reference/operators/fp32.hpp"

#include "reference/formats/classify.hpp"
#include "reference/soft/soft.hpp"

namespace halfmark::operators {

using formats::Bits;
using formats::kFp32;

Bits Fp32::add(Bits a, Bits b) const { return soft::add(kFp32, a, b, machine_.add).bits; }
Bits Fp32::sub(Bits a, Bits b) const { return soft::sub(kFp32, a, b, machine_.add).bits; }
Bits Fp32::mul(Bits a, Bits b) const { return soft::mul(kFp32, a, b, machine_.mul).bits; }
Bits Fp32::fma(Bits a, Bits b, Bits c) const {
  return soft::fma(kFp32, a, b, c, machine_.fma).bits;
}
Bits Fp32::div(Bits a, Bits b) const { return soft::div(kFp32, a, b, machine_.div).bits; }
Bits Fp32::sqrt(Bits a) const { return soft::sqrt(kFp32, a, machine_.sqrt).bits; }

Bits Fp32::load(const formats::Format& from, Bits stored) const {
  // Every machine reads an fp32 tensor unchanged.
  return from == kFp32 ? stored : soft::convert(from, kFp32, stored, machine_.convert).bits;
}

Bits Fp32::store(const formats::Format& to, Bits value) const {
  return to == kFp32 ? value : soft::convert(kFp32, to, value, machine_.convert).bits;
}

bool Fp32::greater(Bits a, Bits b) {
  if (formats::is_nan(kFp32, a) || formats::is_nan(kFp32, b)) return false;
  return formats::ordered(kFp32, a) > formats::ordered(kFp32, b);
}

}  // namespace halfmark::operators
