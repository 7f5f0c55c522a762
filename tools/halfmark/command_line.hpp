// SPDX-License-Identifier: Apache-2.0
// What the programs of the command line share: an error is one line on stderr and an exit code
// (reports/exit_codes.hpp).
#pragma once

#include <CLI/App.hpp>

#include "tools/halfmark/verbs.hpp"

namespace halfmark::tools {

/// Parses the arguments, which sets `action`, runs it, and returns the exit code.
[[nodiscard]] int run_command_line(CLI::App& app, int argc, char** argv, const Action& action);

}  // namespace halfmark::tools
