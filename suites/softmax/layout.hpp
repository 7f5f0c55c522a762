// SPDX-License-Identifier: Apache-2.0
// Where the elements of a case lie in its tensors: dense rows, rows with gaps between them, rows
// that are gigabytes apart on the device, or rows along the slow axis. The fill's name decides
// this; only libraries accept strides.
#pragma once

#include "suites/softmax/binding.hpp"

namespace halfmark::suites::softmax {

struct Layout {
  std::size_t row_step = 0, element_step = 1, count = 0;
  std::size_t apart = 0;  // row stride on the device, where it differs from the tensor's

  [[nodiscard]] std::size_t row_on_device() const { return apart > 0 ? apart : row_step; }

  [[nodiscard]] std::size_t at(std::size_t row, std::size_t column) const {
    return row * row_step + column * element_step;
  }
};

inline constexpr std::size_t kGap = 3;  // elements between rows

/// The layout of operands.
[[nodiscard]] inline Layout layout_of(const Binding& b) {
  if (b.fill == "padded" || b.fill == "uneven") {
    return {.row_step = b.width + kGap, .element_step = 1, .count = b.rows * (b.width + kGap)};
  }
  if (b.fill == "far") {
    return {.row_step = b.width, .element_step = 1, .count = b.count(), .apart = kFarApart};
  }
  if (b.fill == "columns") return {.row_step = 1, .element_step = b.rows, .count = b.count()};
  return {.row_step = b.width, .element_step = 1, .count = b.count()};
}

/// The layout of results: dense for `uneven`.
[[nodiscard]] inline Layout result_layout_of(const Binding& b) {
  if (b.fill != "uneven") return layout_of(b);
  return {.row_step = b.width, .element_step = 1, .count = b.count()};
}

/// Whether a mask tensor is added to the logits, and whether one row of it serves all rows.
[[nodiscard]] inline bool has_mask(const Binding& b) {
  return b.fill == "masked" || b.fill == "causal" || b.fill == "keys";
}
[[nodiscard]] inline bool one_mask_row(const Binding& b) { return b.fill == "keys"; }

/// The format of the preceding call, in the fill `second`.
[[nodiscard]] inline const formats::Format& format_before(const Binding& b) {
  return *b.input == formats::kFp16 ? formats::kBf16 : formats::kFp16;
}

/// Whether outputs start with known contents, which shows what a wrong layout leaves unwritten.
[[nodiscard]] inline bool keeps_contents(const Binding& b) {
  return b.fill == "padded" || b.fill == "second";
}

}  // namespace halfmark::suites::softmax
