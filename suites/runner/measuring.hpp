// SPDX-License-Identifier: Apache-2.0
// The part of a run that takes times: which rows, at which sizes, and which of them are timed once
// more in turn with the fastest fp32 kernel. Decides the order; workers measure, reports judge.
//
// Assumption: what is timed passed in this run, at the size of its case or, grown, at its own.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "suites/runner/run.hpp"

namespace halfmark::suites {

/// Where each thing goes that the measuring reports, as soon as it is known.
struct MeasuringSinks {
  std::function<void(const std::string& what)> stage;
  std::function<void(const nlohmann::json& row)> row;
  std::function<void(const nlohmann::json& held)> duel;  // as add_duel() takes it
  std::function<void(nlohmann::json incident)> incident;
};

/// An incident with this end is a case that was left out.
inline constexpr const char* kLeftOut = "left out";

/// Adds rows to `run.throughput`. Returns early when interrupted, or when the device takes one
/// worker after the other with it.
void measure_throughput(Worker& worker, DeviceRun& run, const MeasuringSinks& sinks);

/// {"row": name, "duel": as of throughput::duel()}: becomes part of the row of that name.
void add_duel(DeviceRun& run, const nlohmann::json& held);

}  // namespace halfmark::suites
