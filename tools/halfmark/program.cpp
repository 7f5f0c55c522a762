// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/program.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstring>

#include "suites/runner/worker.hpp"
#include "tools/halfmark/command_line.hpp"
#include "tools/halfmark/lab/serve.hpp"
#include "tools/halfmark/verbs.hpp"
#include "tools/halfmark/version.hpp"

namespace halfmark::tools {
namespace {

constexpr const char* kFooter = R"(
Exit codes: 0 conforms; 1 does not; 2 wrong usage; 3 the environment prevents an answer; 4 the run was incomplete.

First steps:
  halfmark devices                        what can be tested here
  halfmark run --level smoke              the main job, in a minute
  halfmark explain DIR/DEVICE/scorecard.json#F001)";

}  // namespace

int run_program(int argc, char** argv) {
  // Whoever started this program may ignore the end of children, which is inherited: then nobody
  // could learn how a worker or a compiler has ended.
  std::signal(SIGCHLD, SIG_DFL);
  if (argc > 1 && std::strcmp(argv[1], suites::kWorkerArgument) == 0) {
    return suites::serve_worker();
  }
  if (argc > 1 && std::strcmp(argv[1], lab::kLabArgument) == 0) return lab::serve_lab();
  CLI::App app{"Halfmark: a vendor-neutral conformance test suite for accelerators, bit for bit.",
               "halfmark"};
  app.set_version_flag("--version",
                       fmt::format("halfmark {} (contract {})", kVersion, kContractRevision));
  app.footer(kFooter);
  app.require_subcommand(1);
  Action action;
  add_devices(app, action);
  add_list(app, action);
  add_run(app, action);
  add_replay(app, action);
  add_report_verbs(app, action);
  add_fleet(app, action);
  add_diagnose(app, action);
  add_lint(app, action);
  add_lab(app, action);
  add_bench(app, action);
  add_ref(app, action);
  return run_command_line(app, argc, argv, action);
}

}  // namespace halfmark::tools
