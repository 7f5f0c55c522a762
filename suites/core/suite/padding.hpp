// SPDX-License-Identifier: Apache-2.0
// Whether all wrong elements of the outputs are padding: values between the results that nothing
// may change.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "suites/core/suite/problem.hpp"

namespace halfmark::suites {

struct Padded {
  std::string tensor;
  std::size_t row = 0;       // the row that precedes the first of them
  std::size_t elements = 0;  // over all outputs
};

[[nodiscard]] std::optional<Padded> only_padding(const Problem& problem, const Places& wrong);

/// As a sentence for the report.
[[nodiscard]] std::string words_of(const Padded& padded);

}  // namespace halfmark::suites
