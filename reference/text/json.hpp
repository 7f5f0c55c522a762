// SPDX-License-Identifier: Apache-2.0
// Reads JSON from untrusted sources with limits, so that no text can exhaust the stack or the
// memory and no two readers can interpret one text differently. This file decides what is refused
// beyond RFC 8259: depth, size, number of values, long strings, duplicate members, and numbers that
// do not fit in a double. It does not interpret the content. Every reader of foreign JSON uses it.
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

/// States the problem and the byte offset: "nested deeper than 64 at byte 65".
struct JsonError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Throws JsonError.
[[nodiscard]] nlohmann::json read_json(std::string_view text, const JsonLimits& limits = {});

}  // namespace halfmark::text
