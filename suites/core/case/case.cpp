// SPDX-License-Identifier: Apache-2.0
#include "suites/core/case/case.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <iterator>
#include <limits>
#include <stdexcept>

#include "reference/text/visible.hpp"
#include "suites/core/case/errors.hpp"

namespace halfmark::suites {
namespace {

// Canonical decimal only: a leading zero or a sign would let two names denote one case.
bool parse_number(std::string_view text, std::uint64_t& value) {
  if (text.empty() || (text.size() > 1 && text.front() == '0')) return false;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size();
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool matches_letters(std::string_view letters, std::string_view token) {
  for (const char letter : letters) {
    if (token.empty() || token.front() != letter) return false;
    token.remove_prefix(1);
    const auto end = std::find_if_not(token.begin(), token.end(), is_digit);
    const auto length = static_cast<std::size_t>(end - token.begin());
    std::uint64_t value = 0;
    if (!parse_number(token.substr(0, length), value)) return false;
    token.remove_prefix(length);
  }
  return token.empty();
}

bool may_be_left_out(const Axis& axis) { return !axis.words.empty() && axis.words.front().empty(); }

std::string accepted(const Axis& axis) {
  if (may_be_left_out(axis)) {
    return fmt::format("left out or one of: {}", fmt::join(std::span(axis.words).subspan(1), ", "));
  }
  if (!axis.words.empty()) return fmt::format("one of: {}", fmt::join(axis.words, ", "));
  std::string form;
  for (const char letter : axis.letters) form += fmt::format("{}<number>", letter);
  return "of the form " + form;
}

bool accepts(const Axis& axis, std::string_view token) {
  if (!axis.letters.empty()) return matches_letters(axis.letters, token);
  return std::find(axis.words.begin(), axis.words.end(), token) != axis.words.end();
}

std::vector<std::string_view> split(std::string_view name) {
  std::vector<std::string_view> parts;
  while (true) {
    const auto dot = name.find('.');
    parts.push_back(name.substr(0, dot));
    if (dot == std::string_view::npos) return parts;
    name.remove_prefix(dot + 1);
  }
}

std::string grammar(std::string_view suite, std::span<const Axis> axes) {
  std::string form{suite};
  for (const Axis& axis : axes) {
    const std::string token = fmt::format(".<{}>", axis.name);
    form += may_be_left_out(axis) ? "[" + token + "]" : token;
  }
  return form + ".s<seed>";
}

// Whether the first token is one too many for the axes that need one, and no axis left takes it.
bool is_surplus(std::span<const Axis> axes, std::span<const std::string_view> named) {
  const auto needed = std::ranges::count_if(axes, std::not_fn(may_be_left_out));
  return std::ssize(named) > needed &&
         std::ranges::none_of(axes, [&](const Axis& axis) { return accepts(axis, named.front()); });
}

// One token for each axis: an empty one for what the name leaves out.
std::vector<std::string_view> with_omissions(std::span<const Axis> axes,
                                             std::span<const std::string_view> named) {
  std::vector<std::string_view> tokens;
  for (; !axes.empty(); axes = axes.subspan(1)) {
    const bool fits = !named.empty() && !named.front().empty() &&
                      (accepts(axes.front(), named.front()) || is_surplus(axes, named));
    if (may_be_left_out(axes.front()) && !fits) {
      tokens.emplace_back();
    } else if (!named.empty()) {
      tokens.push_back(named.front());
      named = named.subspan(1);
    }
  }
  tokens.insert(tokens.end(), named.begin(), named.end());
  return tokens;
}

}  // namespace

std::string_view Case::word(std::string_view axis) const {
  for (const Token& token : tokens) {
    if (token.axis == axis) return token.text;
  }
  throw std::logic_error(fmt::format("suite {} has no axis '{}'", suite, axis));
}

std::uint64_t Case::number(std::string_view axis, char letter) const {
  const std::string_view token = word(axis);
  const auto at = token.find(letter);
  if (at == std::string_view::npos) {
    throw std::logic_error(fmt::format("axis {} of suite {} has no '{}'", axis, suite, letter));
  }
  const auto* begin = token.data() + at + 1;
  const auto* end = std::find_if_not(begin, token.data() + token.size(), is_digit);
  std::uint64_t value = 0;
  std::from_chars(begin, end, value);
  return value;
}

std::string print_seedless(const Case& c) {
  std::string name = c.suite;
  for (const Token& token : c.tokens) {
    if (!token.text.empty()) name += "." + token.text;
  }
  return name;
}

std::string print(const Case& c) { return fmt::format("{}.s{}", print_seedless(c), c.seed); }

Case make_case(std::string_view suite, std::span<const Axis> axes,
               std::span<const std::string_view> tokens, std::uint64_t seed) {
  if (tokens.size() != axes.size()) {
    throw UsageError(fmt::format("case of suite '{}' has {} of {} parameters; write {}", suite,
                                 tokens.size(), axes.size(), grammar(suite, axes)));
  }
  Case made{.suite = std::string(suite), .tokens = {}, .seed = seed};
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (!accepts(axes[i], tokens[i])) {
      throw UsageError(fmt::format("'{}' is not a {} of suite '{}'; it must be {}",
                                   text::visible_line(tokens[i]), axes[i].name, suite,
                                   accepted(axes[i])));
    }
    made.tokens.push_back({std::string(axes[i].name), std::string(tokens[i])});
  }
  return made;
}

Case parse_case(std::string_view suite, std::span<const Axis> axes, std::string_view name) {
  std::vector<std::string_view> parts = split(name);
  std::uint64_t seed = 0;
  const std::string_view last = parts.back();
  if (parts.size() < 2 || last.size() < 2 || last.front() != 's' ||
      !parse_number(last.substr(1), seed)) {
    throw UsageError(fmt::format(
        "case name '{}' does not end in .s<seed>, a seed from 0 to {}; write {}",
        text::visible_line(name), std::numeric_limits<std::uint64_t>::max(), grammar(suite, axes)));
  }
  if (parts.front() != suite) {
    throw UsageError(
        fmt::format("case name '{}' is not of suite '{}'", text::visible_line(name), suite));
  }
  const std::span<const std::string_view> named(parts.data() + 1, parts.size() - 2);
  return make_case(suite, axes, with_omissions(axes, named), seed);
}

bool matches_glob(std::string_view glob, std::string_view name) {
  std::size_t g = 0;
  std::size_t n = 0;
  std::size_t star = std::string_view::npos;
  std::size_t resume = 0;
  while (n < name.size()) {
    if (g < glob.size() && (glob[g] == '?' || glob[g] == name[n])) {
      ++g, ++n;
    } else if (g < glob.size() && glob[g] == '*') {
      star = g++;
      resume = n;
    } else if (star != std::string_view::npos) {
      g = star + 1;
      n = ++resume;
    } else {
      return false;
    }
  }
  return std::all_of(glob.begin() + static_cast<std::ptrdiff_t>(g), glob.end(),
                     [](char c) { return c == '*'; });
}

}  // namespace halfmark::suites
