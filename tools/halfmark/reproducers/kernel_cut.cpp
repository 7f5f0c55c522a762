// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/reproducers/kernel_cut.hpp"

#include <algorithm>
#include <cctype>
#include <sstream>
#include <utility>

namespace halfmark::tools {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::set<std::string> words_in(std::string_view text) {
  std::set<std::string> words;
  std::string word;
  for (const char c : text) {
    if (is_word(c)) {
      word += c;
    } else if (!word.empty()) {
      words.insert(std::exchange(word, {}));
    }
  }
  if (!word.empty()) words.insert(word);
  return words;
}

std::string word_at(std::string_view text, std::size_t start) {
  const auto* end =
      std::find_if_not(text.begin() + static_cast<std::ptrdiff_t>(start), text.end(), is_word);
  return {text.begin() + static_cast<std::ptrdiff_t>(start), end};
}

// A definition or a function: its text and the name that reaches it; pragmas are always reached.
struct Item {
  std::string name, text;
};

std::string without_comment(const std::string& line) { return line.substr(0, line.find("//")); }

bool blank(const std::string& line) { return line.find_first_not_of(" \t") == std::string::npos; }

// Block comments end where a line ends.
std::string without_block_comments(std::string text) {
  for (std::size_t at = text.find("/*"); at != std::string::npos; at = text.find("/*", at)) {
    const std::size_t end = text.find("*/", at);
    text.erase(at, end == std::string::npos ? end : end + 2 - at);
  }
  return text;
}

bool names_any(const std::string& condition, const std::set<std::string>& defined) {
  const std::set<std::string> words = words_in(condition);
  return std::any_of(words.begin(), words.end(),
                     [&](const std::string& word) { return defined.contains(word); });
}

// The lines that the preprocessor would keep, with the branches of #ifdef decided.
std::vector<std::string> live_lines(std::string_view text, const std::set<std::string>& defined) {
  std::istringstream stream{without_block_comments(std::string(text))};
  std::vector<bool> open;
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) {
    line = without_comment(line);
    const bool negated = line.starts_with("#ifndef ");
    if (line.starts_with("#if ")) {
      // Chooses among formats, which nothing that is cut needs, or asks for what is defined.
      for (std::string more; line.ends_with('\\') && std::getline(stream, more);) {
        line.back() = ' ';
        line += more;
      }
      open.push_back(names_any(line, defined));
    } else if (negated || line.starts_with("#ifdef ")) {
      open.push_back(defined.contains(word_at(line, negated ? 8 : 7)) != negated);
    } else if (line.starts_with("#else")) {
      open.back() = !open.back();
    } else if (line.starts_with("#endif")) {
      open.pop_back();
    } else if (!blank(line) && !line.starts_with("#line") &&
               std::find(open.begin(), open.end(), false) == open.end()) {
      lines.push_back(line);
    }
  }
  return lines;
}

std::vector<Item> items_of(const std::vector<std::string>& lines) {
  constexpr std::string_view kDefine = "#define ";
  std::vector<Item> items;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    Item item{.name = {}, .text = lines[i]};
    if (lines[i].starts_with(kDefine)) {
      item.name = word_at(lines[i], kDefine.size());
      while (item.text.ends_with('\\') && i + 1 < lines.size()) item.text += "\n" + lines[++i];
    } else if (!lines[i].starts_with("#")) {
      const std::size_t parenthesis = lines[i].find('(');
      std::size_t start = std::min(parenthesis, lines[i].size());
      while (start > 0 && is_word(lines[i][start - 1])) --start;
      item.name = word_at(lines[i], start);
      const bool whole = lines[i].ends_with('}') || lines[i].ends_with(';');
      while (!whole && i + 1 < lines.size()) {
        item.text += "\n" + lines[++i];
        if (lines[i] == "}") break;
      }
    }
    items.push_back(std::move(item));
  }
  return items;
}

using Word = std::pair<std::string, std::string>;  // a name, and what it stands for

// A definition without parameters, on one line; else an empty name.
Word plain_word(const Item& item) {
  constexpr std::size_t kDefine = 8;
  const std::size_t end = kDefine + item.name.size();
  const bool plain = item.text.starts_with("#define ") && item.text.size() > end &&
                     item.text[end] == ' ' && item.text.find('\n') == std::string::npos;
  return plain ? Word{item.name, item.text.substr(end + 1)} : Word{};
}

std::vector<Word> plain_words(const std::vector<Item>& items, const std::vector<bool>& kept) {
  std::vector<Word> words;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (Word word = plain_word(items[i]); kept[i] && !word.first.empty())
      words.push_back(std::move(word));
  }
  return words;
}

// A function; a definition of several lines stays as it is.
std::string on_one_line(const std::string& text) {
  if (text.starts_with('#')) return text;
  std::string line;
  for (const char c : text) {
    const bool space = c == '\n' || c == ' ';
    if (!space) line += c;
    if (space && !line.ends_with(' ')) line += ' ';
  }
  return line;
}

// Whole words only; what a word stands for may hold further ones.
std::string substituted(std::string_view text, const std::vector<Word>& words, int depth = 4) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    const std::string word = word_at(text, i);
    if (word.empty()) {
      result += text[i++];
      continue;
    }
    i += word.size();
    const auto found =
        std::find_if(words.begin(), words.end(), [&](const Word& w) { return w.first == word; });
    const bool known = found != words.end() && depth > 0;
    result += known ? substituted(found->second, words, depth - 1) : word;
  }
  return result;
}

}  // namespace

std::vector<std::string> cut_kernel(std::string_view text, std::string_view root,
                                    const std::set<std::string>& defined) {
  const std::vector<Item> items = items_of(live_lines(text, defined));
  std::set<std::string> reached = words_in(root);
  std::vector<bool> kept(items.size(), false);
  for (bool grew = true; grew;) {
    grew = false;
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (items[i].text.starts_with("HM_KERNEL ")) continue;  // the root is the only kernel
      const bool always = items[i].text.starts_with("#pragma");
      if (kept[i] || !(always || reached.contains(items[i].name))) continue;
      kept[i] = grew = true;
      reached.merge(words_in(items[i].text));
    }
  }
  std::vector<std::string> result;
  const std::vector<std::pair<std::string, std::string>> plain = plain_words(items, kept);
  const auto append = [&](std::string_view part) {
    std::istringstream stream{substituted(part, plain)};
    for (std::string line; std::getline(stream, line);) result.push_back(line);
  };
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (kept[i] && plain_word(items[i]).first.empty()) append(on_one_line(items[i].text));
  }
  append(root);
  return result;
}

std::string function_named(std::string_view text, std::string_view name) {
  const std::size_t start = text.find("HM_KERNEL " + std::string(name) + "(");
  if (start == std::string_view::npos) return {};
  const std::size_t end = text.find("\n}", start);
  return std::string(text.substr(start, end + 2 - start));
}

}  // namespace halfmark::tools
