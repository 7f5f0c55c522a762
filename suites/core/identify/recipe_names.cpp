// SPDX-License-Identifier: Apache-2.0
#include "suites/core/identify/recipe_names.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "suites/core/identify/recipe_match.hpp"

namespace halfmark::suites {
namespace {

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> words(1);
  for (const char x : text) {
    if (x == separator) {
      words.emplace_back();
    } else {
      words.back() += x;
    }
  }
  return words;
}

}  // namespace

std::string name_of(const RecipePart& part, const Answers& answers) {
  return fmt::format("{}{}{}", part.word, part.word.empty() ? "" : ":", fmt::join(answers, "."));
}

std::optional<Answers> answers_in(std::string_view name, const RecipePart& part) {
  const std::string prefix = part.word.empty() ? "" : part.word + ":";
  for (const std::string& text : split(name, '+')) {
    if (!text.starts_with(prefix)) continue;
    Answers answers = split(std::string_view(text).substr(prefix.size()), '.');
    if (are_exact(answers)) return answers;
    bool listed = answers.size() == part.choices.size();
    for (std::size_t i = 0; listed && i < answers.size(); ++i)
      listed = std::ranges::count(part.choices[i], answers[i]) > 0;
    if (listed) return answers;
  }
  return std::nullopt;
}

std::vector<Answers> all_answers(const RecipePart& part) {
  std::vector<Answers> all(1);
  for (const Choice& choice : part.choices) {
    std::vector<Answers> longer;
    for (const Answers& begun : all) {
      for (const std::string& answer : choice) {
        longer.push_back(begun);
        longer.back().push_back(answer);
      }
    }
    all = std::move(longer);
  }
  return all;
}

}  // namespace halfmark::suites
