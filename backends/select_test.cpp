// SPDX-License-Identifier: Apache-2.0
#include "backends/select.hpp"

#include <gtest/gtest.h>

#include <string>

namespace halfmark::backends {
namespace {

DeviceInfo row(std::string selector, std::string backend, std::uint32_t index, std::string name,
               std::string platform, std::string kind, std::string alias = {}) {
  DeviceInfo info;
  info.selector = std::move(selector);
  info.backend = std::move(backend);
  info.index = index;
  info.name = std::move(name);
  info.platform = std::move(platform);
  info.kind = std::move(kind);
  info.alias = std::move(alias);
  return info;
}

std::vector<DeviceInfo> machine() {
  return {row("host", "host", 0, "software device", "host", "software"),
          row("alpha:0", "alpha", 0, "Big Chip 9", "Alpha Compute", "cpu", "alpha:chip"),
          row("alpha:1", "alpha", 1, "Slow Model", "Alpha Compute", "simulator"),
          row("alpha:10", "alpha", 10, "Other Chip", "Second Platform", "cpu")};
}

std::string names(const std::vector<DeviceInfo>& devices) {
  std::string text;
  for (const DeviceInfo& info : devices) text += (text.empty() ? "" : " ") + info.selector;
  return text;
}

TEST(Select, ByNumberPartAndStar) {
  const std::vector<DeviceInfo> all = machine();
  EXPECT_EQ("host", names(resolve("host", all)));
  EXPECT_EQ("alpha:1", names(resolve("alpha:1", all)));
  EXPECT_EQ("alpha:10", names(resolve("alpha:10", all)));
  EXPECT_EQ("alpha:10", names(resolve("Alpha:OTHER", all)));
  EXPECT_EQ("alpha:0 alpha:10", names(resolve("alpha:chip", all)));
  EXPECT_EQ("alpha:0 alpha:1", names(resolve("alpha:alpha comp", all)));
  EXPECT_EQ("alpha:0 alpha:1 alpha:10", names(resolve("alpha:*", all)));
  EXPECT_EQ("alpha:0 alpha:1 alpha:10", names(resolve("alpha", all)));
  EXPECT_EQ("host alpha:0 alpha:10", names(resolve("all", all)));
}

TEST(Select, RefusesWhatIsNotThere) {
  const std::vector<DeviceInfo> all = machine();
  for (const char* selector :
       {"", "beta:0", "alpha:2", "alpha:", ":0", "alpha:beta", "host:1", "alph"}) {
    EXPECT_THROW((void)resolve(selector, all), NoSuchDevice) << selector;
  }
  try {
    (void)resolve("beta:0", all);
  } catch (const NoSuchDevice& error) {
    EXPECT_STREQ(
        "no device matches 'beta:0'; available: host, alpha:0 (alpha:chip), alpha:1, alpha:10",
        error.what());
  }
}

TEST(Select, DefaultsGoFromAcceleratorsToSoftware) {
  std::vector<DeviceInfo> all = machine();
  EXPECT_EQ("alpha:0 alpha:10", names(default_devices(all)));
  all.push_back(row("beta:0", "beta", 0, "Card", "Beta", "gpu"));
  all.push_back(row("beta:1", "beta", 1, "Board", "Beta", "accelerator"));
  EXPECT_EQ("beta:0 beta:1", names(default_devices(all)));
  EXPECT_EQ("host", names(default_devices(std::span(all).first(1))));
  EXPECT_THROW((void)default_devices(std::span(all).subspan(2, 1)), NoSuchDevice);
}

TEST(DeviceInfo, SurvivesJson) {
  DeviceInfo info = machine()[1];
  info.memory_bytes = std::uint64_t{1} << 40;
  info.promises.push_back(
      {.capability = "fp64", .offered = true, .evidence = "said so", .clause = "1.2"});
  info.extra["clock"] = 7;
  const DeviceInfo back = device_info_from_json(to_json_object(info));
  EXPECT_EQ(to_json_object(info), to_json_object(back));
  EXPECT_TRUE(back.offers("fp64"));
  EXPECT_FALSE(back.offers("fp16.arithmetic"));
  EXPECT_EQ(nullptr, back.promise("fp16.arithmetic"));
}

}  // namespace
}  // namespace halfmark::backends
