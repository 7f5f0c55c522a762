// SPDX-License-Identifier: Apache-2.0
// Digests of bytes: BLAKE2b-256 (RFC 7693) as 64 hexadecimal digits. Equal digests are taken to
// mean equal contents.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace halfmark::suites {

/// The digest of the concatenated texts.
[[nodiscard]] std::string content_digest(std::initializer_list<std::string_view> texts);

/// The digest of a regular file; nothing if it cannot be read to its end. Never blocks on a writer.
[[nodiscard]] std::optional<std::string> file_digest(const std::filesystem::path& file);

}  // namespace halfmark::suites
