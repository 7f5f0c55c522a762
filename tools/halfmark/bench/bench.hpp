// SPDX-License-Identifier: Apache-2.0
// `halfmark-bench`: Google Benchmark over the operators, timed by the device's own events.
// Decides which cases become benchmarks, and that only a case that passes here and now is timed.
// The flags of Google Benchmark are its own business: they go through untouched. Drivers are
// touched in workers only, as in a run: one that hangs or crashes costs the benchmark that it was
// on.
// Assumes: once in a process, since Google Benchmark keeps what was registered.
#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

#include "tools/halfmark/options.hpp"
#include "tools/halfmark/verbs.hpp"

namespace halfmark::tools {

struct BenchOptions {
  CaseOptions cases;
  DeviceOptions devices;
  std::vector<std::string> benchmark_arguments;  // --benchmark_...
};

/// Registers and runs. 0: each benchmark was timed, or its case is not supported; 1: a case did not
/// pass; 3: a device could not be opened; 4: a benchmark was lost to a driver that hung or crashed,
/// or a signal ended it all. 1 outweighs 4, and 4 outweighs 3.
[[nodiscard]] int verb_bench(const BenchOptions& options);

/// The program's options and what it then does.
void add_bench_options(CLI::App& app, Action& action);

}  // namespace halfmark::tools
