// SPDX-License-Identifier: Apache-2.0
//
// The time that a library call takes on a modelled device: rates of products by format, a memory,
// and a launch overhead. It replaces the software device's clock when a fault of time is planted,
// so that slow paths can be planted and found on any machine. Computes no element; the same calls
// in the same order take the same time.
//
// Assumptions:
//  1. The modelled device is small, so that the products that this library computes in a second
//  take milliseconds: fp32 1 Gflop/s, tf32 2, fp16 and bf16 4, fp8 8; memory 0.2 Gbyte/s.
//  2. A call takes the longer of the time for its products and the time for its bytes; each tensor
//  is moved once.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>

#include "backends/host/faults.hpp"
#include "backends/host/library/operators.hpp"

namespace halfmark::backends::host::library {

class ModelledClock {
 public:
  explicit ModelledClock(const Fault& fault) : fault_(fault) {}

  // Whether the fault (or control) is one of time.
  [[nodiscard]] static bool serves(const Fault& fault);
  // The declared rates of the model, in the form of a data sheet: `extra.declared` of the device.
  [[nodiscard]] static nlohmann::json data_sheet();

  [[nodiscard]] std::uint64_t elapsed_ns(const OperatorCall& call);

 private:
  [[nodiscard]] double seconds_of(const OperatorCall& call) const;
  [[nodiscard]] double product_seconds(const OperatorCall& call) const;
  [[nodiscard]] bool seen_before(const OperatorCall& call);
  [[nodiscard]] double slowed(const OperatorCall& call, double seconds);

  Fault fault_;
  std::set<std::uint64_t> seen_;  // digests of inputs, for F05
  std::string last_;  // the call that warms the device up for F04; any other finds it cold
  double busy_seconds_ = 0;
};

}  // namespace halfmark::backends::host::library
