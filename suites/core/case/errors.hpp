// SPDX-License-Identifier: Apache-2.0
// The errors that leave the pipeline of a case as exceptions, and the exit code that each one
// means. A failure of the device is not an exception: it becomes a verdict (judge/result.hpp).
#pragma once

#include <stdexcept>

namespace halfmark::suites {

/// The user named something that does not exist or is malformed; exit code 2. The message is one
/// line and says how to fix it.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The environment prevents an answer (no such device, unwritable folder, broken driver); exit
/// code 3.
struct EnvironmentError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// One device is unusable but the others are not. Exit code 3, after the others were tested.
struct DeviceUnusable : EnvironmentError {
  using EnvironmentError::EnvironmentError;
};

}  // namespace halfmark::suites
