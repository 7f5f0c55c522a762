// SPDX-License-Identifier: Apache-2.0
// The command line: parses, runs the chosen verb, and turns every error into one line and the
// documented exit code (0 conforms, 1 does not, 2 wrong usage, 3 the environment prevents an
// answer, 4 incomplete).
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstring>
#include <stdexcept>

#include "backends/select.hpp"
#include "reference/fast/target.hpp"
#include "suites/core/errors.hpp"
#include "suites/runner/worker.hpp"
#include "tools/halfmark/verbs.hpp"
#include "tools/halfmark/version.hpp"

namespace {

constexpr int kUsage = 2;
constexpr int kEnvironment = 3;

constexpr const char* kFooter = R"(
Exit codes: 0 conforms; 1 does not; 2 wrong usage; 3 the environment prevents an answer; 4 the run was incomplete.

First steps:
  halfmark devices                        what can be tested here
  halfmark run --level smoke              the main job, in a minute
  halfmark explain DIR/DEVICE/scorecard.json#F001)";

int fail(int code, const std::string& text) {
  // A vendor's log follows the line it belongs to; the line itself stays one line.
  fmt::print(stderr, "halfmark: {}\n", text);
  return code;
}

// The engine's choice comes from the user's environment; a word that means nothing is told before
// anything is measured.
void check_environment() {
  try {
    static_cast<void>(halfmark::fast::default_target());
  } catch (const std::invalid_argument& e) {
    throw halfmark::suites::UsageError(e.what());
  }
}

int run_action(const halfmark::tools::Action& action) {
  try {
    check_environment();
    return action();
  } catch (const halfmark::suites::UsageError& e) {
    return fail(kUsage, e.what());
  } catch (const halfmark::backends::NoSuchDevice& e) {
    return fail(kEnvironment, e.what());
  } catch (const halfmark::suites::EnvironmentError& e) {
    return fail(kEnvironment, e.what());
  } catch (const std::exception& e) {
    return fail(kEnvironment, fmt::format("unexpected: {}", e.what()));
  }
}

}  // namespace

int main(int argc, char** argv) {
  using namespace halfmark::tools;
  if (argc > 1 && std::strcmp(argv[1], halfmark::suites::kWorkerArgument) == 0) {
    return halfmark::suites::serve_worker();
  }
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
  add_bench(app, action);
  add_ref(app, action);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& e) {
    return app.exit(e);
  } catch (const CLI::ParseError& e) {
    return fail(kUsage,
                fmt::format("{}; `halfmark {}--help` shows what is accepted", e.what(),
                            argc > 1 && argv[1][0] != '-' ? fmt::format("{} ", argv[1]) : ""));
  }
  return run_action(action);
}
