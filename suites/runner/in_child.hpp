// SPDX-License-Identifier: Apache-2.0
// A piece of work in a child process that shares the terminal: for work that must touch drivers but
// speaks to the user itself (benchmarks). What the driver does to its process stays there.
#pragma once

#include <functional>

namespace halfmark::suites {

/// The exit code that `work` returns. Throws EnvironmentError when `work` throws or its process
/// dies. Assumes that the caller has no threads.
[[nodiscard]] int in_child(const std::function<int()>& work);

}  // namespace halfmark::suites
