// SPDX-License-Identifier: Apache-2.0
// Whether a training without loss of accuracy would have been another one: every mode against fp32,
// by the types of loss that studies of mixed precision tell apart.
//
//   type 1   accuracy or progress of up to 1 % are lost: a normal curve, acceptable
//   type 2   more than 5 % are lost, or a number was not finite: not acceptable
//   between  1 % to 5 %: a warning
//
// Loss and accuracy are means over the last turn of the batches. Progress is by how much the loss
// has fallen since fp32's first turn, as a share of what fp32's has. A mode without loss, or with
// one of type 1, has died of nothing, whatever its gradients look like once its loss is small.
// Decides these borders and what is compared with them; courses come from the report's JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>

namespace halfmark::tools::lab {

inline constexpr double kAcceptable = 0.01, kUnacceptable = 0.05;

/// What a mode has reached of fp32's course. `loss`: the mean of the last turn; shares are of
/// fp32's figures. Nothing where a number was not finite.
struct Reached {
  std::optional<double> loss = {}, accuracy = {};
  std::optional<double> progress = {}, kept_accuracy = {};  // shares of fp32's
  std::optional<std::size_t> steps = {};                    // until 95 % of fp32's progress
  bool has_goal = true;  // fp32 itself has made progress, and no number of it is not finite
};

/// Of two courses of steps, each with "loss" and "accuracy"; `turn` steps are averaged.
[[nodiscard]] Reached reached(const nlohmann::json& wide, const nlohmann::json& steps,
                              std::size_t turn);
/// "none", "type 1", "between" or "type 2"; "unknown" where fp32 is no measure: it has made no
/// progress, or a number of it was not finite.
[[nodiscard]] std::string_view type_of(const Reached& reached);

/// Whether it has lost more than is acceptable.
[[nodiscard]] bool has_died(const Reached& reached);

/// One row for each mode; the first is fp32.
[[nodiscard]] nlohmann::json convergence_of(const nlohmann::json& modes, std::size_t turn);

void print_convergence(const char* where, const nlohmann::json& rows, std::ostream& out);

}  // namespace halfmark::tools::lab
