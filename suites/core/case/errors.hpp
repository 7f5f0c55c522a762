// SPDX-License-Identifier: Apache-2.0
// The two errors that leave the line as exceptions. Decides the exit code each one means; a
// device's failure is neither: it becomes a verdict (see result.hpp).
#pragma once

#include <stdexcept>

namespace halfmark::suites {

/// The user named something that does not exist or is malformed; exit code 2. One line, with the
/// remedy.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The environment prevents an answer (no such device, unwritable folder, broken driver); exit
/// code 3.
struct EnvironmentError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// One device cannot be used; the others can. Exit code 3, after they were tested.
struct DeviceUnusable : EnvironmentError {
  using EnvironmentError::EnvironmentError;
};

}  // namespace halfmark::suites
