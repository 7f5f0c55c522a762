// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/reproducers/kernel_cut.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace halfmark::tools {
namespace {

// The index of the bracket that opens the parameters: the last one before the body.
std::size_t parameters_at(const Tokens& tokens) {
  std::size_t open = tokens.size();
  for (std::size_t i = 0; i < tokens.size() && !is(tokens[i], "{"); ++i) {
    if (!is(tokens[i], "(")) continue;
    open = i;
    i = behind_bracket(tokens, i) - 1;
  }
  return open;
}

// For a function, the name in front of its parameters; for a declaration, the name in front of its
// extent, initialiser or body, and of its attributes.
std::string name_of(const Tokens& item, bool is_function) {
  if (is_function) return item.at(parameters_at(item) - 1).text;
  auto end = std::ranges::find_if(
      item, [](const Token& t) { return is(t, "[") || is(t, "=") || is(t, "{") || is(t, ";"); });
  if (end != item.begin() && is(*std::prev(end), ")"))
    end = std::ranges::find(item, "__attribute__", &Token::text);
  return end == item.begin() ? std::string() : std::prev(end)->text;
}

std::vector<Function> items_of(const Tokens& tokens) {
  std::vector<Function> items;
  for (std::size_t start = 0; start < tokens.size();) {
    std::size_t end = start;
    bool is_function = false;
    while (end < tokens.size() && !is(tokens[end], ";") && !is_function) {
      const bool opens = is(tokens[end], "{") || is(tokens[end], "(") || is(tokens[end], "[");
      is_function = is(tokens[end], "{") && !is(tokens[start], "struct") && end > start &&
                    is(tokens[end - 1], ")");
      end = opens ? behind_bracket(tokens, end) : end + 1;
    }
    end += is_function || end == tokens.size() ? 0u : 1u;
    Tokens item = part_of(tokens, start, end);
    std::string name = name_of(item, is_function);
    items.push_back({std::move(name), std::move(item)});
    start = end;
  }
  return items;
}

// The items that `entry` uses, directly or indirectly, in order.
std::vector<Function> reached(const std::vector<Function>& items, std::string_view entry) {
  std::vector<Function> kept;
  const auto root = std::ranges::find(items, entry, &Function::name);
  if (root == items.end()) return kept;
  std::set<std::string_view> used = {root->name};
  for (auto next = std::next(root); next != items.begin();) {
    const Function& item = *--next;
    if (!used.contains(item.name)) continue;
    kept.push_back(item);
    for (const Token& token : item.tokens) used.insert(token.text);
  }
  std::ranges::reverse(kept);
  return kept;
}

std::vector<Tokens> split_at_commas(const Tokens& tokens, std::size_t open, std::size_t end) {
  std::vector<Tokens> parts(1);
  for (std::size_t i = open + 1; i + 1 < end;) {
    const bool opens = is(tokens[i], "(") || is(tokens[i], "[");
    const std::size_t next = opens ? behind_bracket(tokens, i) : i + 1;
    if (is(tokens[i], ",")) {
      parts.emplace_back();
    } else {
      const Tokens more = part_of(tokens, i, next);
      parts.back().insert(parts.back().end(), more.begin(), more.end());
    }
    i = next;
  }
  return parts;
}

// A function whose body is a single expression.
struct Expression {
  std::vector<std::string> parameters;
  Tokens tokens;
  bool is_value = true;  // else a statement
};

std::optional<Expression> expression_of(const Function& function) {
  const Tokens& all = function.tokens;
  const std::size_t open = parameters_at(all);
  const bool helps = uses(part_of(all, 0, std::min<std::size_t>(2, all.size())), "inline") ||
                     (!all.empty() && is(all[0], kFunctionWord));
  if (!helps || open == all.size()) return std::nullopt;
  const std::size_t body = behind_bracket(all, open);
  Tokens inside = part_of(all, body + 1, all.size() - 1);
  if (std::ranges::count(inside, ";", &Token::text) != 1 || !is(inside.back(), ";") ||
      std::ranges::count(inside, "{", &Token::text) != 0 || is(inside[0], "if"))
    return std::nullopt;
  inside.pop_back();
  Expression made;
  made.is_value = is(inside[0], "return");
  made.tokens = part_of(inside, made.is_value ? 1 : 0, inside.size());
  for (const Tokens& parameter : split_at_commas(all, open, body))
    made.parameters.push_back(parameter.back().text);
  return made;
}

// An argument of more than one token must not be evaluated twice.
bool takes(const Expression& e, const std::vector<Tokens>& arguments) {
  for (std::size_t i = 0; i < arguments.size() && i < e.parameters.size(); ++i) {
    if (arguments[i].size() > 1 && std::ranges::count(e.tokens, e.parameters[i], &Token::text) > 1)
      return false;
  }
  return true;
}

void append_in_brackets(Tokens& to, const Tokens& tokens, bool spaced) {
  to.push_back({"(", spaced});
  to.insert(to.end(), tokens.begin(), tokens.end());
  to.push_back({")"});
}

Tokens with_arguments(const Expression& e, const std::vector<Tokens>& arguments, bool spaced) {
  Tokens made;
  for (const Token& token : e.tokens) {
    const auto found = std::ranges::find(e.parameters, token.text);
    if (found == e.parameters.end()) {
      made.push_back(token);
    } else {
      Tokens argument = arguments.at(static_cast<std::size_t>(found - e.parameters.begin()));
      argument.at(0).spaced = false;
      append_in_brackets(made, argument, token.spaced);
    }
  }
  if (made.empty()) return made;
  made[0].spaced = spaced;
  if (!e.is_value || is_primary(made)) return made;
  made[0].spaced = false;
  Tokens bracketed;
  append_in_brackets(bracketed, made, spaced);
  return bracketed;
}

Tokens with_expressions(const Tokens& tokens, const std::map<std::string, Expression>& known) {
  Tokens made;
  for (std::size_t i = 0; i < tokens.size();) {
    const auto found = known.find(tokens[i].text);
    const bool calls = i + 1 < tokens.size() && is(tokens[i + 1], "(");
    if (found == known.end() || !calls) {
      made.push_back(tokens[i++]);
      continue;
    }
    const std::size_t end = behind_bracket(tokens, i + 1);
    std::vector<Tokens> arguments = split_at_commas(tokens, i + 1, end);
    for (Tokens& argument : arguments) argument = with_expressions(argument, known);
    if (takes(found->second, arguments)) {
      const Tokens put = with_arguments(found->second, arguments, tokens[i].spaced);
      made.insert(made.end(), put.begin(), put.end());
    } else {
      made.push_back(tokens[i]);
      made.push_back(tokens[i + 1]);
      const Tokens inside = with_expressions(part_of(tokens, i + 2, end), known);
      made.insert(made.end(), inside.begin(), inside.end());
    }
    i = end;
  }
  return made;
}

bool is_type(const Token& token) {
  static const std::set<std::string> kTypes = {
      "float",  "int",  "uint", "unsigned", "char",      "ushort",   "ulong",
      "double", "half", "long", "HM_HALF",  "hm_half_t", "_Float16", "HM_U64"};
  return kTypes.contains(token.text);
}

bool is_number(const Token& token) {
  return std::isdigit(static_cast<unsigned char>(token.text[0])) != 0;
}

// A negative number, or a cast such as "(int)" of a name, call or number.
bool is_unary(const Tokens& inside) {
  if (inside.size() == 1 && inside[0].text.size() > 1 && inside[0].text[0] == '-') return true;
  return inside.size() > 3 && is(inside[0], "(") && is_type(inside[1]) && is(inside[2], ")") &&
         is_primary(part_of(inside, 3, inside.size()));
}

// Whether "static_cast<int>" ends before `end`.
bool ends_cast(const Tokens& tokens, std::size_t end) {
  std::size_t at = end;
  while (at > 0 && end - at < 4 && !is(tokens[at - 1], "<")) --at;
  return is(tokens[end - 1], ">") && at > 1 && tokens[at - 2].text.ends_with("_cast");
}

// Whether the brackets can be removed without changing the meaning: "= (a + b);", "(a) + b", "f((a
// + b))".
bool is_spare(const Tokens& tokens, std::size_t open, std::size_t end) {
  if (open == 0 || end == tokens.size()) return false;
  const Token& before = tokens[open - 1];
  const Token& behind = tokens[end];
  const bool attribute =
      is(before, "(") && open > 1 && tokens[open - 2].text.starts_with("__attribute");
  if (attribute) return false;
  const bool starts = is_one_of(before, "=(,[;{}") || is(before, "return");
  if (starts && is_one_of(behind, ";,)]")) return true;
  const bool is_call = is_name(before) || before.text[0] == '"' || ends_cast(tokens, open);
  const bool is_cast = is_name(behind) || is(behind, "(") || is_number(behind);
  if (is_call || is_cast) return false;
  const Tokens inside = part_of(tokens, open + 1, end - 1);
  const bool postfix = is_one_of(behind, "[.") || is(behind, "->");
  return (is_primary(inside) && !is_type(inside[0])) || (is_unary(inside) && !postfix);
}

Tokens without_spare_brackets(Tokens tokens) {
  for (std::size_t i = 0; i < tokens.size();) {
    const std::size_t end = is(tokens[i], "(") ? behind_bracket(tokens, i) : 0;
    if (end == 0 || !is_spare(tokens, i, end)) {
      ++i;
      continue;
    }
    tokens[i + 1].spaced = tokens[i].spaced;
    tokens.erase(tokens.begin() + static_cast<std::ptrdiff_t>(end) - 1);
    tokens.erase(tokens.begin() + static_cast<std::ptrdiff_t>(i));
  }
  return tokens;
}

}  // namespace

KernelText cut_kernel(std::string_view text, std::string_view entry,
                      const std::map<std::string, std::string>& definitions) {
  Preprocessed whole = preprocess(text, definitions);
  std::map<std::string, Expression> known;
  std::vector<Function> items = items_of(whole.tokens);
  for (Function& item : items) {
    item.tokens = without_spare_brackets(with_expressions(item.tokens, known));
    if (auto expression = expression_of(item)) known.emplace(item.name, std::move(*expression));
  }
  KernelText cut{.directives = std::move(whole.directives), .functions = reached(items, entry)};
  const bool has_helpers = std::ranges::any_of(
      cut.functions, [](const Function& f) { return uses(f.tokens, kFunctionWord); });
  if (has_helpers && !whole.function_words.empty()) {
    std::string line = "#define " + std::string(kFunctionWord);
    for (const Token& token : whole.function_words) append(line, token);
    cut.directives.push_back(line);
  }
  return cut;
}

}  // namespace halfmark::tools
