// SPDX-License-Identifier: Apache-2.0
// The share of its work that a long test does: a part in ci/test, so that the whole run stays under
// half an hour; all of it with HALFMARK_LONG=1 (ci/test --long), as before a release.
#pragma once

#include <cstdlib>
#include <string_view>

namespace halfmark::slow {

[[nodiscard]] inline bool long_run() {
  const char* wanted = std::getenv("HALFMARK_LONG");
  return wanted != nullptr && std::string_view(wanted) == "1";
}

template <typename Number>
[[nodiscard]] Number effort(Number whole, Number share) {
  return long_run() ? whole : share;
}

}  // namespace halfmark::slow
