// SPDX-License-Identifier: Apache-2.0
// Thrown where a finding cannot be shown by a stand-alone program; write_reproducer() passes the
// reason on.
#pragma once

#include <string>

namespace halfmark::tools {

/// The reason why there is no program, as the end of a sentence: "the operands are 4096 values".
struct NoProgram {
  std::string reason;
};

}  // namespace halfmark::tools
