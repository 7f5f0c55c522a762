// SPDX-License-Identifier: Apache-2.0
// The conditions of the rules about a model and its data.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "tools/halfmark/training/conditions.hpp"
#include "tools/halfmark/training/operators.hpp"

namespace halfmark::tools {
namespace {

bool is_narrow(std::string_view format) { return format == "fp16" || format == "bf16"; }

std::string named(const OperatorUse& use) {
  if (!use.result.empty()) return fmt::format("{} to {}", use.format, use.result);
  return use.format.empty() ? use.name : fmt::format("{} in {}", use.name, use.format);
}

// What is to be said of each operator of the setup; nothing where that is empty.
MaybeHit operators_that(const Observed& seen,
                        const std::function<std::string(const OperatorUse&)>& what_of) {
  MaybeHit hit;
  if (!seen.log.setup) return hit;
  for (const OperatorUse& use : seen.log.setup->operators) {
    std::string what = what_of(use);
    if (what.empty()) continue;
    if (hit) {
      ++hit->times;
      hit->what += ", " + what;
    } else {
      hit = Hit{.step = std::nullopt, .what = std::move(what)};
    }
  }
  return hit;
}

// The notes of the card of one kind about an operator, the one with the nearest shape first.
std::vector<const DeviceNote*> notes_on(const Observed& seen, const OperatorUse& use,
                                        std::initializer_list<NoteKind> kinds) {
  std::vector<const DeviceNote*> list;
  for (const DeviceNote& note : seen.notes) {
    if (std::find(kinds.begin(), kinds.end(), note.kind) != kinds.end() && concerns(note, use))
      list.push_back(&note);
  }
  std::ranges::sort(list, {}, [&](const DeviceNote* note) {
    return std::pair(distance(note->extents, use.extents), note);
  });
  return list;
}

MaybeHit operators_with(const Observed& seen, NoteKind kind) {
  return operators_that(seen, [&](const OperatorUse& use) {
    const std::vector<const DeviceNote*> notes = notes_on(seen, use, {kind});
    if (notes.empty()) return std::string();
    const DeviceNote& nearest = *notes.front();
    const bool at_shape = !use.extents.empty() && nearest.extents == use.extents;
    const std::string more =
        notes.size() == 1 ? "" : fmt::format(", and {} more", notes.size() - 1);
    return fmt::format("{}: {}{}{}", named(use), nearest.what,
                       at_shape ? ", which is its shape" : "", more);
  });
}

MaybeHit setup_that(const Observed& seen, const std::function<std::string(const Setup&)>& what_of) {
  std::string what = seen.log.setup ? what_of(*seen.log.setup) : std::string();
  if (what.empty()) return std::nullopt;
  return Hit{.step = std::nullopt, .what = std::move(what)};
}

}  // namespace

MaybeHit runs_wide_operator_narrow(const Observed& seen, double) {
  return operators_that(seen, [&](const OperatorUse& use) {
    const bool applies = is_wide(cast_in(*seen.casts, use.name)) && is_narrow(use.format);
    return applies ? named(use) : std::string();
  });
}

MaybeHit runs_refused_operator(const Observed& seen, double) {
  return operators_that(seen, [&](const OperatorUse& use) {
    const bool applies = cast_in(*seen.casts, use.name) == Cast::kRefused && use.format != "fp32";
    return applies ? named(use) : std::string();
  });
}

MaybeHit runs_operator_that_is_wrong(const Observed& seen, double) {
  return operators_with(seen, NoteKind::kViolation);
}

MaybeHit runs_operator_that_deviates(const Observed& seen, double) {
  return operators_with(seen, NoteKind::kDeviation);
}

// Of the shapes at which the operator was timed, the nearest one speaks for the model's.
MaybeHit runs_emulated_operator(const Observed& seen, double) {
  return operators_that(seen, [&](const OperatorUse& use) {
    const std::vector<const DeviceNote*> notes =
        notes_on(seen, use, {NoteKind::kEmulated, NoteKind::kNative});
    if (notes.empty() || notes.front()->kind == NoteKind::kNative || use.format != "fp16")
      return std::string();
    return fmt::format("{}: {}", named(use), notes.front()->what);
  });
}

MaybeHit runs_untested_operator(const Observed& seen, double) {
  return operators_that(seen, [&](const OperatorUse& use) {
    const OperatorRow* row = find_operator(use.name);
    const bool only_moves = row != nullptr && (row->shape == ShapeRule::kFlatten ||
                                               row->shape == ShapeRule::kEmbedding);
    const bool is_untested = (row == nullptr || row->suite.empty()) && !only_moves;
    const bool applies = seen.has_card && is_untested;
    return applies ? named(use) : std::string();
  });
}

// A running sum of ones in fp16 stops at 2048, since 2049 lies between two numbers.
MaybeHit adds_too_much_in_fp16(const Observed& seen, double threshold) {
  return operators_that(seen, [&](const OperatorUse& use) {
    const bool applies = use.accumulator == "fp16" && static_cast<double>(use.terms) > threshold;
    return applies ? fmt::format("{} terms of {}", use.terms, use.name) : std::string();
  });
}

// The gradient of a mean begins with 2 / N in the format of the loss.
MaybeHit averages_too_many(const Observed& seen, double threshold) {
  return operators_that(seen, [&](const OperatorUse& use) {
    const bool applies = use.format == "fp16" && static_cast<double>(use.averaged) >= threshold;
    return applies ? fmt::format("a mean of {} elements in fp16", use.averaged) : std::string();
  });
}

MaybeHit multiplies_ragged(const Observed& seen, double threshold) {
  return operators_that(seen, [&](const OperatorUse& use) {
    const OperatorRow* row = find_operator(use.name);
    if (row == nullptr || row->suite != "gemm" || !is_narrow(use.format)) return std::string();
    std::string ragged;
    for (const auto& [letter, extent] : use.extents) {
      if (extent % static_cast<std::uint64_t>(threshold) != 0)
        ragged += fmt::format("{}{} {}", ragged.empty() ? "" : ", ", letter, extent);
    }
    return ragged.empty() ? ragged : fmt::format("{}: {}", named(use), ragged);
  });
}

MaybeHit classifies_narrow(const Observed& seen, double) {
  return operators_that(seen, [](const OperatorUse& use) {
    return use.is_classifier && is_narrow(use.format) ? named(use) : std::string();
  });
}

MaybeHit normalises_batches_narrow(const Observed& seen, double) {
  return operators_that(seen, [](const OperatorUse& use) {
    const bool applies = use.name == "batch_norm" && is_narrow(use.format);
    return applies ? named(use) : std::string();
  });
}

MaybeHit was_halved_by_hand(const Observed& seen, double) {
  return setup_that(seen, [](const Setup& setup) {
    return std::string(setup.halved_by_hand ? "weights without fp32 copies" : "");
  });
}

MaybeHit prefers_fp16_needlessly(const Observed& seen, double) {
  return setup_that(seen, [](const Setup& setup) {
    const bool could = setup.device_has_bf16 && !setup.reinforcement;
    return std::string(could && setup.format == "fp16" ? "fp16 on a device with bf16" : "");
  });
}

MaybeHit reinforces_in_bf16(const Observed& seen, double) {
  return setup_that(seen, [](const Setup& setup) {
    return std::string(setup.reinforcement && setup.format == "bf16" ? "bf16" : "");
  });
}

MaybeHit infers_in_another_format(const Observed& seen, double) {
  return setup_that(seen, [](const Setup& setup) {
    const bool differs = !setup.inference_format.empty() && setup.inference_format != setup.format;
    if (!setup.reinforcement || !differs) return std::string();
    return fmt::format("{} to train, {} to infer", setup.format, setup.inference_format);
  });
}

MaybeHit never_clips(const Observed& seen, double) {
  return setup_that(seen, [](const Setup& setup) {
    return std::string(setup.clip || setup.format.empty() ? "" : "no clip");
  });
}

MaybeHit loses_its_epsilon(const Observed& seen, double threshold) {
  return setup_that(seen, [&](const Setup& setup) {
    const bool lost = setup.epsilon && *setup.epsilon <= threshold && setup.state_format == "fp16";
    return lost ? fmt::format("epsilon {} in fp16", *setup.epsilon) : std::string();
  });
}

MaybeHit keeps_second_moment_narrow(const Observed& seen, double) {
  return setup_that(seen, [](const Setup& setup) {
    const bool applies = setup.squares_gradients && setup.state_format == "fp16";
    return std::string(applies ? "state in fp16" : "");
  });
}

MaybeHit clips_before_unscaling(const Observed& seen, double) {
  return setup_that(seen, [](const Setup& setup) {
    const bool applies = setup.clips_scaled && setup.clip && setup.is_scaled.value_or(false);
    return applies ? fmt::format("a norm of {} of scaled gradients", *setup.clip) : std::string();
  });
}

MaybeHit is_unscaled_in_fp16(const Observed& seen, double) {
  return setup_that(seen, [](const Setup& setup) {
    const bool applies = setup.format == "fp16" && setup.is_scaled && !*setup.is_scaled;
    return std::string(applies ? "fp16 without a scaler" : "");
  });
}

MaybeHit is_scaled_in_bf16(const Observed& seen, double) {
  return setup_that(seen, [](const Setup& setup) {
    const bool applies = setup.format == "bf16" && setup.is_scaled.value_or(false);
    return std::string(applies ? "bf16 with a scaler" : "");
  });
}

MaybeHit starts_below(const Observed& seen, double threshold) {
  return setup_that(seen, [&](const Setup& setup) {
    const bool applies = setup.format == "fp16" && setup.scale && *setup.scale < threshold;
    return applies ? fmt::format("scale {}", *setup.scale) : std::string();
  });
}

MaybeHit starts_above(const Observed& seen, double threshold) {
  return setup_that(seen, [&](const Setup& setup) {
    const bool applies = setup.format == "fp16" && setup.scale && *setup.scale > threshold;
    return applies ? fmt::format("scale {}", *setup.scale) : std::string();
  });
}

MaybeHit has_data_beyond(const Observed& seen, double threshold) {
  return setup_that(seen, [&](const Setup& setup) {
    const bool beyond =
        setup.format == "fp16" && setup.data_largest && !(*setup.data_largest < threshold);
    return beyond ? fmt::format("data up to {}", *setup.data_largest) : std::string();
  });
}

}  // namespace halfmark::tools
