// SPDX-License-Identifier: Apache-2.0
// `halfmark-bench`, which `halfmark bench` starts, with the same options, errors and exit codes.
// Its workers are this program started again.
#include <CLI/CLI.hpp>
#include <cstring>

#include "suites/runner/worker.hpp"
#include "tools/halfmark/bench/bench.hpp"
#include "tools/halfmark/command_line.hpp"
#include "tools/halfmark/verbs.hpp"

int main(int argc, char** argv) {
  using namespace halfmark::tools;
  if (argc > 1 && std::strcmp(argv[1], halfmark::suites::kWorkerArgument) == 0) {
    return halfmark::suites::serve_worker();
  }
  CLI::App app{kBenchDescription, "halfmark bench"};
  Action action;
  add_bench_options(app, action);
  return run_command_line(app, argc, argv, action);
}
