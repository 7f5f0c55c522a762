// SPDX-License-Identifier: Apache-2.0
#include "suites/core/suite/identified_arithmetic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>

namespace halfmark::suites {
namespace {

using nlohmann::json;

struct IdentityRow {
  Identity identity;
  std::string_view name;
};
constexpr std::array kIdentities{
    IdentityRow{Identity::kNamed, "named"},
    IdentityRow{Identity::kDescribed, "described"},
    IdentityRow{Identity::kUnexplained, "unexplained"},
    IdentityRow{Identity::kNotRepeatable, "not_repeatable"},
    IdentityRow{Identity::kNotUniform, "not_uniform"},
    IdentityRow{Identity::kNotOffered, "not_offered"},
    IdentityRow{Identity::kNoAnswer, "no_answer"},
};

struct TextMember {
  const char* name;
  std::string Identified::* member;
};
constexpr std::array kTexts{
    TextMember{"key", &Identified::key},
    TextMember{"suite", &Identified::suite},
    TextMember{"provider", &Identified::provider},
    TextMember{"library", &Identified::library},
    TextMember{"formats", &Identified::formats},
    TextMember{"shape", &Identified::shape},
    TextMember{"arithmetic", &Identified::arithmetic},
    TextMember{"rounding", &Identified::rounding},
    TextMember{"subnormals", &Identified::subnormals},
    TextMember{"evidence", &Identified::evidence},
};

}  // namespace

std::string_view name_of(Identity identity) {
  return std::ranges::find(kIdentities, identity, &IdentityRow::identity)->name;
}

std::optional<Identity> parse_identity(std::string_view name) {
  const auto* row = std::ranges::find(kIdentities, name, &IdentityRow::name);
  if (row == kIdentities.end()) return std::nullopt;
  return row->identity;
}

json to_json(const Identified& found) {
  json j{{"identity", name_of(found.identity)},
         {"others", found.others},
         {"observed", found.observed}};
  for (const TextMember& text : kTexts) j[text.name] = found.*text.member;
  return j;
}

Identified identified_from_json(const json& j) {
  const auto get = [&j](const char* name, auto& into) {
    try {
      j.at(name).get_to(into);
    } catch (const json::exception&) {
      throw std::runtime_error(fmt::format("member '{}' is missing or of the wrong type", name));
    }
  };
  Identified found;
  for (const TextMember& text : kTexts) get(text.name, found.*text.member);
  get("others", found.others);
  get("observed", found.observed);
  std::string identity;
  get("identity", identity);
  const auto parsed = parse_identity(identity);
  if (!parsed) throw std::runtime_error(fmt::format("'{}' is no identity", identity));
  found.identity = *parsed;
  return found;
}

}  // namespace halfmark::suites
