// SPDX-License-Identifier: Apache-2.0
// The verbs of the command line: each adds its subcommand and says what to do when it is chosen.
// Decides nothing about measuring; wiring only. Errors leave as UsageError (exit code 2) and
// EnvironmentError (3).
#pragma once

#include <CLI/App.hpp>
#include <functional>

namespace halfmark::tools {

/// Set by the verb that was chosen; run by main, inside its one catch.
using Action = std::function<int()>;

/// Of `bench`, whose program is started by this one (bench.cpp) and is another (bench/).
inline constexpr const char* kBenchDescription =
    "Google Benchmark over the operators, each verified before it is timed";

void add_devices(CLI::App& app, Action& action);
void add_list(CLI::App& app, Action& action);
void add_run(CLI::App& app, Action& action);
void add_replay(CLI::App& app, Action& action);
void add_ref(CLI::App& app, Action& action);
void add_bench(CLI::App& app, Action& action);
void add_report_verbs(CLI::App& app, Action& action);

}  // namespace halfmark::tools
