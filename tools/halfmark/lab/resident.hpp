// SPDX-License-Identifier: Apache-2.0
// Which tensors a training step has in a device's memory, and when each comes and goes, by mode.
// Decides lives and formats of tensors; computes nothing and knows no device.
//
// Assumptions: an operator's operands live until its result exists; an activation that its
// gradient needs lives until the backward pass has used it, and so do casts of weights; gradients
// live until every weight has moved. Gradients in 16 bits are widened where the weights are fp32,
// layer by layer.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/halfmark/lab/modes.hpp"
#include "tools/halfmark/lab/network.hpp"

namespace halfmark::tools::lab {

enum class Holds : std::uint8_t {
  kWeights,
  kCopies,  // masters in fp32, or casts to 16 bits
  kGradients,
  kState,        // of the optimizer
  kActivations,  // kept for the backward pass
  kPassing       // the batch, and what lives within a pass
};
inline constexpr std::size_t kHolds = 6;

struct MemoryMode {
  std::string_view name, title;
  std::string_view lint;  // the mode of the same name in halfmark lint; "" where it has none
  const formats::Format* weights;
  const formats::Format* computes;  // the format of products and activations
  bool has_masters = false;
  const formats::Format* state = &formats::kFp32;
  bool recomputes = false;  // the inside of a layer, in the backward pass
};
/// fp32 first.
[[nodiscard]] std::span<const MemoryMode> memory_modes();

/// What is measured: an experiment's network at full size, with a batch.
struct MemoryNetwork {
  std::string_view experiment;
  const Design& (*design)();
  Size size;
};
/// Two batches of one network are neighbours.
[[nodiscard]] std::span<const MemoryNetwork> memory_networks();

enum class Mark : std::uint8_t { kNone, kPrepared, kForward, kUpdated };

/// A tensor comes or goes; or, with a mark, a pass has ended.
struct Event {
  Mark mark = Mark::kNone;
  std::size_t tensor = 0;
  bool comes = false;
};

struct Resident {
  std::string name;
  Holds holds;
  std::uint64_t bytes;
};

struct Schedule {
  std::vector<Resident> tensors;
  std::vector<Event> events;
};

[[nodiscard]] Schedule schedule_of(const Design& design, const Size& size, const MemoryMode& mode);

/// The bytes that a schedule asks for.
struct Asked {
  std::uint64_t prepared = 0, forward = 0, peak = 0;
  std::uint64_t kept = 0;  // activations, when the forward pass has ended
  /// The most that each kind holds at any time, in the order of Holds.
  std::array<std::uint64_t, kHolds> most = {};
};
[[nodiscard]] Asked asked_of(const Schedule& schedule);

/// The most bytes that the tensors of a mode's step take at a time: weights in the format that it
/// keeps them in, cast for the step where that is wider. Nothing for operands in 8 bits, of which
/// copies live that a schedule does not have.
[[nodiscard]] std::optional<std::uint64_t> step_bytes(const Design& design, const Size& size,
                                                      const Mode& mode);

}  // namespace halfmark::tools::lab
