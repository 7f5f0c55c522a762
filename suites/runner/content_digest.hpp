// SPDX-License-Identifier: Apache-2.0
// What bytes are, in short: BLAKE2b-256 (RFC 7693) in 64 hexadecimal digits. Two contents of one
// digest are taken for the same.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace halfmark::suites {

/// Of the texts, one behind the other.
[[nodiscard]] std::string content_digest(std::initializer_list<std::string_view> texts);

/// Of a regular file; nothing where it cannot be read to its end. Never waits for a writer.
[[nodiscard]] std::optional<std::string> file_digest(const std::filesystem::path& file);

}  // namespace halfmark::suites
