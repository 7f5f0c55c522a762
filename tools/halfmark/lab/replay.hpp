// SPDX-License-Identifier: Apache-2.0
// Runs the operators of a training on a device, each on the operands that the device's own earlier
// operators gave, and compares each result with what is specified for these operands. Decides which
// kernel or library call an operator becomes, and whether a difference is subnormal numbers that
// were flushed. Assumes: the operators of one step come in order.
//
// An operator is a case of the suite that asserts it, on other operands, so the contract rows of
// the suites judge it: bits, or the bound of a library's row.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "suites/core/execute/execute.hpp"
#include "tools/halfmark/lab/observe.hpp"
#include "tools/halfmark/lab/operators.hpp"

namespace halfmark::tools::lab {

/// A result of the device that is not what its operands give.
struct Deviation {
  std::size_t step = 0;
  std::string operation = {};  // name_of(Kind)
  std::string tensor = {};     // of the step
  std::string rule = {};       // the contract row
  std::string fault = {};      // of memory or of the driver; empty: values differ
  bool flushed = false;        // flushing subnormal operands, results or both gives these bits
  std::uint64_t elements = 0, wrong = 0;
  std::size_t index = 0;                   // of the first wrong element
  std::string expected = {}, actual = {};  // its encodings and values
  /// What the diagnosis of the suite says of it, if it was asked.
  std::string finding_class = {}, sentence = {};
};

struct ReplayOptions {
  std::string provider;   // "portable" or "library"
  bool diagnoses = true;  // asks the suites about the first deviation
  std::function<void(const std::string&)> progress = {};  // before each operator
};

/// What a replay waited for, in seconds: the device with its copies, what is due and whether it
/// came, and the counts of tensors.
struct ReplaySeconds {
  double executing = 0, judging = 0, counting = 0;
};

class Replay {
 public:
  Replay(suites::Session& session, ReplayOptions options)
      : session_(session), options_(std::move(options)) {}

  /// Throws EnvironmentError if the device cannot run an operator at all.
  [[nodiscard]] std::vector<formats::Tensor> run(const Operator& op, const Operands& operands);
  void begin_step(std::size_t step) { step_ = step; }

  [[nodiscard]] const std::vector<Deviation>& deviations() const { return deviations_; }
  [[nodiscard]] std::uint64_t operators() const { return operators_; }
  /// Of every operator's result in the second step, counted on the device.
  [[nodiscard]] const Observation& whole_step() const { return whole_step_; }
  /// Of the gradients of weights in the other steps.
  [[nodiscard]] const Observation& observation() const { return observation_; }
  /// Operators that the library does not offer, which ran as portable kernels instead.
  [[nodiscard]] std::uint64_t portable() const { return portable_; }
  [[nodiscard]] const ReplaySeconds& seconds() const { return seconds_; }

 private:
  struct Answer {
    std::vector<formats::Tensor> results;
    std::uint64_t device_ns = 0;
  };
  [[nodiscard]] Answer judged(const Operator& op, const Operands& operands, double& executing);
  void watch(const Operator& op, const formats::Tensor& result, std::uint64_t operator_ns);

  suites::Session& session_;
  ReplayOptions options_;
  std::size_t step_ = 0;
  std::uint64_t operators_ = 0, portable_ = 0;
  ReplaySeconds seconds_;
  Observation whole_step_, observation_;
  std::set<const formats::Format*> launched_;  // formats whose kernels have counted something
  std::vector<Deviation> deviations_;
};

}  // namespace halfmark::tools::lab
