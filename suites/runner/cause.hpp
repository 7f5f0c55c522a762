// SPDX-License-Identifier: Apache-2.0
// When two findings count as one bug, as far as a program can tell. The run shrinks only the first
// finding of a kind, and other programs refer the rest to it: both must agree on "a kind".
#pragma once

#include <string>
#include <tuple>

#include "suites/core/judge/result.hpp"

namespace halfmark::suites {

/// Ordered, so that it can be a key.
using Cause = std::tuple<Standing, std::string, std::string, std::string>;

/// The cause of a failed case.
[[nodiscard]] Cause cause_of(const CaseResult& failed);

}  // namespace halfmark::suites
