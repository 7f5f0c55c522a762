// SPDX-License-Identifier: Apache-2.0
// The whole program: decides which verbs exist, and serves as the worker that a program of the same
// file starts.
#pragma once

namespace halfmark::tools {

/// Takes main's arguments, and returns the exit code.
[[nodiscard]] int run_program(int argc, char** argv);

}  // namespace halfmark::tools
