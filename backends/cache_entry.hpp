// SPDX-License-Identifier: Apache-2.0
//
// One file of what is kept between runs (cache_folder.hpp), with a check behind its content.
// Decides which files are believed: regular ones of this user that nobody else may write, whole,
// and kept under this key. All others are as good as absent, and the next keep_entry() replaces
// them.
//
// Assumptions:
//  1. A key covers everything that the content depends on.
//  2. A file that has its place, size and time of change is the same file.
//  3. The check is against accidents; the folder is against everything else.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>

namespace halfmark::backends {

// 32 hexadecimal digits that stand for the parts, in order.
[[nodiscard]] std::string content_key(std::span<const std::string> parts);

// Place, size and time of change in text; empty when there is no such file.
[[nodiscard]] std::string file_identity(const std::filesystem::path& file);

// Never waits for a file that is none.
[[nodiscard]] std::optional<std::string> read_entry(const std::filesystem::path& file,
                                                    const std::string& key);

// Readers see the old file or the new one. False when it could not be kept; that is no error.
bool keep_entry(const std::filesystem::path& file, const std::string& key,
                const std::string& content);

}  // namespace halfmark::backends
