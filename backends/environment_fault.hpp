// SPDX-License-Identifier: Apache-2.0
//
// What prevents an answer and is no device's fault: a compiler that does not work, a folder that
// cannot be written, a full disk. Decides that it is no BackendError, so that nothing on its way
// turns it into a verdict.
#pragma once

#include <stdexcept>

namespace halfmark::backends {

// One line: the thing, what is wrong with it, and the remedy.
struct EnvironmentFault : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace halfmark::backends
