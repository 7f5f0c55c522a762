// SPDX-License-Identifier: Apache-2.0
// The verbs of the command line: each adds its subcommand and the action that runs when it is
// chosen. This is wiring only and decides nothing about measuring. Errors leave as UsageError (exit
// code 2) and EnvironmentError (3).
#pragma once

#include <CLI/App.hpp>
#include <functional>

namespace halfmark::tools {

/// Set by the chosen verb, and run by run_command_line(), which reports what it throws.
using Action = std::function<int()>;

/// Description of `bench`, a separate program (bench/) that this program starts (bench.cpp).
inline constexpr const char* kBenchDescription =
    "Google Benchmark over the operators, each verified before it is timed";

void add_devices(CLI::App& app, Action& action);
void add_list(CLI::App& app, Action& action);
void add_run(CLI::App& app, Action& action);
void add_replay(CLI::App& app, Action& action);
void add_ref(CLI::App& app, Action& action);
void add_bench(CLI::App& app, Action& action);
void add_diagnose(CLI::App& app, Action& action);
void add_fleet(CLI::App& app, Action& action);
void add_lab(CLI::App& app, Action& action);
void add_lint(CLI::App& app, Action& action);
void add_report_verbs(CLI::App& app, Action& action);

}  // namespace halfmark::tools
