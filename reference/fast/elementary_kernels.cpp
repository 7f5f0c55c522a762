// SPDX-License-Identifier: Apache-2.0
#include "reference/fast/elementary_kernels.hpp"

#include "reference/fast/simd.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reference/fast/elementary_kernels.cpp"
#include <hwy/foreach_target.h>
// After foreach_target, which includes this file once per target.
#include "reference/fast/elementary_vector.hpp"

HWY_BEFORE_NAMESPACE();
namespace halfmark::fast::HWY_NAMESPACE {
#if HWY_NATIVE_FMA

template <FloatVector (*kFunction)(FloatVector)>
void map(float* values, std::size_t count) {
  const Floats d;
  for (std::size_t i = 0; i < count; i += hn::MaxLanes(d)) {
    hn::Store(kFunction(hn::Load(d, values + i)), d, values + i);
  }
}

inline constexpr ElementaryKernels kElementaryKernels{
    .exp = map<exp>, .log = map<log>, .gelu = map<gelu>, .gelu_derivative = map<gelu_derivative>};
#endif
}  // namespace halfmark::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace halfmark::fast {

const ElementaryKernels* elementary_kernels(Target target) {
  return HM_FAST_CHOOSE(ElementaryKernels, target, kElementaryKernels);
}

}  // namespace halfmark::fast
#endif
