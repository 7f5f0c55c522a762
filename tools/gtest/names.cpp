// SPDX-License-Identifier: Apache-2.0
#include "tools/gtest/names.hpp"

#include <fmt/format.h>

namespace halfmark::tools {
namespace {

std::string filterable(std::string text) {
  for (char& letter : text) {
    if (letter == ':' || letter == '-') letter = '_';
  }
  return text;
}

}  // namespace

std::string test_name(const suites::Case& c, const backends::DeviceInfo& device) {
  const std::string name = print(c).substr(c.suite.size() + 1);
  return filterable(fmt::format("{}@{}", name, readable_selector(device)));
}

const std::string& readable_selector(const backends::DeviceInfo& device) {
  return device.alias.empty() ? device.selector : device.alias;
}

std::string replay_line(const suites::Case& c, const backends::DeviceInfo& device) {
  return fmt::format("halfmark replay {} --device {}", print(c), readable_selector(device));
}

}  // namespace halfmark::tools
