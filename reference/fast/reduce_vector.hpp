// SPDX-License-Identifier: Apache-2.0
// Reductions over the 64 lanes of reference/operators/lanes.hpp: lane i of a row is lane i of the
// vectors, so the code takes whole chunks of 64 elements and reorders no sum. Only files of vector
// code include this, once per target, after foreach_target.h.
//
// Assumption: rows are padded to whole chunks with elements that do not change an accumulator.
#if defined(HALFMARK_FAST_REDUCE_VECTOR) == defined(HWY_TARGET_TOGGLE)
#ifdef HALFMARK_FAST_REDUCE_VECTOR
#undef HALFMARK_FAST_REDUCE_VECTOR
#else
#define HALFMARK_FAST_REDUCE_VECTOR
#endif

#include "reference/fast/lanes_vector.hpp"
#include "reference/operators/lanes.hpp"

HWY_BEFORE_NAMESPACE();
namespace halfmark::fast::HWY_NAMESPACE {
#if HWY_NATIVE_FMA

inline constexpr std::size_t kVectorsOfLanes = operators::kLanes / hn::MaxLanes(Floats());
static_assert(operators::kLanes % hn::MaxLanes(Floats()) == 0);

// The first lane of the fold by halves, in every lane of a vector. Lanes above the active ones hold
// leftovers of the fold and are never read.
template <typename Combine>
HWY_INLINE FloatVector fold(float* HWY_RESTRICT lanes, const Combine& combine) {
  const Floats d;
  for (std::size_t stride = operators::kLanes / 2; stride > 0; stride /= 2) {
    for (std::size_t i = 0; i < stride; i += hn::MaxLanes(d)) {
      hn::Store(combine(hn::Load(d, lanes + i), hn::LoadU(d, lanes + i + stride)), d, lanes + i);
    }
  }
  return hn::Set(d, lanes[0]);
}

// Applies step(accumulator, index of the vector's first element) over elements 0 .. padded,
// then folds.
template <typename Step, typename Combine>
HWY_INLINE FloatVector reduce_lanes(std::size_t padded, FloatVector initial, const Step& step,
                                    const Combine& combine) {
  const Floats d;
  FloatVector lanes[kVectorsOfLanes];
  for (auto& lane : lanes) lane = initial;
  for (std::size_t i = 0; i < padded; i += operators::kLanes) {
    for (std::size_t v = 0; v < kVectorsOfLanes; ++v) {
      lanes[v] = step(lanes[v], i + v * hn::MaxLanes(d));
    }
  }
  HWY_ALIGN float stored[operators::kLanes];
  for (std::size_t v = 0; v < kVectorsOfLanes; ++v) {
    hn::Store(lanes[v], d, stored + v * hn::MaxLanes(d));
  }
  return fold(stored, combine);
}

// Adds, starting from +0.
template <typename Step>
HWY_INLINE FloatVector sum_lanes(std::size_t padded, const Step& step) {
  return reduce_lanes(padded, hn::Zero(Floats()), step,
                      [](FloatVector a, FloatVector b) HWY_ATTR { return hn::Add(a, b); });
}

// Sets elements width .. padded to `value`.
HWY_INLINE void pad(float* row, std::size_t width, std::size_t padded, float value) {
  for (std::size_t i = width; i < padded; ++i) row[i] = value;
}

// row[i] = map(row[i], i) for vectors from i = 0 on.
template <typename Map>
HWY_INLINE void map_row(float* row, std::size_t padded, const Map& map) {
  const Floats d;
  for (std::size_t i = 0; i < padded; i += hn::MaxLanes(d)) {
    hn::Store(map(hn::Load(d, row + i), i), d, row + i);
  }
}
#endif
}  // namespace halfmark::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // HALFMARK_FAST_REDUCE_VECTOR
