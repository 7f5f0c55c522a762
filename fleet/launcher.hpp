// SPDX-License-Identifier: Apache-2.0
// Which task of which launch this process is, from the environment that launchers set. One table
// (launcher.cpp) has a row for each launcher; adding one adds a row.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>

namespace halfmark::fleet {

struct Task {
  std::string launcher;    // "slurm", "by hand"
  std::string run;         // "slurm-1234"; unique where no launcher names one
  std::string task;        // "3", or "2.3": rank 3 of array element 2
  std::uint64_t size = 0;  // tasks of the run; 0: the launcher does not say
  std::string node;
};

/// One line that names the variable.
struct LauncherError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The value of an environment variable; nothing if it is not set.
using Environment = std::function<std::optional<std::string>(const char*)>;

/// `host` and `fresh_run` are used where no launcher names the node or the run. Throws
/// LauncherError if a variable is no number.
[[nodiscard]] Task task_from(const Environment& environment, const std::string& host,
                             const std::string& fresh_run);

/// The name with every character replaced that is_plain_name() refuses.
[[nodiscard]] std::string plain_name(std::string name);

}  // namespace halfmark::fleet
