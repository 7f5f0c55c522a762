// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/training/policy.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "reference/text/visible.hpp"
#include "suites/core/case/errors.hpp"

namespace halfmark::tools {
namespace {

struct Word {
  std::string_view word, meaning;
};

// In the order of the enumerators.
constexpr Word kWords[] = {
    {"narrow", "operands are cast to 16 bits, which the result has, too"},
    {"wide", "operands are cast to fp32, and the result is in fp32"},
    {"wide-result", "operands stay; arithmetic and result are in fp32"},
    {"widest", "operands are cast to the widest of their formats"},
    {"as-operands", "on no list: it runs in the formats of its operands"},
    {"follows", "16 bits between narrow operators, fp32 after a wide one"},
    {"neutral", "16 bits next to narrow operators"},
    {"untouched", "on no list: it stays in fp32, in which the graph was written"},
    {"refused", "an error"},
};
static_assert(std::size(kWords) == std::size(kAllCasts));

bool has(const CastList& list, std::string_view name) {
  return std::find(list.operators.begin(), list.operators.end(), name) != list.operators.end();
}

}  // namespace

const CastProfile* find_cast_profile(std::string_view name) {
  const auto all = cast_profiles();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const CastProfile& profile) { return profile.name == name; });
  return found == all.end() ? nullptr : &*found;
}

std::string names_of_cast_profiles() {
  std::vector<std::string_view> names;
  for (const CastProfile& profile : cast_profiles()) names.push_back(profile.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

const CastProfile& known_cast_profile(std::string_view name) {
  if (const CastProfile* profile = find_cast_profile(name)) return *profile;
  throw suites::UsageError(fmt::format("there is no profile '{}'; choose from: {}",
                                       text::visible_line(name), names_of_cast_profiles()));
}

bool is_listed(const CastProfile& profile, std::string_view name) {
  return std::any_of(profile.lists.begin(), profile.lists.end(),
                     [&](const CastList& list) { return has(list, name); });
}

Cast cast_of(const CastProfile& profile, std::string_view name) {
  for (const CastList& list : profile.lists) {
    if (has(list, name)) return list.cast;
  }
  return profile.unlisted;
}

bool is_wide(Cast cast) { return cast == Cast::kWide || cast == Cast::kWideResult; }

std::string_view word_of(Cast cast) { return kWords[static_cast<std::size_t>(cast)].word; }
std::string_view meaning_of(Cast cast) { return kWords[static_cast<std::size_t>(cast)].meaning; }

}  // namespace halfmark::tools
