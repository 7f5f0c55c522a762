// SPDX-License-Identifier: Apache-2.0
#include "fleet/roster.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <sstream>

#include "reference/text/visible.hpp"

namespace halfmark::fleet {
namespace {

constexpr std::uint64_t kMostDevices = 4096;  // of one node

std::uint64_t devices_of(const std::string& word, const std::string& place) {
  std::uint64_t devices = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), devices);
  if (error != std::errc{} || end != word.data() + word.size() || devices < 1 ||
      devices > kMostDevices)
    throw RosterError(fmt::format("{}: '{}' is not a number of devices from 1 to {}", place,
                                  text::visible_line(word), kMostDevices));
  return devices;
}

}  // namespace

bool is_plain_name(std::string_view name) {
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
  };
  return !name.empty() && name.size() <= 253 && name.front() != '-' && name.front() != '.' &&
         std::ranges::all_of(name, is_plain);
}

Roster parse_roster(std::string_view text) {
  Roster roster;
  std::istringstream lines{std::string(text)};
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    std::istringstream words(line.substr(0, line.find('#')));
    std::string node, devices, more;
    if (!(words >> node)) continue;
    words >> devices >> more;
    const std::string place = fmt::format("line {} of the roster", number);
    if (!is_plain_name(node))
      throw RosterError(
          fmt::format("{}: '{}' is no name of a node; write one node in each line, "
                      "'NODE' or 'NODE DEVICES'",
                      place, text::visible_line(node)));
    if (!more.empty())
      throw RosterError(fmt::format("{}: '{}' is one word too many; write 'NODE' or 'NODE DEVICES'",
                                    place, text::visible_line(more)));
    const std::uint64_t count = devices.empty() ? 0 : devices_of(devices, place);
    if (!roster.nodes.emplace(node, count).second)
      throw RosterError(fmt::format("{}: {} is there twice; name each node once", place, node));
  }
  if (roster.nodes.empty()) throw RosterError("the roster names no node");
  return roster;
}

}  // namespace halfmark::fleet
