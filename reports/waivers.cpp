// SPDX-License-Identifier: Apache-2.0
#include "reports/waivers.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <optional>
#include <string_view>

#include "reference/text/json.hpp"
#include "reports/files.hpp"

namespace halfmark::reports {
namespace {

using nlohmann::json;

constexpr auto kMembers =
    std::to_array<std::string_view>({"case", "rule", "owner", "reason", "expires"});

std::optional<int> number_in(std::string_view digits) {
  int value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size() || value < 0)
    return std::nullopt;
  return value;
}

bool is_date(const std::string& text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return false;
  const std::string_view view = text;
  const auto year = number_in(view.substr(0, 4)), month = number_in(view.substr(5, 2)),
             day = number_in(view.substr(8));
  if (!year || !month || !day) return false;
  return std::chrono::year_month_day(std::chrono::year(*year),
                                     std::chrono::month(static_cast<unsigned>(*month)),
                                     std::chrono::day(static_cast<unsigned>(*day)))
      .ok();
}

[[noreturn]] void refuse(const std::string& file, std::size_t entry, const std::string& what) {
  throw WaiverError(fmt::format("{}: waiver {}: {}", file, entry, what));
}

std::string text_of(const json& entry, const char* member, bool required, const std::string& file,
                    std::size_t number) {
  const auto value = entry.find(member);
  if (value == entry.end() && !required) return {};
  if (value == entry.end())
    refuse(file, number, fmt::format("'{}' is missing; every waiver needs one", member));
  if (!value->is_string() || value->get_ref<const std::string&>().empty()) {
    refuse(file, number, fmt::format("'{}' must be a text that is not empty", member));
  }
  return *value;
}

Waiver waiver_from(const json& entry, const std::string& file, std::size_t number) {
  if (!entry.is_object())
    refuse(file, number, "it must be an object with case, owner, reason and expires");
  for (const auto& [member, value] : entry.items()) {
    if (std::ranges::count(kMembers, member) > 0) continue;
    refuse(
        file, number,
        fmt::format("'{}' is unknown; the known members are case, rule, owner, reason and expires",
                    member));
  }
  Waiver waiver{.case_glob = text_of(entry, "case", true, file, number),
                .rule = text_of(entry, "rule", false, file, number),
                .owner = text_of(entry, "owner", true, file, number),
                .reason = text_of(entry, "reason", true, file, number),
                .expires = text_of(entry, "expires", true, file, number)};
  if (!is_date(waiver.expires)) {
    refuse(file, number,
           fmt::format("'expires' is '{}', expected a date as YYYY-MM-DD", waiver.expires));
  }
  return waiver;
}

}  // namespace

std::vector<Waiver> waivers_from_json(const json& j, const std::string& file) {
  if (!j.is_object() || !j.contains("waivers") || !j.at("waivers").is_array()) {
    throw WaiverError(fmt::format("{}: expected {{\"waivers\": [...]}}", file));
  }
  std::vector<Waiver> waivers;
  for (const json& entry : j.at("waivers"))
    waivers.push_back(waiver_from(entry, file, waivers.size() + 1));
  return waivers;
}

std::vector<Waiver> read_waivers(const std::filesystem::path& path) {
  std::string text;
  try {
    text = read_file(path, text::JsonLimits{}.bytes);
  } catch (const FileError& error) {
    throw WaiverError(fmt::format("{}; name a waivers file, or leave --waivers out", error.what()));
  }
  try {
    return waivers_from_json(text::read_json(text), path.string());
  } catch (const text::JsonError& error) {
    throw WaiverError(fmt::format("{}: {}; mend the file", path.string(), error.what()));
  }
}

bool is_expired(const Waiver& waiver, const std::string& today) { return waiver.expires < today; }

bool covers(const Waiver& waiver, const std::string& subject, const std::string& rule) {
  return ::fnmatch(waiver.case_glob.c_str(), subject.c_str(), 0) == 0 &&
         (waiver.rule.empty() || ::fnmatch(waiver.rule.c_str(), rule.c_str(), 0) == 0);
}

}  // namespace halfmark::reports
