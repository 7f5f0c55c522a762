// SPDX-License-Identifier: Apache-2.0
// The progress of a case, for a watchdog outside of it: the latest stage, how many stages have
// begun, and whether the driver is in control. Decides nothing. One case at a time runs in a
// process, so this is process state.
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
