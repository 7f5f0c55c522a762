// SPDX-License-Identifier: Apache-2.0
// The table behind check_known_answers, for it and for the test that it is complete.
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
