// SPDX-License-Identifier: Apache-2.0
// A case and what it asserts: its function, its bound, and the values allowed.
#pragma once

#include <optional>

#include "suites/core/case/case.hpp"
#include "suites/elementary/bound.hpp"
#include "suites/elementary/callee.hpp"
#include "suites/elementary/contract.hpp"

namespace halfmark::suites::elementary {

/// Throws UsageError if the rules have no such function.
[[nodiscard]] const Bound& bound_of(const Case& c);
[[nodiscard]] const Callee& function_of(const Case& c);
[[nodiscard]] bool is_half(const Bound& bound);
[[nodiscard]] bool is_binary(const Bound& bound);
[[nodiscard]] bool at_edges(const Case& c);

[[nodiscard]] Terms terms_of(const Case& c);
/// Correctly rounded.
[[nodiscard]] TensorSet refer(const Case& c, const TensorSet& inputs);
[[nodiscard]] Enclosure enclose(const Case& c, const TensorSet& inputs);

}  // namespace halfmark::suites::elementary
