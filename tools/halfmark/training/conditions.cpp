// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/training/conditions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace halfmark::tools {
namespace {

constexpr std::size_t kStableWindow = 50, kStableFrom = 100;  // of R065
constexpr std::size_t kStuckSteps = 100;                      // that a scale may stay where it is
constexpr std::size_t kTrendFrom = 200;                       // steps whose halves are compared

bool is_finite(const std::optional<double>& value) { return !value || std::isfinite(*value); }

// The steps that satisfy a condition: the first, how many, and what the first one had.
MaybeHit steps_that(const TrainingLog& log,
                    const std::function<std::string(const StepRecord&)>& what_of) {
  MaybeHit hit;
  for (const StepRecord& step : log.steps) {
    std::string what = what_of(step);
    if (what.empty()) continue;
    if (hit) {
      ++hit->times;
    } else {
      hit = Hit{.step = step.step, .what = std::move(what)};
    }
  }
  return hit;
}

bool overflowed(const StepRecord& step) {
  return step.skipped || !is_finite(step.loss) || !is_finite(step.norm);
}

std::uint64_t overflows(std::span<const StepRecord> steps) {
  return static_cast<std::uint64_t>(std::count_if(steps.begin(), steps.end(), overflowed));
}

MaybeHit layers_that(const Observed& seen,
                     const std::function<std::string(const LayerRecord&)>& what_of) {
  return steps_that(seen.log, [&](const StepRecord& step) {
    for (const LayerRecord& layer : step.layers) {
      std::string what = what_of(layer);
      if (!what.empty()) return fmt::format("layer {}: {}", layer.name, what);
    }
    return std::string();
  });
}

}  // namespace

MaybeHit has_lost_its_loss(const Observed& seen, double) {
  return steps_that(seen.log, [](const StepRecord& step) {
    return step.skipped || is_finite(step.loss) ? std::string()
                                                : fmt::format("loss {}", *step.loss);
  });
}

MaybeHit steps_on_non_finite(const Observed& seen, double) {
  return steps_that(seen.log, [](const StepRecord& step) {
    return step.skipped || is_finite(step.norm) ? std::string()
                                                : fmt::format("norm {}", *step.norm);
  });
}

MaybeHit has_no_gradient(const Observed& seen, double) {
  return steps_that(seen.log, [](const StepRecord& step) {
    return std::string(step.norm && *step.norm == 0 ? "norm 0" : "");
  });
}

// Once there are 100 losses: one of the last 50 is more than so many times the least of them.
MaybeHit is_unstable(const Observed& seen, double threshold) {
  std::vector<double> losses;
  return steps_that(seen.log, [&](const StepRecord& step) {
    if (!step.loss || !std::isfinite(*step.loss)) return std::string();
    losses.push_back(*step.loss);
    if (losses.size() <= kStableFrom) return std::string();
    const auto window = losses.end() - kStableWindow;
    const auto [least, largest] = std::minmax_element(window, losses.end());
    if (*least < 0 || !(*largest > threshold * *least)) return std::string();
    return fmt::format("losses from {} to {}", *least, *largest);
  });
}

MaybeHit norm_above(const Observed& seen, double threshold) {
  return steps_that(seen.log, [&](const StepRecord& step) {
    const bool above = !step.skipped && step.norm && *step.norm > threshold;
    return above ? fmt::format("norm {}", *step.norm) : std::string();
  });
}

MaybeHit norm_below(const Observed& seen, double threshold) {
  return steps_that(seen.log, [&](const StepRecord& step) {
    const bool below = step.norm && *step.norm < threshold;
    return below ? fmt::format("norm {}", *step.norm) : std::string();
  });
}

MaybeHit diverges_above(const Observed& seen, double threshold) {
  return steps_that(seen.log, [&](const StepRecord& step) {
    const bool above = step.mismatch && !(*step.mismatch <= threshold);
    return above ? fmt::format("divergence {}", *step.mismatch) : std::string();
  });
}

MaybeHit layer_norm_above(const Observed& seen, double threshold) {
  return layers_that(seen, [&](const LayerRecord& layer) {
    const bool above = layer.norm && *layer.norm > threshold;
    return above ? fmt::format("norm {}", *layer.norm) : std::string();
  });
}

MaybeHit layer_norm_below(const Observed& seen, double threshold) {
  return layers_that(seen, [&](const LayerRecord& layer) {
    const bool below = layer.norm && *layer.norm < threshold;
    return below ? fmt::format("norm {}", *layer.norm) : std::string();
  });
}

// A scale that was 1 from the start is no scale.
MaybeHit scale_below(const Observed& seen, double threshold) {
  bool is_scaled = false;
  return steps_that(seen.log, [&](const StepRecord& step) {
    is_scaled = is_scaled || (step.scale && *step.scale != 1);
    const bool below = is_scaled && step.scale && *step.scale < threshold;
    return below ? fmt::format("scale {}", *step.scale) : std::string();
  });
}

// What follows is about a scale that has fallen.
MaybeHit scale_stays_at_most(const Observed& seen, double threshold) {
  std::uint64_t since = 0;
  std::size_t run = 0;
  bool was_above = false;
  for (const StepRecord& step : seen.log.steps) {
    was_above = was_above || (step.scale && *step.scale > threshold);
    if (!was_above || !step.scale || *step.scale > threshold) {
      run = 0;
      continue;
    }
    if (run++ == 0) since = step.step;
    if (run == kStuckSteps) {
      return Hit{.step = since, .times = run, .what = fmt::format("scale {}", *step.scale)};
    }
  }
  return std::nullopt;
}

MaybeHit overflows_at_scale_fallen_to(const Observed& seen, double threshold) {
  bool was_above = false;
  return steps_that(seen.log, [&](const StepRecord& step) {
    was_above = was_above || (step.scale && *step.scale > threshold);
    const bool low = was_above && step.scale && *step.scale <= threshold;
    return low && overflowed(step) ? fmt::format("scale {}", *step.scale) : std::string();
  });
}

MaybeHit overflow_rate_above(const Observed& seen, double threshold) {
  const std::uint64_t count = overflows(seen.log.steps);
  const auto steps = static_cast<double>(seen.log.steps.size());
  if (!(static_cast<double>(count) > threshold * steps)) return std::nullopt;
  return Hit{.step = std::nullopt,
             .times = count,
             .what = fmt::format("{:.3g} % of {} steps", 100 * static_cast<double>(count) / steps,
                                 seen.log.steps.size())};
}

MaybeHit overflows_more_and_more(const Observed& seen, double) {
  const std::span<const StepRecord> steps = seen.log.steps;
  if (steps.size() < kTrendFrom) return std::nullopt;
  const std::uint64_t early = overflows(steps.first(steps.size() / 2));
  const std::uint64_t late = overflows(steps.last(steps.size() / 2));
  // Twice as many, and one more: a scaler at its ceiling overflows once in an interval.
  if (late <= 2 * early + 1) return std::nullopt;
  return Hit{.step = std::nullopt,
             .times = late,
             .what = fmt::format("{} in the first half, {} in the second", early, late)};
}

// Names the layer that lost most.
MaybeHit loses_share_above(const Observed& seen, double threshold) {
  return steps_that(seen.log, [&](const StepRecord& step) {
    const LayerRecord* most = nullptr;
    std::size_t others = 0;
    for (const LayerRecord& layer : step.layers) {
      if (!layer.lost_share || !(*layer.lost_share > threshold)) continue;
      if (most != nullptr) ++others;
      if (most == nullptr || *layer.lost_share > *most->lost_share) most = &layer;
    }
    if (most == nullptr) return std::string();
    std::string what = fmt::format("layer {}: {:.3g} % lost", most->name, 100 * *most->lost_share);
    if (others > 0)
      what += fmt::format(", and {} more", others == 1 ? "one" : std::to_string(others));
    return what;
  });
}

}  // namespace halfmark::tools
