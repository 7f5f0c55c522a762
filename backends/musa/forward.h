// SPDX-License-Identifier: Apache-2.0
//
// What dialect.h takes from the toolkit, for a compiler of the family that has no musa_fp16.h: this
// text is that header. hm_fp16 is the other vendor's.
#pragma once

typedef hm_fp16 __half;
#define __ushort_as_half(bits) hm_fp16::of(bits)
#define __half_as_ushort(half) ((half).bits)
#define __hadd(a, b) ((a) + (b))
#define __hsub(a, b) ((a) - (b))
#define __hmul(a, b) ((a) * (b))
#define __hdiv(a, b) ((a) / (b))
#define hsqrt(a) hm_fp16_sqrt(a)
#define __hfma(a, b, c) hm_fp16_fma(a, b, c)
