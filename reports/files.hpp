// SPDX-License-Identifier: Apache-2.0
// Reads and writes whole files. A write is atomic: the old file stays until the new one is
// safely on disk, so a full disk or a killed process leaves the old content. Does not interpret
// the content.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>

namespace halfmark::reports {

/// One line that names the failed operation, the file and the system's reason.
struct FileError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Throws FileError when reading fails or the file has more than `most_bytes` bytes.
[[nodiscard]] std::string read_file(const std::filesystem::path& path,
                                    std::size_t most_bytes = SIZE_MAX);

/// Creates missing parent folders, writes a temporary file next to the named one, flushes it to
/// disk and renames it over that. A link keeps its place, and its target is replaced; a pipe or
/// another device gets the content as it is. Throws FileError on failure.
void write_file_atomically(const std::filesystem::path& name, std::string_view content);

}  // namespace halfmark::reports
