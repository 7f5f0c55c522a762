// SPDX-License-Identifier: Apache-2.0
// The timing part of a run: which rows, at which sizes, and which of them are timed again in
// alternation with the fastest fp32 kernel, or with the same in fp32. Decides the order; workers
// measure, reports judge.
//
// Assumption: every timed kernel passed in this run, at the size of its case or, if grown, at its
// new size.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "suites/runner/run.hpp"

namespace halfmark::suites {

/// Receivers of what the measuring reports, called as soon as it is known.
struct MeasuringSinks {
  std::function<void(const std::string& what)> stage;
  std::function<void(const nlohmann::json& row)> row;
  std::function<void(const nlohmann::json& held)> duel;  // as add_duel() takes it
  std::function<void(nlohmann::json incident)> incident;
};

/// The incident outcome of a case that was left out.
inline constexpr const char* kLeftOut = "left out";

/// Adds rows to `run.throughput`. Returns early when interrupted, or when the device kills one
/// worker after another.
void measure_throughput(Worker& worker, DeviceRun& run, const MeasuringSinks& sinks);

/// Adds `held`, {"row": name, "as": "duel" or "beside", "duel": result of throughput::duel()}, to
/// the row of that name.
void add_duel(DeviceRun& run, const nlohmann::json& held);

}  // namespace halfmark::suites
