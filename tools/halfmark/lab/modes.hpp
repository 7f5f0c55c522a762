// SPDX-License-Identifier: Apache-2.0
// The experiments and the modes in which each trains its network: the one table of both. Decides
// formats, scales and what is left out of mixed precision.
#pragma once

#include <span>
#include <string_view>

#include "tools/halfmark/lab/network.hpp"

namespace halfmark::tools::lab {

inline constexpr std::size_t kSteps = 5;
inline constexpr formats::Bits kRate = 0x3c23d70a;  // 0.01

/// Of the scales of products in 8 bits (fp8.hpp).
struct Fp8Recipe {
  std::size_t history;  // 0: the scale is that of the tensor itself
  bool most_recent;     // of the history; else its greatest entry
};

/// In the modes that jump, inputs are 2^jump times as large from this step on.
inline constexpr std::size_t kJumpStep = 6;

struct Mode {
  std::string_view name, title;
  const formats::Format* format;
  int scale;                    // log2, at the start
  bool dynamic;                 // a scaler adapts it, and skips steps; else every step is made
  bool narrow_weights = false;  // no master copy: weights are rounded to the format in each step
  bool narrow_sums = false;     // products add up in fp16
  bool recomputes = false;      // the first layer is computed again for the backward pass
  formats::Bits rate = kRate;   // fp32, of plain gradient descent
  /// In how many parts sums of the forward pass and rows of a batch are computed.
  std::size_t parts_of_sums = 1, parts_of_rows = 1;
  bool narrow_parts = false;       // parts of sums are rounded to the format before they are added
  const Fp8Recipe* fp8 = nullptr;  // products have operands in 8 bits
  int jump = 0;
  std::string_view scaler = "pytorch";  // a profile of reference/operators/loss_scaler.hpp
  std::int64_t growth_interval = 0;     // of the scaler; 0: as the profile has it
  std::size_t most_steps = SIZE_MAX;
  bool is_slow_on_processors = false;  // at size full they run it only where it is named
  bool is_portable = false;  // without libraries: the bound of a product has what flushing gives
};

struct Experiment {
  std::string_view name, title;
  const Design& (*design)();
  std::span<const Mode> modes;
  bool compares = false;       // its modes with each other, so that none can be left out
  std::size_t steps = kSteps;  // by default
  bool infers = false;         // the network is trained in fp32, then evaluated once in each mode
};
/// fragile first.
[[nodiscard]] std::span<const Experiment> experiments();
/// Both throw std::invalid_argument for another name.
[[nodiscard]] const Experiment& experiment_named(std::string_view name);
[[nodiscard]] const Mode& mode_of(const Experiment& experiment, std::string_view name);
[[nodiscard]] const Size& size_of(const Design& design, std::string_view name);

}  // namespace halfmark::tools::lab
