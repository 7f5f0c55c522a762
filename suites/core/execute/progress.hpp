// SPDX-License-Identifier: Apache-2.0
// Where a case is, for whoever watches from outside: the stage that began last, how many have
// begun, and whether the driver has the word in it. Decides nothing. One case runs at a time in a
// process, so this is state of the process.
#pragma once

#include <cstdint>

namespace halfmark::suites {

struct Stage {
  const char* name = "idle";  // a literal
  bool of_driver = false;     // false: Halfmark's own work, which cannot hang on a device
  std::uint64_t count = 0;
};

/// `name` must be a literal.
void enter_stage(const char* name, bool of_driver);
/// May be called from any thread.
[[nodiscard]] Stage current_stage();

}  // namespace halfmark::suites
