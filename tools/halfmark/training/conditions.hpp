// SPDX-License-Identifier: Apache-2.0
// The conditions of the rules: functions from what was observed and a threshold to where it applies
// first. The table that names them is in rules.cpp.
#pragma once

#include "tools/halfmark/training/rules.hpp"

namespace halfmark::tools {

using MaybeHit = std::optional<Hit>;

// The model and its data.
MaybeHit runs_wide_operator_narrow(const Observed& seen, double);
MaybeHit runs_refused_operator(const Observed& seen, double);
MaybeHit runs_operator_that_is_wrong(const Observed& seen, double);
MaybeHit runs_operator_that_deviates(const Observed& seen, double);
MaybeHit runs_emulated_operator(const Observed& seen, double);
MaybeHit runs_untested_operator(const Observed& seen, double);
MaybeHit adds_too_much_in_fp16(const Observed& seen, double threshold);
MaybeHit averages_too_many(const Observed& seen, double threshold);
MaybeHit multiplies_ragged(const Observed& seen, double threshold);
MaybeHit classifies_narrow(const Observed& seen, double);
MaybeHit normalises_batches_narrow(const Observed& seen, double);
MaybeHit was_halved_by_hand(const Observed& seen, double);
MaybeHit prefers_fp16_needlessly(const Observed& seen, double);
MaybeHit reinforces_in_bf16(const Observed& seen, double);
MaybeHit infers_in_another_format(const Observed& seen, double);
MaybeHit never_clips(const Observed& seen, double);
MaybeHit loses_its_epsilon(const Observed& seen, double threshold);
MaybeHit keeps_second_moment_narrow(const Observed& seen, double);
MaybeHit clips_before_unscaling(const Observed& seen, double);
MaybeHit is_unscaled_in_fp16(const Observed& seen, double);
MaybeHit is_scaled_in_bf16(const Observed& seen, double);
MaybeHit starts_below(const Observed& seen, double threshold);
MaybeHit starts_above(const Observed& seen, double threshold);
MaybeHit has_data_beyond(const Observed& seen, double threshold);

// Losses and norms.
MaybeHit has_lost_its_loss(const Observed& seen, double);
MaybeHit steps_on_non_finite(const Observed& seen, double);
MaybeHit has_no_gradient(const Observed& seen, double);
MaybeHit is_unstable(const Observed& seen, double threshold);
MaybeHit norm_above(const Observed& seen, double threshold);
MaybeHit norm_below(const Observed& seen, double threshold);
MaybeHit diverges_above(const Observed& seen, double threshold);
MaybeHit layer_norm_above(const Observed& seen, double threshold);
MaybeHit layer_norm_below(const Observed& seen, double threshold);

// The scale.
MaybeHit scale_below(const Observed& seen, double threshold);
MaybeHit scale_stays_at_most(const Observed& seen, double threshold);
MaybeHit overflows_at_scale_fallen_to(const Observed& seen, double threshold);
MaybeHit overflow_rate_above(const Observed& seen, double threshold);
MaybeHit overflows_more_and_more(const Observed& seen, double);

// The gradients of each layer.
MaybeHit loses_share_above(const Observed& seen, double threshold);

}  // namespace halfmark::tools
