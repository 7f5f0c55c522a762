// SPDX-License-Identifier: Apache-2.0
// What is kept of outputs that differ from run to run: the first few different ones as they are, of
// all others the extremes of each element. Decides how much memory many runs may take; knows
// neither which elements differ (execute.cpp) nor which results are right.
// Assumes: an element may be any number of a range, a NaN, or either (Enclosure), so that a check
// of the extremes misses no run. A range with steps would need more; no plan with repeats has one.
#pragma once

#include <algorithm>
#include <utility>

#include "reference/formats/classify.hpp"
#include "reference/formats/ulp.hpp"
#include "suites/core/execute/device_result.hpp"

namespace halfmark::suites {

inline constexpr std::size_t kVariantsKept = 16;

/// Widens the extremes by one more run. -0 is less than +0, so that either shows.
inline void widen(Extremes& extremes, const TensorSet& outputs) {
  for (const auto& [name, tensor] : outputs) {
    const formats::Format& format = *tensor.format;
    formats::Tensor& least = extremes.least.at(name);
    formats::Tensor& greatest = extremes.greatest.at(name);
    formats::Tensor& any_nan = extremes.any_nan.at(name);
    const auto is_less = [&format](formats::Bits a, formats::Bits b) {
      return formats::ordered_with_zeros(format, a) < formats::ordered_with_zeros(format, b);
    };
    for (std::size_t i = 0; i < tensor.count(); ++i) {
      const formats::Bits bits = tensor.at(i);
      if (formats::is_nan(format, bits)) {
        any_nan.set(i, bits);
        continue;
      }
      const formats::Bits low = least.at(i), high = greatest.at(i);
      if (formats::is_nan(format, low) || is_less(bits, low)) least.set(i, bits);
      if (formats::is_nan(format, high) || is_less(high, bits)) greatest.set(i, bits);
    }
  }
}

/// Adds outputs that differ from those of the first run.
inline void keep_variant(DeviceResult& result, TensorSet outputs) {
  if (std::ranges::find(result.variants, outputs) != result.variants.end()) return;
  if (result.variants.size() < kVariantsKept) {
    result.variants.push_back(std::move(outputs));
  } else if (result.others) {
    widen(*result.others, outputs);
  } else {
    result.others = Extremes{.least = outputs, .greatest = outputs, .any_nan = outputs};
  }
}

}  // namespace halfmark::suites
