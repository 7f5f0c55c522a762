// SPDX-License-Identifier: Apache-2.0
// What vendors' libraries are known to get wrong, for tests that run on every device of a machine:
// they hold everything else to every bit. Programs of their own show the findings
// (reports/published/onednn-2.6.3), that of layernorm's gradient excepted.
#pragma once

#include <fnmatch.h>

#include <algorithm>
#include <string>
#include <string_view>

namespace halfmark::backends {

struct KnownFinding {
  std::string_view library;
  const char* cases;  // a shell pattern for the whole name of a case
  std::string_view what;
  std::string_view explanation = {};  // if not empty: the hypothesis that must explain every bit
};

inline constexpr KnownFinding kKnownFindings[] = {
    {"oneDNN", "log_softmax *", "the logarithm of 1 is not 0"},
    {"oneDNN", "layernorm *, gaps: *", "2.6.3 takes rows as dense"},
    {"oneDNN", "layernorm_backward *, gaps: *", "2.6.3 takes rows as dense"},
    {"oneDNN", "*softmax_backward *, gaps in the result: dx", "2.6.3 writes rows as dense"},
    {"oneDNN", "softmax.*forward.bf16.out-bf16.library.*", "rounds exp, or x - max, to bf16 first",
     "numerators-in-bf16"},
};

/// `explained_by` is the first hypothesis that gives every bit of the case; empty if none does.
[[nodiscard]] inline bool is_known(std::string_view library, const std::string& case_name,
                                   std::string_view explained_by = {}) {
  return std::ranges::any_of(kKnownFindings, [&](const KnownFinding& row) {
    return row.library == library && fnmatch(row.cases, case_name.c_str(), 0) == 0 &&
           (row.explanation.empty() || row.explanation == explained_by);
  });
}

}  // namespace halfmark::backends
