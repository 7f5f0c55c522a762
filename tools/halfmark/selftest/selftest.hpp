// SPDX-License-Identifier: Apache-2.0
// `halfmark ref selftest` checks that this binary, on this machine, computes what the definitions
// say. Needs no test library, no file and no device. Prints one line per check and a summary.
#pragma once

#include <iosfwd>
#include <string>

#include "tools/halfmark/selftest/checks.hpp"

namespace halfmark::tools {

struct SelftestOptions {
  double seconds = 10;
  unsigned threads = 0;  // 0: as many as the host has
  std::uint64_t seed = 1;
  bool json = false;
};

// Returns exit code 0, or 1 when something differed. The seed determines the comparisons, the time
// how many there are.
[[nodiscard]] int selftest(std::ostream& out, const SelftestOptions& options,
                           const Subject& subject = this_reference());

[[nodiscard]] std::string selftest_help();

}  // namespace halfmark::tools
