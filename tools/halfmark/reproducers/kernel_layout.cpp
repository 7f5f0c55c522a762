// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tools/halfmark/reproducers/kernel_cut.hpp"

namespace halfmark::tools {
namespace {

constexpr std::size_t kIndent = 2;

// Lays out one statement per line.
class Statements {
 public:
  void add(const Tokens& tokens) {
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const Token& token = tokens[i];
      const bool opens_block = is(token, "{") && is_block(tokens, i);
      const bool closes_block = is(token, "}") && brackets_ == 0;
      if (closes_block) {
        end_line();
        --depth_;
      }
      if (line_.empty()) line_ = std::string(depth_ * kIndent, ' ');
      if (line_.find_first_not_of(' ') == std::string::npos) {
        line_ += token.text;
      } else {
        append(line_, token);
      }
      if (!opens_block && !closes_block)
        brackets_ += is_one_of(token, "([{") ? 1 : is_one_of(token, ")]}") ? -1 : 0;
      depth_ += opens_block ? 1 : 0;
      const bool goes_on =
          i + 1 < tokens.size() && (is(tokens[i + 1], "else") || is(tokens[i + 1], ";"));
      const bool ends = opens_block || is(token, ";") || (closes_block && !goes_on);
      if (brackets_ == 0 && ends) end_line();
    }
    end_line();
  }
  [[nodiscard]] std::vector<std::string> lines() { return std::move(lines_); }

 private:
  // Otherwise the brace opens an initialiser.
  [[nodiscard]] bool is_block(const Tokens& tokens, std::size_t i) const {
    return brackets_ == 0 && i > 0 &&
           (is(tokens[i - 1], ")") || is(tokens[i - 1], "else") || is(tokens[0], "struct"));
  }
  void end_line() {
    if (!line_.empty()) lines_.push_back(std::exchange(line_, {}));
  }

  std::vector<std::string> lines_;
  std::string line_;
  std::size_t depth_ = 0;
  int brackets_ = 0;
};

// Splits a line that is too long by itself at the last space that fits, outside strings.
void append_divided(std::vector<std::string>& lines, std::string line, std::size_t columns) {
  while (line.size() > columns) {
    std::size_t end = std::string::npos;
    bool in_string = false;
    for (std::size_t i = 0; i < columns; ++i) {
      in_string = in_string != (line[i] == '"');
      if (line[i] == ' ' && !in_string && i > kIndent) end = i;
    }
    if (end == std::string::npos) break;
    lines.push_back(line.substr(0, end));
    line.replace(0, end + 1, kIndent, ' ');
  }
  lines.push_back(std::move(line));
}

}  // namespace

std::vector<std::string> statement_lines(const KernelText& kernel) {
  Statements statements;
  for (const Function& function : kernel.functions) statements.add(function.tokens);
  return statements.lines();
}

namespace {

std::vector<std::string> lines_of(const Function& function) {
  Statements statements;
  statements.add(function.tokens);
  return statements.lines();
}

void append_filled(std::vector<std::string>& lines, const Function& function, std::size_t columns) {
  bool starts = true;
  for (const std::string& statement : lines_of(function)) {
    const std::string text = statement.substr(statement.find_first_not_of(' '));
    if (!starts && lines.back().size() + 1 + text.size() <= columns) {
      lines.back() += " " + text;
    } else {
      append_divided(lines, starts ? text : "  " + text, columns);
    }
    starts = false;
  }
}

// Whether a function is no kernel, so that a kernel can follow it.
bool is_helper(const Function& function) {
  const Tokens start =
      part_of(function.tokens, 0, std::min<std::size_t>(3, function.tokens.size()));
  return uses(start, kFunctionWord) || uses(start, "inline") || function.tokens.back().text == ";";
}

}  // namespace

std::vector<std::string> filled_lines(const KernelText& kernel, std::size_t columns,
                                      Helpers helpers) {
  constexpr std::size_t kBlockColumns = 1400;
  std::vector<std::string> lines, kernels;
  for (const Function& function : kernel.functions) {
    if (helpers == Helpers::kFilled) {
      append_filled(lines, function, columns);
    } else if (!is_helper(function)) {
      append_filled(kernels, function, columns);
    } else {
      std::vector<std::string> own;
      append_filled(own, function, std::string::npos);
      const bool joins = helpers == Helpers::kBlock && !lines.empty() &&
                         lines.back().size() + own.at(0).size() < kBlockColumns;
      if (joins) {
        lines.back() += " " + own.at(0);
      } else {
        lines.push_back(own.at(0));
      }
    }
  }
  lines.insert(lines.end(), kernels.begin(), kernels.end());
  return lines;
}

}  // namespace halfmark::tools
