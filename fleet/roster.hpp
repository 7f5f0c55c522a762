// SPDX-License-Identifier: Apache-2.0
// The roster: the nodes that ought to answer, and how many devices each has. A text file with one
// node in each line, "NODE" or "NODE DEVICES"; text after '#' is a comment.
#pragma once

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>

namespace halfmark::fleet {

/// One line that names the line of the roster and the remedy.
struct RosterError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Roster {
  /// Node -> devices; 0: any number, but at least one.
  std::map<std::string, std::uint64_t> nodes;
};

/// Throws RosterError.
[[nodiscard]] Roster parse_roster(std::string_view text);

/// Letters, digits, '.', '_' and '-', not first: such a name may go into commands and paths.
[[nodiscard]] bool is_plain_name(std::string_view name);

}  // namespace halfmark::fleet
