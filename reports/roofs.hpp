// SPDX-License-Identifier: Apache-2.0
// The roofs of a device: the best rates that it was seen to reach, and the rate that fp16 on fp32
// units could reach at most. Decides which rows may stand for a roof and how an operation is
// counted against one. Judges nothing: true_fp16.hpp does. Assumes:
// 1. A verified row that counts computed what it says; a row that is excluded is no roof. A rate of
//    a data sheet is printed as a fraction, and never is one.
// 2. The fastest sample counts where a roof bounds others: a machine that is busy elsewhere makes
//    samples slower, never faster.
// 3. Load that hides the fastest kernel for the whole of its row comes and goes, and shows where it
//    does so in the middle of another row, or between two times of the same: as unrest. What it
//    hides is no more than what it costs.
// 4. To imitate one addition, product or fused multiply-add of fp16, fp32 units take one operation
//    of their own at least. An fp32 fused multiply-add is one operation and counts two flops, so
//    additions are held against steps, not against flops.
#pragma once

#include <vector>

#include "reports/scorecard.hpp"

namespace halfmark::reports {

[[nodiscard]] Roofs find_roofs(const std::vector<ThroughputRow>& rows);

/// The most that wider units could reach of a row's operation on fp16 data, as the row counts its
/// flops; 0 where no chain of fp32 counts. Products may be imitated by tf32 units, which keep
/// every bit of an fp16 operand.
[[nodiscard]] BestRate wide_roof(const Roofs& roofs, const ThroughputRun& run);

/// The flops of a kernel on fp32 data as a row on fp16 data counts them in wide_roof(): between two
/// products as they are, else by steps. A kernel that nobody knows (null) had a step a flop.
[[nodiscard]] double as_row_counts(const ThroughputRun* wide, double flops,
                                   const ThroughputRun& row);

/// Moving the row's bytes at the best bandwidth seen takes longer than wide units would compute, so
/// that memory bounds every kind alike. False where no stream was timed.
[[nodiscard]] bool is_bound_by_memory(const Roofs& roofs, const ThroughputRun& run);

}  // namespace halfmark::reports
