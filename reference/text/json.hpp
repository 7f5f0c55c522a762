// SPDX-License-Identifier: Apache-2.0
// JSON from outside: read with limits, so that no text can exhaust the stack or the memory, and so
// that two readers cannot take one text for two things. Decides what is refused beyond RFC 8259:
// depth, size, number of values, long strings, members of one name, numbers that no double holds.
// Knows nothing of what the text means. Every reader of foreign JSON uses it.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>

namespace halfmark::text {

struct JsonLimits {
  std::size_t bytes = std::size_t{64} << 20;
  std::size_t depth = 96;
  std::size_t values = 4'000'000;
  std::size_t string_bytes = std::size_t{8} << 20;
};

/// What is wrong, and at which byte: "nested deeper than 64 at byte 65".
struct JsonError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Throws JsonError.
[[nodiscard]] nlohmann::json read_json(std::string_view text, const JsonLimits& limits = {});

}  // namespace halfmark::text
