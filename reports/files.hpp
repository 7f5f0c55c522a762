// SPDX-License-Identifier: Apache-2.0
// Whole files, read and written. A write is atomic: the old file stays until the new one is safe on
// disk, so a full disk or a killed process leaves the old content. Does not know what is in them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>

namespace halfmark::reports {

/// One line: what could not be done, to which file, and the system's reason.
struct FileError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Throws FileError, also for a file of more than `most_bytes`.
[[nodiscard]] std::string read_file(const std::filesystem::path& path,
                                    std::size_t most_bytes = SIZE_MAX);

/// Creates missing parent folders; writes beside `path`, flushes to disk, renames over it.
void write_file_atomically(const std::filesystem::path& path, std::string_view content);

}  // namespace halfmark::reports
