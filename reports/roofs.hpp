// SPDX-License-Identifier: Apache-2.0
// The roofs of a device: the best rates that it was measured to reach, and the highest rate that
// fp16 on fp32 units could reach. Decides which rows may serve as a roof and how operations count
// against one. Does not judge: true_fp16.hpp does. Assumes:
// 1. A verified row that counts computed what it says. An excluded row is no roof, nor is the rate
//    of a data sheet, which is only used to print fractions.
// 2. Where a roof bounds other rates, the fastest sample counts: load on the machine makes samples
//    slower, never faster.
// 3. Load that hides the fastest kernel for the whole of its row varies over time, and becomes
//    visible as unrest where it changes within another row or between two timings of one row. It
//    hides no more than that unrest.
// 4. To emulate one fp16 addition, product or fused multiply-add, fp32 units need at least one
//    operation of their own. An fp32 fused multiply-add is one operation and counts as two flops,
//    so additions are compared with steps, not with flops.
#pragma once

#include <vector>

#include "reports/scorecard.hpp"

namespace halfmark::reports {

/// `results`: all cases of the run.
[[nodiscard]] Roofs find_roofs(const std::vector<ThroughputRow>& rows,
                               const std::vector<suites::CaseResult>& results);

/// The highest rate that wider units could reach for a row's operation on fp16 data, in flops as
/// the row counts them; 0 where it is unknown: no fp32 chain of fma or muladd counts or, for a
/// product, nothing is known of tf32 units, which keep every bit of an fp16 operand. That is known
/// where a product in tf32 counts, and where the device declined all of them. For a product it is
/// at least what fused multiply-adds at the best rate of steps would give.
[[nodiscard]] BestRate wide_roof(const Roofs& roofs, const ThroughputRun& run);
/// Why wide_roof() is 0; empty if it is not.
[[nodiscard]] std::string_view why_no_wide_roof(const Roofs& roofs, const ThroughputRun& run);

/// Converts the flops of a kernel on fp32 data to the count that a row on fp16 data uses in
/// wide_roof(): unchanged for products, else by steps. For an unknown kernel (null), each flop
/// counts as one step.
[[nodiscard]] double as_row_counts(const ThroughputRun* wide, double flops,
                                   const ThroughputRun& row);

/// Whether moving the row's bytes at the best measured bandwidth takes longer than wide units would
/// compute, so that memory bounds every kind alike. False where no stream was timed.
[[nodiscard]] bool is_bound_by_memory(const Roofs& roofs, const ThroughputRun& run);

}  // namespace halfmark::reports
