// SPDX-License-Identifier: Apache-2.0
//
// Runs one program and waits for it. Decides that no shell is involved and that the child speaks
// untranslated English; knows nothing of compilers.
#pragma once

#include <span>
#include <string>

namespace halfmark::backends::host {

struct ChildResult {
  int exit_status = 0;  // 128 + the signal when one ended the child
  std::string output;   // standard output and standard error, as they came
};

// argv[0] is looked up on PATH. A setting "NAME=value" adds to the environment, "NAME" alone takes
// away. Throws EnvironmentFault when the program cannot be started.
[[nodiscard]] ChildResult run_child(std::span<const std::string> argv,
                                    std::span<const std::string> settings = {});

// The file that run_child() starts by that name; empty when there is none.
[[nodiscard]] std::string program_of(const std::string& name);

}  // namespace halfmark::backends::host
