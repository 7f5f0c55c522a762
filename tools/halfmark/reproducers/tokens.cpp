// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/reproducers/tokens.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

namespace halfmark::tools {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

// The end of the token at `start`, which is not white space.
std::size_t end_of_token(std::string_view text, std::size_t start) {
  std::size_t end = start + 1;
  if (text[start] == '"') {
    while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2u : 1u;
    return std::min(end + 1, text.size());
  }
  if (is_word(text[start])) {
    const bool is_number = std::isdigit(static_cast<unsigned char>(text[start])) != 0;
    const auto goes_on = [&](std::size_t i) {
      const char before = text[i - 1];
      const bool exponent = text.substr(start, 2) == "0x" ? before == 'p' : before == 'e';
      return is_word(text[i]) ||
             (is_number && (text[i] == '.' || (exponent && (text[i] == '-' || text[i] == '+'))));
    };
    while (end < text.size() && goes_on(end)) ++end;
    return end;
  }
  static constexpr std::string_view kLong[] = {
      "<<=", ">>=", "##", "<<", ">>", "<=", ">=", "==", "!=", "&&",
      "||",  "+=",  "-=", "*=", "/=", "|=", "++", "--", "->", "::"};
  for (const std::string_view punctuator : kLong) {
    if (text.substr(start, punctuator.size()) == punctuator) return start + punctuator.size();
  }
  return end;
}

}  // namespace

Tokens tokens_of(std::string_view text) {
  Tokens tokens;
  bool spaced = false;
  for (std::size_t i = 0; i < text.size();) {
    if (is_space(text[i])) {
      spaced = true;
      ++i;
      continue;
    }
    const std::size_t end = end_of_token(text, i);
    tokens.push_back({std::string(text.substr(i, end - i)), std::exchange(spaced, false)});
    i = end;
  }
  return tokens;
}

bool is_name(const Token& token) {
  return is_word(token.text[0]) && std::isdigit(static_cast<unsigned char>(token.text[0])) == 0;
}

std::size_t behind_bracket(const Tokens& tokens, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < tokens.size(); ++i) {
    const char c = tokens[i].text[0];
    depth += c == '(' || c == '[' || c == '{' ? 1 : c == ')' || c == ']' || c == '}' ? -1 : 0;
    if (depth == 0) return i + 1;
  }
  return tokens.size();
}

bool is_primary(const Tokens& tokens) {
  if (tokens.empty() || !is_word(tokens[0].text[0])) return false;
  std::size_t i = 1;
  while (i < tokens.size()) {
    if (is(tokens[i], "(") || is(tokens[i], "[")) {
      i = behind_bracket(tokens, i);
    } else if (is(tokens[i], ".") || is(tokens[i], "->")) {
      i += 2;
    } else {
      return false;
    }
  }
  return true;
}

void append(std::string& line, const Token& token) {
  const bool opened = line.ends_with('(') || line.ends_with('[');
  if (token.spaced && !opened && !line.empty()) line += ' ';
  line += token.text;
}

Tokens part_of(const Tokens& tokens, std::size_t from, std::size_t to) {
  const auto at = [&](std::size_t i) { return tokens.begin() + static_cast<std::ptrdiff_t>(i); };
  return {at(from), at(to)};
}

bool is_one_of(const Token& token, std::string_view list) {
  return token.text.size() == 1 && list.find(token.text[0]) != std::string_view::npos;
}

bool uses(const Tokens& tokens, std::string_view name) {
  return std::ranges::find(tokens, name, &Token::text) != tokens.end();
}

}  // namespace halfmark::tools
