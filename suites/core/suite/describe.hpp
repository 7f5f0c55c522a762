// SPDX-License-Identifier: Apache-2.0
// One wrong element as text for a report. Decides how encodings are written.
#pragma once

#include <string>
#include <string_view>

#include "suites/core/judge/judge.hpp"
#include "suites/core/judge/result.hpp"
#include "suites/core/suite/problem.hpp"

namespace halfmark::suites {

/// The number that a word of a tensor holds: "0x1.8p+1", or "-3" if it is an integer.
[[nodiscard]] std::string describe_value(const Problem& problem, std::string_view tensor,
                                         const formats::Format& format, formats::Bits bits);

/// Problem::extent() if it covers exactly `count` elements; otherwise a single row.
[[nodiscard]] Extent extent_of(const Problem& problem, std::string_view tensor, std::size_t count);

[[nodiscard]] Element describe_element(const Problem& problem, const TensorSet& inputs,
                                       const formats::Format& format, const Mismatch& mismatch);

}  // namespace halfmark::suites
