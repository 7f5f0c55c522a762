// SPDX-License-Identifier: Apache-2.0
// The text of a C-like language as tokens. Decides where a token ends; knows no grammar
// except brackets.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace halfmark::tools {

struct Token {
  std::string text;
  bool spaced = false;  // preceded by white space
  bool operator==(const Token&) const = default;
};
using Tokens = std::vector<Token>;

[[nodiscard]] Tokens tokens_of(std::string_view text);
[[nodiscard]] bool is_name(const Token& token);
[[nodiscard]] inline bool is(const Token& token, std::string_view text) {
  return token.text == text;
}
/// Whether the token is one of these characters.
[[nodiscard]] bool is_one_of(const Token& token, std::string_view list);
[[nodiscard]] bool uses(const Tokens& tokens, std::string_view name);
/// The tokens from `from` to before `to`.
[[nodiscard]] Tokens part_of(const Tokens& tokens, std::size_t from, std::size_t to);
/// The index after the bracket that closes the one at `open`; the end if none does.
[[nodiscard]] std::size_t behind_bracket(const Tokens& tokens, std::size_t open);
/// Whether no operator beside it can split it: a name or a number, with calls, indices and members.
[[nodiscard]] bool is_primary(const Tokens& tokens);
/// Adds the token with the white space before it, unless the line is empty or ends in "(" or "[".
void append(std::string& line, const Token& token);

}  // namespace halfmark::tools
