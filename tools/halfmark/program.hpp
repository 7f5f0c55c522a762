// SPDX-License-Identifier: Apache-2.0
// The main program: decides which verbs exist. With the argument of a worker, with which it starts
// itself, it serves as one instead.
#pragma once

namespace halfmark::tools {

/// Takes main's arguments, and returns the exit code.
[[nodiscard]] int run_program(int argc, char** argv);

}  // namespace halfmark::tools
