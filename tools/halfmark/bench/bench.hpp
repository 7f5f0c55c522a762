// SPDX-License-Identifier: Apache-2.0
// `halfmark-bench`: Google Benchmark over the operators, timed by the device's own events. Decides
// which cases become benchmarks, and that only a case that passes in this process is timed. Passes
// the flags of Google Benchmark through unchanged. As in a run, only workers touch drivers: a
// driver that hangs or crashes costs only the benchmark that it was running. Assumes one call per
// process, since Google Benchmark keeps what was registered.
#pragma once

#include <string>
#include <vector>

#include "tools/halfmark/options.hpp"

namespace halfmark::tools {

struct BenchOptions {
  CaseOptions cases;
  DeviceOptions devices;
  std::vector<std::string> benchmark_arguments;  // --benchmark_...
};

/// Registers and runs the benchmarks. Returns 0 if each was timed or its case is not supported; 1
/// if a case did not pass; 3 if a device could not be opened; 4 if a driver that hung or crashed
/// lost a benchmark, or a signal ended the program. 1 outranks 4, and 4 outranks 3.
[[nodiscard]] int verb_bench(const BenchOptions& options);

/// The program that `halfmark bench` starts, with the same options, errors and exit codes; its
/// workers are this program started again. Takes main's arguments, and returns the exit code.
[[nodiscard]] int run_bench_program(int argc, char** argv);

}  // namespace halfmark::tools
