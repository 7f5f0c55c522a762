// SPDX-License-Identifier: Apache-2.0
// A whole run on a device with a planted arithmetic, including workers and journal. The test
// program is its own worker and device.
#pragma once

#include <string>

#include "reports/scorecard.hpp"

namespace halfmark::tools {

struct RunOfGemm {
  std::string planted;
  std::string journal;  // a file
  bool resume = false;
};

/// Runs the smoke cases of gemm by the planted library, as `halfmark run` would.
[[nodiscard]] reports::Scorecard run_of_gemm(const RunOfGemm& run);

}  // namespace halfmark::tools
