// SPDX-License-Identifier: Apache-2.0
//
// Telemetry through the stand-in of a vendor's management library: values, and libraries that are
// old, absent, refuse calls, crash or hang. Compiled once per vendor, with its row and the meaning
// of the stand-in's throttle bits (or the statement that there are none).
#include "backends/shim/telemetry.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "backends/abi.h"
#include HM_STAND_IN_VENDOR_HEADER

namespace halfmark::backends {
namespace HM_STAND_IN_BACKEND {
const HmBackendApi* api();
}
namespace shim {
namespace {

using nlohmann::json;
using testing::HasSubstr;

constexpr const char* kBusId = "ffff:ff:1f.0";  // the bus location of the stand-ins' device

class Environment {
 public:
  Environment(std::string name, const std::string& value) : name_(std::move(name)) {
    ::setenv(name_.c_str(), value.c_str(), 1);
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;
  ~Environment() { ::unsetenv(name_.c_str()); }

 private:
  std::string name_;
};

const Vendor& vendor() { return HM_STAND_IN_BACKEND::kVendor; }

// The backend's own object file serves the children, so it must be linked into this program.
TEST(Telemetry, ProgramServesItsChildren) { ASSERT_NE(nullptr, HM_STAND_IN_BACKEND::api()); }

std::string folder() { return std::string(HM_STANDIN_FOLDER) + "/" + vendor().backend; }

json ask(const std::string& library, const std::string& bus_id = kBusId) {
  std::string variable = std::string("HALFMARK_") + vendor().backend + "_TELEMETRY";
  for (char& c : variable) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  const Environment where(variable, library);
  DeviceInfo info;
  info.extra["pci_bus_id"] = bus_id;
  add_telemetry(vendor(), {&info, 1});
  return info.extra.at("telemetry");
}

json ask() { return ask(folder()); }

// Comma-separated words, or one "not available" text.
json throttle_reasons() {
  const std::string words = HM_THROTTLE_REASONS;
  if (words.starts_with("not available")) return words;
  return {words.substr(0, words.find(',')), words.substr(words.find(',') + 1)};
}

TEST(Telemetry, TellsWhatTheLibraryAnswers) {
  const json expected = {{"driver_version", "stand-in 99.0"},
                         {"firmware_version", "stand-in 1.0"},
                         {"pci_id", "0000:5afe"},
                         {"memory_total_bytes", 1ull << 33},
                         {"memory_used_bytes", 1ull << 31},
                         {"ecc_mode", "enabled"},
                         {"ecc_corrected_errors", 3},
                         {"ecc_uncorrected_errors", 1},
                         {"compute_clock_mhz", 1410},
                         {"compute_clock_max_mhz", 1980},
                         {"memory_clock_mhz", 1593},
                         {"memory_clock_max_mhz", 2619},
                         {"power_draw_watts", 123.5},
                         {"power_limit_watts", 700.0},
                         {"temperature_celsius", 41},
                         {"throttle_reasons", throttle_reasons()},
                         {"pci_bus_id", kBusId}};
  json actual = ask();
  EXPECT_THAT(actual["library"], HasSubstr(folder()));
  actual.erase("library");
  EXPECT_EQ(expected, actual) << actual.dump(1);
}

TEST(Telemetry, OldLibraryLacksCalls) {
  const json actual = ask(folder() + "/old");
  EXPECT_THAT(actual["power_limit_watts"], HasSubstr("not available: "));
  EXPECT_THAT(actual["driver_version"], HasSubstr(" lacks "));
}

TEST(Telemetry, OneRefusedCallIsOneReading) {
  const Environment words("HALFMARK_STAND_IN_MISBEHAVE", "fail-telemetry@power_limit");
  const json actual = ask();
  EXPECT_THAT(actual["power_limit_watts"],
              testing::AllOf(HasSubstr("not available: "), HasSubstr(": stand-in: not supported")));
  EXPECT_EQ(123.5, actual["power_draw_watts"]);
}

TEST(Telemetry, LibraryThatRefusesToStart) {
  const Environment words("HALFMARK_STAND_IN_MISBEHAVE", "fail-telemetry@initialise");
  const json actual = ask();
  for (const std::string_view name : kReadings)
    EXPECT_THAT(actual.at(name), HasSubstr("not available: ")) << name;
}

TEST(Telemetry, CrashCostsTheReadingsOnly) {
  const Environment words("HALFMARK_STAND_IN_MISBEHAVE", "crash-telemetry@temperature");
  EXPECT_THAT(ask()["temperature_celsius"], HasSubstr("did not survive"));
}

TEST(Telemetry, AbsentLibraryNamesTheRemedy) {
  const json actual = ask(std::string(HM_STANDIN_FOLDER) + "/nowhere");
  EXPECT_THAT(actual["temperature_celsius"], HasSubstr("not available: "));
  EXPECT_THAT(actual["library"], HasSubstr("not available: "));
}

TEST(Telemetry, HangIsCutShort) {
  const Environment words("HALFMARK_STAND_IN_MISBEHAVE", "hang-telemetry@temperature");
  EXPECT_THAT(ask()["temperature_celsius"], HasSubstr("passed without an answer"));
}

TEST(Telemetry, AnotherPlaceIsAnotherDevice) {
  EXPECT_THAT(ask(folder(), "0000:03:00.0")["temperature_celsius"], HasSubstr("not available: "));
  EXPECT_THAT(ask(folder(), "nowhere")["temperature_celsius"], HasSubstr("not available: "));
}

TEST(BusPlace, IsReadInEverySpelling) {
  const BusPlace expected{.domain = 0, .bus = 0x0f, .device = 0};
  EXPECT_EQ(expected, bus_place("0000:0F:00.0"));
  EXPECT_EQ(expected, bus_place("00000000:0f:00.0"));
  EXPECT_EQ(expected, bus_place("0000:0f:00.1"));
  EXPECT_EQ(std::nullopt, bus_place("not available"));
  EXPECT_EQ(std::nullopt, bus_place("0f:00.0"));
}

TEST(WordsOf, UnknownBitsAreShown) {
  constexpr BitWord kWords[] = {{1, "one"}, {4, "four"}};
  EXPECT_EQ(json({"four", "unknown (0x8)"}), words_of(12, kWords));
  EXPECT_EQ(json::array(), words_of(0, kWords));
}

}  // namespace
}  // namespace shim
}  // namespace halfmark::backends
