// SPDX-License-Identifier: Apache-2.0
//
// Runs one program and waits for it. Decides that no shell is involved and that the child's
// messages are untranslated English; knows nothing of compilers.
#pragma once

#include <span>
#include <string>

namespace halfmark::backends::host {

struct ChildResult {
  int exit_status = 0;  // 128 + the signal number if a signal ended the child
  std::string output;   // standard output and standard error, interleaved
};

// argv[0] is looked up on PATH. A setting "NAME=value" adds to the environment, "NAME" removes.
// Throws EnvironmentFault when the program cannot be started.
[[nodiscard]] ChildResult run_child(std::span<const std::string> argv,
                                    std::span<const std::string> settings = {});

// The file that run_child() would start for that name; empty when there is none.
[[nodiscard]] std::string program_of(const std::string& name);

}  // namespace halfmark::backends::host
