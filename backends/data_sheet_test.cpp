// SPDX-License-Identifier: Apache-2.0
#include "backends/data_sheet.hpp"

#include <gtest/gtest.h>

namespace halfmark::backends {
namespace {

constexpr DataSheet kSheets[] = {
    {.name = "X100 PCIe",
     .compute_units = 100,
     .gbytes_per_s = 2000,
     .rates = {{{"fp32", 50}, {"fp16", 700}}},
     .source = "X100 data sheet"},
    {.name = "X100",
     .compute_units = 0,
     .gbytes_per_s = 0,
     .rates = {{{"fp32", 60}}},
     .source = "the same"},
};

DeviceInfo named(const char* name, std::uint32_t compute_units = 100) {
  DeviceInfo info;
  info.name = name;
  info.compute_units = compute_units;
  add_declared(info, kSheets);
  return info;
}

TEST(DataSheet, IsTheOneOfTheDevicesName) {
  EXPECT_EQ((nlohmann::json{{"gflops", {{"fp32", 50.0}, {"fp16", 700.0}}},
                            {"gbytes_per_s", 2000.0},
                            {"source", "X100 data sheet"}}),
            named("Maker X100 PCIe").extra.at("declared"));
  EXPECT_EQ((nlohmann::json{{"gflops", {{"fp32", 60.0}}}, {"source", "the same"}}),
            named("Maker X100").extra.at("declared"));
  EXPECT_TRUE(named("X100").extra.contains("declared"));
}

// A longer word, or a suffix after the name, marks a different device.
TEST(DataSheet, OtherDevicesNeedNone) {
  for (const char* name : {"Maker Y200", "Maker GX100", "Maker X100 480GB", "X100-part 1g.5gb", ""})
    EXPECT_FALSE(named(name).extra.contains("declared")) << name;
}

// A partition of a device may keep its name.
TEST(DataSheet, IsOfAWholeDevice) {
  EXPECT_FALSE(named("Maker X100 PCIe", 99).extra.contains("declared"));
  EXPECT_TRUE(named("Maker X100", 99).extra.contains("declared"));
}

}  // namespace
}  // namespace halfmark::backends
