// SPDX-License-Identifier: Apache-2.0
// What a device gave for a plan, as plain data: outputs, faults of memory, errors. Does not know
// the right results, and drives no device.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "suites/core/case/finding_classes.hpp"
#include "suites/core/execute/plan.hpp"

namespace halfmark::suites {

struct DeviceError {
  std::string stage;  // "allocate", "build", "launch", ...
  std::string text;   // one line: call, code, the driver's own message
  std::string log;    // a compiler's complete log
  bool device_lost = false;
};

/// What distinguishes two executions of the same work whose results differ: the run, the place in a
/// batch, the queue, or the load.
enum class ComparedRuns : std::uint8_t { kRuns, kPlaces, kQueues, kLoads };

/// What results depend on although they should not: the previous contents of outputs and scratch
/// memory, or the bytes around the tensors.
enum class LeakSource : std::uint8_t { kNothing, kContents, kSurroundings };

/// Of several outputs, element by element: the least and the greatest number (a NaN where there was
/// none), and a NaN where there was one (elsewhere any result). No run need have given one of the
/// three as a whole.
struct Extremes {
  TensorSet least, greatest, any_nan;
};

struct DeviceResult {
  TensorSet outputs;   // roles kOutput and kInOut
  bool known = false;  // all runs are known to be right, and their outputs were not read
  std::vector<std::string> inputs_changed;  // tensors of role kInput that differ afterwards
  std::vector<std::string> guards_broken;   // tensors with writes past their end
  /// Elements that kept the poison in both runs (`unwritten`); elements that differ between the two
  /// runs, or between two places of the same work (`unrepeated`).
  std::map<std::string, std::vector<std::size_t>> unwritten, unrepeated;
  /// Set if the differing results reproduce, each with its own poison.
  LeakSource follows = LeakSource::kNothing;
  ComparedRuns apart = ComparedRuns::kRuns;  // where `unrepeated` came from, if it is one of these
  /// Outputs that differ from the first and from each other; of those beyond a few, the extremes.
  std::vector<TensorSet> variants;
  std::optional<Extremes> others;
  std::uint64_t device_ns = 0;               // kernel time of the first run
  std::optional<std::string> not_supported;  // a library's own answer; nothing else is set then
  std::optional<DeviceError> error;
};

/// A copy between host and device that is wrong by itself.
struct CopyFault {
  FindingClassName finding_class;  // finding_classes.hpp
  std::string sentence;
};

}  // namespace halfmark::suites
