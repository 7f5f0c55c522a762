// SPDX-License-Identifier: Apache-2.0
// The condition of an #if or #elif, after macros were replaced in it. Decides whether it holds: a
// name that is left counts as 0, and what only the vendor's compiler knows, __has_include and
// __has_builtin, as 1.
#pragma once

#include "tools/halfmark/reproducers/tokens.hpp"

namespace halfmark::tools {

[[nodiscard]] bool condition_holds(Tokens expanded);

}  // namespace halfmark::tools
