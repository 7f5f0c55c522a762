// SPDX-License-Identifier: Apache-2.0
// What the data of level smoke can show: for each operation, format and provider of a library,
// which known mistakes of the operator would change a result of at least one case beyond what its
// rule allows. A mistake that no case shows would pass. Computed from the suites' own mistakes on
// the expected results, without a device. SENSITIVITY.md holds the table; HALFMARK_UPDATE_GOLDEN=1
// rewrites it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cctype>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "suites/core/judge/judge.hpp"
#include "suites/registry.hpp"

namespace halfmark::suites {
namespace {

constexpr std::size_t kMostElements = 1u << 16;
constexpr std::string_view kPlace = HM_SENSITIVITY;
constexpr std::string_view kHead =
    R"(# What the data can show

For each operation, format and library provider: how many of the known mistakes of the operator, each family of numbered ones
counted once, would change a result of a case of level `smoke` beyond what its rule allows, and which would not. `N` stands for
every number. A mistake that no case shows is found only at a higher level, or not at all. Written by `sensitivity_test`, which
fails when the table is not what the cases show. Left out are outputs of more than 65,536 elements and mistakes that occur only
occasionally.

| operation | shown | not shown |
|---|---|---|
)";

// The words of a case's name through its provider.
std::string group_of(const Case& c) {
  const std::string name = print(c);
  const std::string provider = "." + std::string(c.word("provider"));
  return name.substr(0, name.find(provider + ".") + provider.size());
}

bool is_number(std::string_view word) {
  return !word.empty() && std::ranges::all_of(word, [](char letter) {
    return std::isdigit(static_cast<unsigned char>(letter)) != 0 || letter == '.';
  });
}

// The name of a mistake with N for each number.
std::string family_of(std::string_view name) {
  std::string family;
  while (true) {
    const std::size_t end = std::min(name.find('-'), name.size());
    family += is_number(name.substr(0, end)) ? "N" : name.substr(0, end);
    if (end == name.size()) return family;
    family += '-';
    name.remove_prefix(end + 1);
  }
}

struct Group {
  std::set<std::string> known, seen;  // families

  [[nodiscard]] std::string row(const std::string& name) const {
    std::string text = fmt::format("| `{}` | {} of {} | ", name, seen.size(), known.size());
    for (const std::string& family : known) {
      if (!seen.contains(family)) text += family + " ";
    }
    return text + "|\n";
  }
};

bool changes_a_result(const Hypothesis& hypothesis, const Case& c, const TensorSet& inputs,
                      const Allowance& allowed) {
  const TensorSet predicted = hypothesis.evaluate(c, inputs).middle;
  for (const auto& [name, tensor] : predicted) {
    const Allowed right(allowed, name);
    for (std::size_t i = 0; i < tensor.count(); ++i) {
      if (!right(i, tensor.at(i))) return true;
    }
  }
  return false;
}

void look(Group& group, const Problem& problem) {
  const TensorSet inputs = problem.inputs();
  const Expectation expected = problem.expect(inputs);
  const Allowance allowed = allowance_of(expected);
  if (expected.middle.begin()->second.count() > kMostElements) return;
  // Around the products of a library they are known once it has answered, here as specified.
  std::vector<Hypothesis> mistakes = problem.mistakes();
  if (mistakes.empty()) mistakes = problem.mistakes_seen_in({}, expected.middle);
  for (const Hypothesis& mistake : mistakes) {
    const std::string family = family_of(mistake.name);
    if (mistake.sporadic || group.seen.contains(family)) continue;
    group.known.insert(family);
    if (changes_a_result(mistake, problem.c(), inputs, allowed)) group.seen.insert(family);
  }
}

std::string table() {
  std::map<std::string, Group> groups;
  for (const Suite* suite : all_suites()) {
    for (const Case& c : suite->cases(Level::kSmoke, 1)) {
      if (!c.word("provider").starts_with("library")) continue;
      const std::unique_ptr<const Problem> problem = suite->bind(c);
      if (problem->own_work() == nullptr) look(groups[group_of(c)], *problem);
    }
  }
  std::string text(kHead);
  for (const auto& [name, group] : groups) {
    if (!group.known.empty()) text += group.row(name);
  }
  return text;
}

TEST(Sensitivity, IsAsListed) {
  const std::string actual = table();
  const std::string place(kPlace);
  if (std::getenv("HALFMARK_UPDATE_GOLDEN") != nullptr) std::ofstream(place) << actual;
  std::ifstream file(place);
  const std::string listed{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(listed, actual) << "HALFMARK_UPDATE_GOLDEN=1 writes " << place << " anew";
}

TEST(Sensitivity, FamiliesAreNamesWithoutTheirNumbers) {
  EXPECT_EQ("blocks-of-N-in-fp16", family_of("blocks-of-128-in-fp16"));
  EXPECT_EQ("eps-is-1e-N", family_of("eps-is-1e-05"));
  EXPECT_EQ("cut-at-N", family_of("cut-at-4.97"));
  EXPECT_EQ("nan-dropped", family_of("nan-dropped"));
}

}  // namespace
}  // namespace halfmark::suites
