// SPDX-License-Identifier: Apache-2.0
// Prints what automatic mixed precision does to operators, for people or as JSON: of one profile
// its whole list, of all profiles the operators that a suite asserts, or those that are named.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace halfmark::tools {

struct AutocastOptions {
  std::vector<std::string> operators = {};  // empty: all
  std::string profile = {};                 // empty: all
  bool as_json = false;
};

/// Throws UsageError for a name that no list and no suite has.
void list_casts(const AutocastOptions& options, std::ostream& out);

}  // namespace halfmark::tools
