// SPDX-License-Identifier: Apache-2.0
// Faithful conversions: every result is one of the two numbers next to its operand, which may be
// all that a library promises. Decides which results those are; the hypotheses that give them, each
// by its own rule or by none, are in hypotheses.cpp and hypotheses_seen.cpp.
#pragma once

#include <functional>
#include <string_view>

#include "suites/convert/binding.hpp"

namespace halfmark::suites::convert {

/// The freedom of results that are faithful.
inline constexpr std::string_view kFaithful = "faithful_rounding";

/// What is due.
[[nodiscard]] formats::Bits plain(const Binding& b, formats::Bits x);

/// Each element of x, converted.
[[nodiscard]] formats::Tensor mapped(const Binding& b, const formats::Tensor& x,
                                     const std::function<formats::Bits(formats::Bits)>& map);

/// Whether y is one of the two numbers next to x. Of an infinity or a NaN: what is due.
[[nodiscard]] bool is_faithful(const Binding& b, formats::Bits x, formats::Bits y);

/// The hypothesis, which needs a freedom (empty: none): kFaithful extends only to results that are
/// faithful.
[[nodiscard]] Hypothesis with_freedom(Hypothesis hypothesis, std::string_view freedom);

}  // namespace halfmark::suites::convert
