// SPDX-License-Identifier: Apache-2.0
// Files of vector code include this before Highway: it selects the targets to compile for and finds
// their tables. README.md shows such a file in full.
//
// Highway's headers compile one source once per target, with pragmas around it, so that only code
// between HWY_BEFORE_NAMESPACE and HWY_AFTER_NAMESPACE may use a target's instructions: no inline
// function of another header can be compiled for a newer processor and leak into the program.
// target.hpp makes the choice at run time, so nothing of Highway is linked.
//
// Assumption: vector code calls only Highway, intrinsics and functions of its own namespace.
#pragma once

#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__) || \
    defined(__NO_SIGNED_ZEROS__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__)
#error "reference/fast gives exact bits only: do not compile it with -ffast-math or parts of it"
#endif

// The remaining targets are AVX2 and AVX3 (x86-64), NEON (AArch64), and a scalar pass whose
// HWY_NATIVE_FMA is 0 and in which vector files are empty: kPortable is the soft-float.
#define HWY_DISABLED_TARGETS \
  (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
#include <hwy/detect_targets.h>

#include "reference/fast/target.hpp"

namespace halfmark::fast {

// Null if a target has no vector code.
template <typename Table>
[[nodiscard]] constexpr const Table* choose(Target target, const Table* neon, const Table* avx2,
                                            const Table* avx3) {
  switch (target) {
    case Target::kNeon:
    case Target::kNeonFp16:
      return neon;
    case Target::kAvx2:
      return avx2;
    case Target::kAvx3:
    case Target::kAvx3Spr:
      return avx3;
    case Target::kPortable:
      return nullptr;
  }
  return nullptr;
}

}  // namespace halfmark::fast

#if defined(__x86_64__)
#define HM_FAST_CHOOSE(type, target, table) \
  ::halfmark::fast::choose<type>(target, nullptr, &N_AVX2::table, &N_AVX3::table)
#elif defined(__aarch64__)
#define HM_FAST_CHOOSE(type, target, table) \
  ::halfmark::fast::choose<type>(target, &N_NEON::table, nullptr, nullptr)
#else
#define HM_FAST_CHOOSE(type, target, table) \
  ::halfmark::fast::choose<type>(target, nullptr, nullptr, nullptr)
#endif
