// SPDX-License-Identifier: Apache-2.0
// What the programs of the command line share: an error is one line on stderr and the
// documented exit code (0 conforms, 1 does not, 2 wrong usage, 3 the environment prevents an
// answer, 4 incomplete).
#pragma once

#include <CLI/App.hpp>

#include "tools/halfmark/verbs.hpp"

namespace halfmark::tools {

/// Parses the arguments, which sets `action`, runs it, and returns the exit code.
[[nodiscard]] int run_command_line(CLI::App& app, int argc, char** argv, const Action& action);

}  // namespace halfmark::tools
