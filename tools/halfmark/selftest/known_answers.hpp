// SPDX-License-Identifier: Apache-2.0
// The table of check_known_answers, which a test checks for completeness.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "reference/soft/environment.hpp"

namespace halfmark::tools {

struct KnownAnswer {
  std::string_view format;
  std::string_view operation;
  std::array<formats::Bits, 3> operands;  // encodings, not words
  soft::Environment env;
  soft::Result result;
  std::int32_t integer = 0;
};
[[nodiscard]] std::span<const KnownAnswer> known_answers();

}  // namespace halfmark::tools
