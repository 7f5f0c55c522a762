// SPDX-License-Identifier: Apache-2.0
// The only stage that touches a device: uploads inputs, poisons outputs, launches, reads back.
// Decides what may be said about memory (unwritten, written outside, inputs changed); does not know
// what is right. Assumes: the plan fits the device's memory. Every driver error is caught here,
// once, and becomes data.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backends/backend.hpp"
#include "suites/core/execute/placed.hpp"
#include "suites/core/execute/plan.hpp"

namespace halfmark::suites {

/// A device with the programs built on it so far; drivers compile for seconds, so programs are
/// kept.
class Session {
 public:
  explicit Session(backends::Device device) : device_(std::move(device)) {}
  [[nodiscard]] backends::Device& device() { return device_; }
  [[nodiscard]] backends::Program& program(const Launch& launch);
  /// The device opened once more, when first asked for.
  [[nodiscard]] Session& beside();

 private:
  backends::Device device_;
  std::unique_ptr<Session> beside_;
  std::map<std::string, backends::Program> programs_;
};

struct DeviceError {
  std::string stage;  // "allocate", "build", "launch", ...
  std::string text;   // one line: call, code, the driver's own words
  std::string log;    // a compiler's log, whole
  bool device_lost = false;
};

/// What two results of the same work had between them.
enum class Apart : std::uint8_t { kRuns, kPlaces, kQueues, kLoads };

/// What results follow that should not matter: what stood in outputs and scratch memory before, or
/// what lay outside the tensors.
enum class Follows : std::uint8_t { kNothing, kContents, kSurroundings };

struct DeviceResult {
  TensorSet outputs;                        // roles kOutput and kInOut
  std::vector<std::string> inputs_changed;  // tensors of role kInput that differ afterwards
  std::vector<std::string> guards_broken;   // tensors with writes behind their end
  /// Elements that kept the poison in both runs, or came out different in the two, or in two places
  /// that had the same work.
  std::map<std::string, std::vector<std::size_t>> unwritten, unrepeated;
  /// Where those that came out different did so again, each time with its poison.
  Follows follows = Follows::kNothing;
  Apart apart = Apart::kRuns;                // where `unrepeated` came from, if from one of these
  std::vector<TensorSet> variants;           // a few of the outputs that differ from the first
  std::uint64_t device_ns = 0;               // kernel time of the first run
  std::optional<std::string> not_supported;  // a library's own answer; nothing else is filled then
  std::optional<DeviceError> error;
};

/// The class of the gravest fault of memory handling (classes.hpp); empty: there is none.
[[nodiscard]] std::string_view memory_fault(const DeviceResult& got);

/// Runs the plan twice, each time with another poison, so that an element that was never written
/// cannot look right by chance and a result that does not repeat is seen; then as often as the plan
/// asks for repeats, in the company that it asks for. Two results that differ are asked for again,
/// to tell poison from chance.
[[nodiscard]] DeviceResult execute(Session& session, const Plan& plan, const TensorSet& inputs);

/// Whether a plan's launches are stages of the case (stage.hpp), or run aside.
enum class Telling : std::uint8_t { kStages, kAside };

/// The launch loop alone, over buffers that exist: what benchmarks time. Returns kernel
/// nanoseconds.
class PreparedPlan {
 public:
  PreparedPlan(Session& session, const Plan& plan, const TensorSet& inputs, const Unset& unset,
               Telling telling = Telling::kStages);
  std::uint64_t launch();
  /// Every tensor that steps write to, as it was before the first launch: what stood there is no
  /// answer to the next.
  void restore(const TensorSet& inputs);
  /// The library's answer when it does not offer one of the plan's operators; launch() did nothing
  /// of use then.
  [[nodiscard]] const std::optional<std::string>& not_supported() const { return not_supported_; }
  /// Reads one tensor back, and whether its guard is intact.
  [[nodiscard]] std::pair<formats::Tensor, bool> read(const TensorSpec& spec) const;
  [[nodiscard]] const backends::Buffer& buffer(const TensorSpec& spec) const {
    return buffers_.at(spec.name);
  }

 private:
  Session& session_;
  const Plan& plan_;
  Unset unset_;
  Telling telling_;
  std::map<std::string, backends::Buffer> buffers_;
  std::map<std::string, const TensorSpec*> specs_;
  std::optional<std::string> not_supported_;

  [[nodiscard]] backends::OperatorCall call_of(const OperatorStep& step) const;
  void begin_launch() const;
  std::uint64_t run_operators();
};

}  // namespace halfmark::suites
