// SPDX-License-Identifier: Apache-2.0
//
// A failure of the machine rather than of the device: a compiler that does not work, an unwritable
// folder, a full disk. Decides that this is not a BackendError, so that no handler on the way turns
// it into a verdict.
#pragma once

#include <stdexcept>

namespace halfmark::backends {

// what() is one line: the thing, what is wrong with it, and the remedy.
struct EnvironmentFault : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace halfmark::backends
