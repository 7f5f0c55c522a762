// SPDX-License-Identifier: Apache-2.0
// What a training died of, from its steps and from what the replay of its operators found.
//
//   operator        a result that its operands do not give, and flushing does not explain
//   flush to zero   the same, but flushing subnormal numbers gives exactly these bits
//   overflow        every operator is right, and a number is infinite or a NaN
//   underflow       every operator is right, and more than half of the weights' gradients are zero,
//                   although the loss is not
//   old scale       every operator is right, and an operand in 8 bits is more than twice as large
//   as
//                   what its scale was made for, so that numbers became the largest one
//   swallowed updates   the same, but more than half of the updates move no weight
//   recomputation   what is computed again has other bits, although either is within its bound
//
// The first of these that applies is the cause: a device that is wrong is not blamed on the range
// of fp16, and no operator is blamed for a number that its operands really give, at any scale.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tools/halfmark/lab/modes.hpp"
#include "tools/halfmark/lab/replay.hpp"
#include "tools/halfmark/lab/trace.hpp"

namespace halfmark::tools::lab {

struct Cause {
  std::string_view of = {};  // "": it reached its last step
  std::size_t step = 0;
  std::string tensor = {};
  std::optional<std::size_t> index = {};
  bool recovered = false;  // a scaler skipped steps until one could be made
  std::string text = {};   // one line
};

[[nodiscard]] Cause cause_of(std::span<const StepTrace> steps,
                             std::span<const Deviation> deviations, const Mode& mode);

}  // namespace halfmark::tools::lab
