// SPDX-License-Identifier: Apache-2.0
// `halfmark ref selftest`: does this binary, on this machine, compute what the definitions say?
// Needs no test library, no file and no device. One line per check, and one that sums up.
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

// Exit code 0, or 1 when something differed. Comparisons come from the seed alone; how many there
// are is a matter of the time.
[[nodiscard]] int selftest(std::ostream& out, const SelftestOptions& options,
                           const Subject& subject = this_reference());

[[nodiscard]] std::string selftest_help();

}  // namespace halfmark::tools
