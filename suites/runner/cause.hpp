// SPDX-License-Identifier: Apache-2.0
// What makes two findings one bug, as far as anybody can say before looking. The run makes only the
// first of a kind small, and the programs beside a report refer the others to it: both must mean
// the same by "a kind".
#pragma once

#include <string>
#include <tuple>

#include "suites/core/judge/result.hpp"

namespace halfmark::suites {

/// Ordered, so that it can be a key.
using Cause = std::tuple<Standing, std::string, std::string, std::string>;

/// Of a case that failed.
[[nodiscard]] Cause cause_of(const CaseResult& failed);

}  // namespace halfmark::suites
