// SPDX-License-Identifier: Apache-2.0
#include "backends/select.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string>

#include "reference/text/visible.hpp"

namespace halfmark::backends {
namespace {

std::string lowered(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return result;
}

bool is_number(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(),
                                      [](unsigned char c) { return std::isdigit(c) != 0; });
}

std::string existing(std::span<const DeviceInfo> devices) {
  std::string text;
  for (const DeviceInfo& info : devices) {
    text += fmt::format("{}{}", text.empty() ? "" : ", ", info.selector);
    if (!info.alias.empty()) text += fmt::format(" ({})", info.alias);
  }
  return text.empty() ? "none" : text;
}

bool holds_part(const DeviceInfo& info, const std::string& part) {
  for (const std::string* text : {&info.platform, &info.name, &info.api_version, &info.alias}) {
    // Skips the backend's name at the start of the alias: the selector has matched it already.
    const std::size_t start = text == &info.alias ? std::min(info.backend.size(), text->size()) : 0;
    if (lowered(std::string_view(*text).substr(start)).find(part) != std::string::npos) return true;
  }
  return false;
}

bool answers(const DeviceInfo& info, const std::string& selector) {
  if (selector == "all") return info.kind != "simulator";
  if (selector == lowered(info.selector) || selector == info.backend) return true;
  const std::size_t colon = selector.find(':');
  if (colon == std::string::npos || selector.substr(0, colon) != info.backend) return false;
  const std::string part = selector.substr(colon + 1);
  if (part == "*") return true;
  if (part.empty()) return false;
  if (is_number(part)) return std::to_string(info.index) == part;
  return holds_part(info, part);
}

std::vector<DeviceInfo> of_kinds(std::span<const DeviceInfo> devices,
                                 std::initializer_list<std::string_view> kinds) {
  std::vector<DeviceInfo> chosen;
  for (const DeviceInfo& info : devices) {
    if (std::find(kinds.begin(), kinds.end(), info.kind) != kinds.end()) chosen.push_back(info);
  }
  return chosen;
}

}  // namespace

std::vector<DeviceInfo> resolve(std::string_view selector, std::span<const DeviceInfo> devices) {
  const std::string wanted = lowered(selector);
  std::vector<DeviceInfo> chosen;
  for (const DeviceInfo& info : devices) {
    if (answers(info, wanted)) chosen.push_back(info);
  }
  if (chosen.empty()) {
    throw NoSuchDevice(fmt::format("no device matches '{}'; available: {}",
                                   text::visible_line(selector), existing(devices)));
  }
  return chosen;
}

std::vector<DeviceInfo> default_devices(std::span<const DeviceInfo> devices) {
  for (const auto& kinds :
       {std::initializer_list<std::string_view>{"gpu", "accelerator"}, {"cpu"}, {"software"}}) {
    std::vector<DeviceInfo> chosen = of_kinds(devices, kinds);
    if (!chosen.empty()) return chosen;
  }
  throw NoSuchDevice(
      fmt::format("no default device; available: {}; `halfmark devices` says what is "
                  "missing and why",
                  existing(devices)));
}

}  // namespace halfmark::backends
