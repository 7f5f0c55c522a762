// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/reproducers/preprocess.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <memory>
#include <ranges>
#include <set>
#include <utility>

#include "tools/halfmark/reproducers/condition.hpp"
#include "tools/halfmark/reproducers/no_program.hpp"

namespace halfmark::tools {
namespace {

// The text without comments, with lines joined that end in a backslash. Strings contain neither.
std::string plain_text(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size();) {
    if (text.substr(i, 2) == "//") {
      i = std::min(text.find('\n', i), text.size());
    } else if (text.substr(i, 2) == "/*") {
      i = std::min(text.find("*/", i), text.size() - 2) + 2;
      plain += ' ';
    } else if (text.substr(i, 2) == "\\\n") {
      i += 2;
    } else {
      plain += text[i++];
    }
  }
  return plain;
}

struct Macro {
  bool takes_arguments = false;
  std::vector<std::string> parameters;
  Tokens body;
};
constexpr std::string_view kAsFloat = "HM_U2F";
constexpr std::string_view kKept = "HM_FN";

using Macros = std::map<std::string, Macro>;

// Names of macros. Most tokens share theirs with their neighbours; null: none.
using Names = std::shared_ptr<const std::set<std::string>>;

bool contain(const Names& names, const std::string& name) {
  return names != nullptr && names->contains(name);
}

Names with(const Names& names, const std::string& name) {
  std::set<std::string> more = names == nullptr ? std::set<std::string>() : *names;
  more.insert(name);
  return std::make_shared<const std::set<std::string>>(std::move(more));
}

Names united(const Names& some, const Names& others) {
  if (others == nullptr || some == others) return some;
  if (some == nullptr || std::ranges::includes(*others, *some)) return others;
  std::set<std::string> all = *some;
  all.insert(others->begin(), others->end());
  return std::make_shared<const std::set<std::string>>(std::move(all));
}

// A token and the macros that produced it, which are not expanded in it again.
struct Source {
  Token token;
  Names hidden;
};
using Sources = std::vector<Source>;

Sources sources_of(const Tokens& tokens, const Names& hidden) {
  Sources list;
  list.reserve(tokens.size());
  for (const Token& token : tokens) list.push_back({token, hidden});
  return list;
}

// Removes casts of a parameter, "(float)(a)", from a definition: in these texts arguments already
// have the right type.
Tokens without_casts(const Tokens& body, const std::vector<std::string>& parameters) {
  static const std::set<std::string> kTypes = {"float",    "int",    "uint",
                                               "unsigned", "ushort", "half"};
  Tokens kept;
  for (std::size_t i = 0; i < body.size(); ++i) {
    // After a name, the brackets are a call's: `PACK(uint)(x)`.
    const bool is_call = i > 0 && is_name(body[i - 1]) && !is(body[i - 1], "return");
    const bool casts = !is_call && i + 5 < body.size() && is(body[i], "(") &&
                       kTypes.contains(body[i + 1].text) && is(body[i + 2], ")") &&
                       is(body[i + 3], "(") && is(body[i + 5], ")") &&
                       std::ranges::count(parameters, body[i + 4].text) == 1;
    if (casts) {
      Token open = body[i + 3];
      open.spaced = body[i].spaced;
      kept.push_back(open);
      i += 3;
    } else {
      kept.push_back(body[i]);
    }
  }
  return kept;
}

class Expansion {
 public:
  explicit Expansion(const Macros& macros) : macros_(macros) {}

  [[nodiscard]] Tokens of(const Tokens& tokens) const {
    Tokens result;
    for (Source& source : expanded(sources_of(tokens, {})))
      result.push_back(std::move(source.token));
    return result;
  }

 private:
  [[nodiscard]] Sources expanded(Sources input) const {
    Sources output;
    std::reverse(input.begin(), input.end());  // the next token is the last
    while (!input.empty()) {
      Source next = std::move(input.back());
      input.pop_back();
      if (!replaces(next, input)) output.push_back(std::move(next));
    }
    return output;
  }

  // Replaces a macro: puts its expansion in front of the rest of the input.
  bool replaces(const Source& next, Sources& input) const {
    const auto found = macros_.find(next.token.text);
    if (found == macros_.end() || found->first == kKept || contain(next.hidden, found->first))
      return false;
    const Macro& macro = found->second;
    std::vector<Sources> arguments;
    if (macro.takes_arguments) {
      if (input.empty() || !is(input.back().token, "(")) return false;
      arguments = taken_arguments(input);
    }
    if (next.token.text == kAsFloat && writes_number(next, arguments, input)) return true;
    Sources made = substituted(macro, arguments, with(next.hidden, next.token.text));
    if (!made.empty()) made.front().token.spaced = next.token.spaced;
    std::ranges::move(std::views::reverse(made), std::back_inserter(input));
    return true;
  }

  // Replaces HM_U2F of a constant by the number.
  bool writes_number(const Source& next, const std::vector<Sources>& arguments,
                     Sources& input) const {
    const Sources bits = expanded(arguments.at(0));
    if (bits.size() != 1 || !bits[0].token.text.starts_with("0x")) return false;
    const auto value = std::bit_cast<float>(
        static_cast<std::uint32_t>(std::stoul(bits[0].token.text, nullptr, 16)));
    if (!std::isfinite(value)) return false;
    input.push_back({{fmt::format("{:a}f", value), next.token.spaced}, next.hidden});
    return true;
  }

  static std::vector<Sources> taken_arguments(Sources& input) {
    std::vector<Sources> arguments(1);
    int depth = 0;
    while (!input.empty()) {
      Source next = std::move(input.back());
      input.pop_back();
      const std::string& text = next.token.text;
      const bool opens = text == "(";
      const bool closes = text == ")";
      depth += opens ? 1 : closes ? -1 : 0;
      if (depth == 0) break;
      if (opens && depth == 1) continue;
      if (text == "," && depth == 1) {
        arguments.emplace_back();
      } else {
        arguments.back().push_back(std::move(next));
      }
    }
    for (Sources& argument : arguments) {
      if (!argument.empty()) argument.front().token.spaced = false;
    }
    return arguments;
  }

  [[nodiscard]] Sources substituted(const Macro& macro, const std::vector<Sources>& arguments,
                                    const Names& hidden) const {
    Sources made;
    for (std::size_t i = 0; i < macro.body.size(); ++i) {
      const Token& token = macro.body[i];
      const bool pastes = is(token, "##");
      const bool pasted = pastes || (i + 1 < macro.body.size() && is(macro.body[i + 1], "##"));
      const Token& part = pastes ? macro.body[++i] : token;
      Sources parts = sources_of({part}, hidden);
      const auto at = std::ranges::find(macro.parameters, part.text);
      if (at != macro.parameters.end()) {
        const auto place = static_cast<std::size_t>(at - macro.parameters.begin());
        parts = place < arguments.size() ? arguments[place] : Sources{};
        if (!pasted) parts = expanded(std::move(parts));
        for (Source& source : parts) source.hidden = united(source.hidden, hidden);
        if (!parts.empty()) parts.front().token.spaced = part.spaced;
      }
      if (pastes && !made.empty() && !parts.empty()) {
        made.back().token.text += parts.front().token.text;
        parts.erase(parts.begin());
      }
      std::ranges::move(parts, std::back_inserter(made));
    }
    return made;
  }

  const Macros& macros_;
};

// From an #if to its #endif: whether this alternative is taken, and whether any was so far.
struct Branch {
  bool is_open = false, was_taken = false;
};

class Preprocessor {
 public:
  explicit Preprocessor(const std::map<std::string, std::string>& definitions) {
    for (const auto& [name, value] : definitions)
      macros_[name] = {.takes_arguments = false, .parameters = {}, .body = tokens_of(value)};
  }

  [[nodiscard]] Preprocessed of(std::string_view text) {
    const std::string plain = plain_text(text);
    for (std::size_t start = 0; start < plain.size();) {
      const std::size_t end = std::min(plain.find('\n', start), plain.size());
      take_line(plain.substr(start, end - start));
      start = end + 1;
    }
    flush();
    return std::move(result_);
  }

 private:
  void take_line(const std::string& line) {
    const std::size_t first = line.find_first_not_of(' ');
    if (first != std::string::npos && line[first] == '#') {
      take_directive(line.substr(first + 1));
    } else if (is_open()) {
      code_ += line + "\n";
    }
  }

  void take_directive(const std::string& line) {
    const Tokens tokens = tokens_of(line);
    if (tokens.empty()) return;
    const std::string& word = tokens[0].text;
    const Tokens rest(tokens.begin() + 1, tokens.end());
    if (takes_branch(word, rest) || !is_open() || word == "line") return;
    flush();
    if (word == "define") {
      define(line.substr(line.find("define") + 6));
    } else if (word == "undef") {
      macros_.erase(rest.at(0).text);
    } else if (word == "pragma" || word == "include") {
      result_.directives.push_back("#" + line);
    } else {
      throw NoProgram{
          fmt::format("its kernel's text has a directive that is not known: #{}", word)};
    }
  }

  // Whether the directive opens or ends a branch. A condition that decides nothing is not read: one
  // inside a closed branch, or behind an alternative that was taken.
  bool takes_branch(const std::string& word, const Tokens& rest) {
    if (word == "if") {
      open_if(is_open() && holds(rest));
    } else if (word == "ifdef" || word == "ifndef") {
      open_if(is_open() && is_defined(rest) == (word == "ifdef"));
    } else if (word == "elif" || word == "else") {
      const bool was_taken = branches_.back().was_taken;
      branches_.pop_back();
      open_if(!was_taken && is_open() && (word == "else" || holds(rest)));
      branches_.back().was_taken |= was_taken;
    } else if (word == "endif") {
      branches_.pop_back();
    } else {
      return false;
    }
    return true;
  }
  void open_if(bool opens) { branches_.push_back({.is_open = opens, .was_taken = opens}); }

  // "(" starts the parameters of a macro only if it directly follows the name.
  void define(const std::string& text) {
    Tokens tokens = tokens_of(text);
    const std::string name = tokens.at(0).text;
    Macro macro;
    std::size_t body = 1;
    macro.takes_arguments = tokens.size() > 1 && is(tokens[1], "(") && !tokens[1].spaced;
    if (macro.takes_arguments) {
      body = behind_bracket(tokens, 1);
      for (std::size_t i = 2; i + 1 < body; ++i) {
        if (is_name(tokens[i])) macro.parameters.push_back(tokens[i].text);
      }
    }
    tokens.erase(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(body));
    if (name == kKept) result_.function_words = tokens;
    macro.body = without_casts(tokens, macro.parameters);
    macros_[name] = std::move(macro);
  }

  [[nodiscard]] bool holds(const Tokens& condition) const {
    Tokens asked;
    for (std::size_t i = 0; i < condition.size(); ++i) {
      if (!is(condition[i], "defined")) {
        asked.push_back(condition[i]);
        continue;
      }
      const bool bracketed = i + 1 < condition.size() && is(condition[i + 1], "(");
      i += bracketed ? 2 : 1;
      asked.push_back({macros_.contains(condition.at(i).text) ? "1" : "0"});
      i += bracketed ? 1 : 0;
    }
    return condition_holds(Expansion(macros_).of(asked));
  }
  [[nodiscard]] bool is_defined(const Tokens& rest) const {
    return macros_.contains(rest.at(0).text);
  }
  [[nodiscard]] bool is_open() const { return std::ranges::all_of(branches_, &Branch::is_open); }
  // Expands the text read so far, with the definitions that precede it.
  void flush() {
    Tokens made = Expansion(macros_).of(tokens_of(code_));
    if (!made.empty()) made.front().spaced = !result_.tokens.empty();
    result_.tokens.insert(result_.tokens.end(), made.begin(), made.end());
    code_.clear();
  }

  Macros macros_;
  std::vector<Branch> branches_;
  std::string code_;
  Preprocessed result_;
};

}  // namespace

Preprocessed preprocess(std::string_view text,
                        const std::map<std::string, std::string>& definitions) {
  return Preprocessor(definitions).of(text);
}

}  // namespace halfmark::tools
