// SPDX-License-Identifier: Apache-2.0
// The naive twin of reference/soft: the same operations with the same signatures, written from
// the definitions of IEEE 754-2019 over exact numbers and thousands of times slower. Tests
// compare the two.
//
// It decides nothing: where the standard leaves a choice, it makes the one that soft/ documents.
#pragma once

#include "reference/slow/exact.hpp"

namespace halfmark::slow {

[[nodiscard]] Result add(const Format& f, Bits a, Bits b, const Environment& env);
[[nodiscard]] Result sub(const Format& f, Bits a, Bits b, const Environment& env);
[[nodiscard]] Result mul(const Format& ab, Bits a, Bits b, const Format& result,
                         const Environment& env);
[[nodiscard]] Result fma(const Format& ab, Bits a, Bits b, const Format& fc, Bits c,
                         const Environment& env);
[[nodiscard]] Result div(const Format& f, Bits a, Bits b, const Environment& env);
[[nodiscard]] Result sqrt(const Format& f, Bits a, const Environment& env);
[[nodiscard]] Result rint(const Format& f, Bits a, const Environment& env);
[[nodiscard]] Result convert(const Format& from, const Format& to, Bits a, const Environment& env);
[[nodiscard]] Result ldexp(const Format& f, Bits a, int n, const Environment& env);
[[nodiscard]] Result from_int(const Format& f, std::int64_t integer, const Environment& env);

// For formats whose sums of squares fit in exact numbers: all but fp64.
[[nodiscard]] Result hypot(const Format& f, Bits a, Bits b, const Environment& env);
[[nodiscard]] Result fmod(const Format& f, Bits a, Bits b, const Environment& env);
[[nodiscard]] Result remainder(const Format& f, Bits a, Bits b, const Environment& env);

[[nodiscard]] Result minimum(const Format& f, Bits a, Bits b, const Environment& env);
[[nodiscard]] Result maximum(const Format& f, Bits a, Bits b, const Environment& env);
[[nodiscard]] Result minimum_number(const Format& f, Bits a, Bits b, const Environment& env);
[[nodiscard]] Result maximum_number(const Format& f, Bits a, Bits b, const Environment& env);
[[nodiscard]] Result eq(const Format& f, Bits a, Bits b, const Environment& env);
[[nodiscard]] Result lt(const Format& f, Bits a, Bits b, const Environment& env);
[[nodiscard]] Result le(const Format& f, Bits a, Bits b, const Environment& env);

}  // namespace halfmark::slow
