// SPDX-License-Identifier: Apache-2.0
// The only stage that touches a device: uploads inputs, poisons outputs, launches, reads back.
// Decides the findings about memory (unwritten elements, writes outside a tensor, changed inputs);
// does not know the right results. Assumes: the plan fits the device's memory. Catches every driver
// error in one place and turns it into data.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backends/backend.hpp"
#include "suites/core/execute/device_result.hpp"
#include "suites/core/execute/placed.hpp"

namespace halfmark::suites {

/// A device and the programs built on it so far. Sessions keep programs because drivers take
/// seconds to compile one.
class Session {
 public:
  explicit Session(backends::Device device) : device_(std::move(device)) {}
  [[nodiscard]] backends::Device& device() { return device_; }
  [[nodiscard]] backends::Program& program(const Launch& launch);
  /// A second session on the same device, opened at the first call.
  [[nodiscard]] Session& beside();

 private:
  backends::Device device_;
  std::unique_ptr<Session> beside_;
  std::map<std::string, backends::Program> programs_;
};

class PreparedPlan;
/// Whether a run that has ended left the right results, and changed nothing else.
using Known = std::function<bool(const PreparedPlan&)>;

/// Runs the plan twice, each time with another poison pattern, so that an unwritten element cannot
/// look right by chance and a result that does not repeat is detected. Both runs use the same
/// memory, and what a later run leaves is compared in pieces (kPieceBytes): copies of other sizes
/// are the suite transfer's. Then runs it as often as Plan::repeats says, beside the work that the
/// plan requests. If two results differ, runs the plan again to distinguish an effect of the poison
/// from chance.
///
/// `known` is for plans without repeats: tensors of runs for which it is true are not read back.
/// If it is true for both runs, DeviceResult::known is set and there are no outputs.
///
/// `kept`, unless null, takes over the buffers, in which the inputs are, for further launches; it
/// stays as it is after an error, if the device does not offer the plan, and if results did not
/// repeat.
[[nodiscard]] DeviceResult execute(Session& session, const Plan& plan, const TensorSet& inputs,
                                   const Known& known = {},
                                   std::unique_ptr<PreparedPlan>* kept = nullptr);

/// Runs the plan once, for a caller that compares finite results bit for bit: outputs start as NaN,
/// so that an unwritten element is a wrong one. Whether results repeat is left open.
[[nodiscard]] DeviceResult execute_once(Session& session, const Plan& plan,
                                        const TensorSet& inputs);

/// Whether a plan's launches are reported as stages of the case (progress.hpp) or run silently.
enum class Reporting : std::uint8_t { kStages, kSilent };

/// A plan's buffers on a device, which it allocates, fills and reads back, and the launches over
/// them, which benchmarks time. The plan must outlive it.
class PreparedPlan {
 public:
  PreparedPlan(Session& session, const Plan& plan, const TensorSet& inputs, const Unset& unset,
               Reporting reporting = Reporting::kStages);
  /// Runs all steps once; returns the kernels' nanoseconds.
  std::uint64_t launch();
  /// Resets every tensor that steps write to its state before the first launch, so that an old
  /// result cannot pass for the next one.
  void restore(const TensorSet& inputs);
  /// Writes every tensor as the constructor did, with another poison.
  void start_again(const TensorSet& inputs, const Unset& unset);
  /// The library's answer if it does not offer one of the plan's operators; launch() then did
  /// nothing useful.
  [[nodiscard]] const std::optional<std::string>& not_supported() const { return not_supported_; }
  /// Reads one tensor back. Second: whether its guard bytes are intact.
  [[nodiscard]] std::pair<formats::Tensor, bool> read(const TensorSpec& spec) const;
  /// Whether one tensor, read back in pieces of at most kPieceBytes, holds these bytes.
  [[nodiscard]] bool holds(const TensorSpec& spec, const formats::Tensor& tensor) const;
  /// Reads only the guard bytes.
  [[nodiscard]] bool guard_is_intact(const TensorSpec& spec) const;
  [[nodiscard]] const backends::Buffer& buffer(const TensorSpec& spec) const {
    return buffers_.at(spec.name);
  }

 private:
  Session& session_;
  const Plan& plan_;
  Unset unset_;
  Reporting reporting_;
  std::map<std::string, backends::Buffer> buffers_;
  std::map<std::string, const TensorSpec*> specs_;
  std::optional<std::string> not_supported_;

  [[nodiscard]] backends::OperatorCall call_of(const OperatorStep& step) const;
  [[nodiscard]] bool guard_is_intact(const TensorSpec& spec, std::size_t stretch) const;
  void begin_launch() const;
  void flip();
  std::uint64_t run_launch(const Launch& step);
  std::uint64_t run_operator(const OperatorStep& step);
};

}  // namespace halfmark::suites
