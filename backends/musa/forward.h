// SPDX-License-Identifier: Apache-2.0
//
// What dialect.h expects from the toolkit, for a compiler of the family without musa_fp16.h: this
// text is that header. hm_fp16 is the other vendor's type.
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

struct __half2 {
  __half x, y;
};
__device__ __forceinline__ __half2 __halves2half2(__half x, __half y) {
  __half2 pair;
  pair.x = x;
  pair.y = y;
  return pair;
}
#define __low2half(pair) ((pair).x)
#define __high2half(pair) ((pair).y)
#define __hadd2(a, b) __halves2half2((a).x + (b).x, (a).y + (b).y)
#define __hmul2(a, b) __halves2half2((a).x*(b).x, (a).y*(b).y)
#define __hfma2(a, b, c) \
  __halves2half2(hm_fp16_fma((a).x, (b).x, (c).x), hm_fp16_fma((a).y, (b).y, (c).y))
