// SPDX-License-Identifier: Apache-2.0
// Whether wrong elements of outputs are padding alone: values between the results that nothing may
// change, and no results.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "suites/core/suite/problem.hpp"

namespace halfmark::suites {

struct Padded {
  std::string tensor;
  std::size_t row = 0;       // that the first of them lies behind
  std::size_t elements = 0;  // of all outputs
};

[[nodiscard]] std::optional<Padded> only_padding(const Problem& problem, const Places& wrong);

/// For a reader.
[[nodiscard]] std::string words_of(const Padded& padded);

}  // namespace halfmark::suites
