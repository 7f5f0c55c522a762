// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/reproducers/condition.hpp"

#include <cctype>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace halfmark::tools {
namespace {

class Condition {
 public:
  explicit Condition(Tokens tokens) : tokens_(std::move(tokens)) {}
  [[nodiscard]] bool holds() { return disjunction() != 0; }

 private:
  [[nodiscard]] bool next_is(std::string_view text) const {
    return at_ < tokens_.size() && is(tokens_[at_], text);
  }
  bool take(std::string_view text) {
    const bool taken = next_is(text);
    at_ += taken ? 1 : 0;
    return taken;
  }
  long disjunction() {
    long value = conjunction();
    while (take("||")) value = static_cast<long>((conjunction() != 0) | (value != 0));
    return value;
  }
  long conjunction() {
    long value = equality();
    while (take("&&")) value = static_cast<long>((equality() != 0) & (value != 0));
    return value;
  }
  long equality() {
    const long value = relation();
    return take("==") ? static_cast<long>(relation() == value) : value;
  }
  long relation() {
    const long value = product();
    if (take(">=")) return static_cast<long>(value >= product());
    return take(">") ? static_cast<long>(value > product()) : value;
  }
  long product() {
    for (long value = primary();;) {
      if (take("*")) {
        value *= primary();
      } else if (take("/")) {
        const long by = primary();
        value = by == 0 ? 0 : value / by;
      } else {
        return value;
      }
    }
  }
  long primary() {
    if (take("!")) return static_cast<long>(primary() == 0);
    if (take("(")) {
      const long value = disjunction();
      take(")");
      return value;
    }
    if (at_ == tokens_.size()) return 0;
    const std::string& text = tokens_[at_++].text;
    if (text == "__has_include" || text == "__has_builtin") {  // left to the vendor's compiler
      at_ = behind_bracket(tokens_, at_);
      return 1;
    }
    return std::isdigit(static_cast<unsigned char>(text[0])) != 0 ? std::stol(text, nullptr, 0) : 0;
  }

  Tokens tokens_;
  std::size_t at_ = 0;
};

}  // namespace

bool condition_holds(Tokens expanded) { return Condition(std::move(expanded)).holds(); }

}  // namespace halfmark::tools
