// SPDX-License-Identifier: Apache-2.0
//
// What a description may say, key by key, and how texts from drivers are made safe to print.
#include "backends/described.hpp"

#include <gtest/gtest.h>

namespace halfmark::backends {
namespace {

using nlohmann::json;

json good() {
  return {{"name", "Device"}, {"kind", "gpu"}, {"memory_bytes", 1024}, {"max_group_items", 64}};
}

// The complaint about `good` with one key changed; null removes it.
std::string complaint(const char* key, const json& value) {
  json object = good();
  if (value.is_null()) {
    object.erase(key);
  } else {
    object[key] = value;
  }
  try {
    (void)described_device("vendor", 3, object.dump());
    return "";
  } catch (const BackendError& error) {
    return error.vendor_text;
  }
}

TEST(Described, TheLeastThatIsNeeded) {
  const DeviceInfo info = described_device("vendor", 3, good().dump());
  EXPECT_EQ("vendor:3", info.selector);
  EXPECT_EQ("vendor", info.backend);
  EXPECT_EQ(3u, info.index);
  EXPECT_EQ(1024u, info.memory_bytes);
}

TEST(Described, ItSaysNeitherWhoseNorWhichItIs) {
  json object = good();
  object.update(
      {{"backend", "other"}, {"index", 9}, {"plugin", "/other.so"}, {"selector", "vendor:x"}});
  const DeviceInfo info = described_device("vendor", 3, object.dump());
  EXPECT_EQ("vendor", info.backend);
  EXPECT_EQ(3u, info.index);
  EXPECT_EQ("", info.plugin);
  EXPECT_EQ("vendor:x", info.selector);
}

TEST(Described, EveryFaultNamesItsKey) {
  const json promise = {{"capability", "c"}, {"offered", true}, {"evidence", "e"}, {"clause", "x"}};
  json no_evidence = promise;
  no_evidence["evidence"] = "";
  EXPECT_EQ("", complaint("promises", json::array({promise})));
  EXPECT_EQ("the description lacks 'name'", complaint("name", nullptr));
  EXPECT_EQ("'name' of the description is empty", complaint("name", ""));
  EXPECT_EQ("'name' of the description must be text", complaint("name", 7));
  EXPECT_EQ("the description lacks 'memory_bytes'", complaint("memory_bytes", nullptr));
  EXPECT_EQ("'memory_bytes' of the description must be a whole number that is not negative",
            complaint("memory_bytes", -1));
  EXPECT_EQ("'memory_bytes' of the description is 0, which lies outside 1 to 1125899906842624",
            complaint("memory_bytes", 0));
  EXPECT_EQ("", complaint("memory_bytes", std::uint64_t{1} << 50));
  EXPECT_NE("", complaint("memory_bytes", (std::uint64_t{1} << 50) + 1));
  EXPECT_NE("", complaint("memory_bytes", 1.5));
  EXPECT_NE("", complaint("max_group_items", 0));
  EXPECT_NE("", complaint("max_group_items", std::uint64_t{1} << 32));
  EXPECT_EQ("kind 'toaster' is none of gpu, accelerator, cpu, software, simulator, stand-in",
            complaint("kind", "toaster"));
  EXPECT_EQ("'promises' of the description must be a list", complaint("promises", "all"));
  EXPECT_EQ("a promise must be an object", complaint("promises", json::array({1})));
  EXPECT_EQ("'evidence' of promise \"c\" is empty",
            complaint("promises", json::array({no_evidence})));
  EXPECT_EQ("promise \"c\" twice", complaint("promises", json::array({promise, promise})));
  EXPECT_EQ("'extra' of the description must be an object", complaint("extra", 1));
}

TEST(Described, ADeviceAnswersForItselfOnly) {
  EXPECT_EQ("selector 'host' does not begin with 'vendor:'", complaint("selector", "host"));
  EXPECT_EQ("selector 'vendors:1' does not begin with 'vendor:'", complaint("alias", "vendors:1"));
  EXPECT_EQ("", complaint("selector", "vendor"));
}

TEST(Described, WhatIsNoObjectIsRefused) {
  for (const char* text : {"", "[]", "{", "null", "\"text\""}) {
    EXPECT_THROW((void)described_device("vendor", 0, text), BackendError) << text;
  }
}

TEST(Utf8, EverySequenceThatUnicodeAllowsAndNoOther) {
  for (const char* text : {"", "a", "\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf",
                           "\xee\x80\x80", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"}) {
    EXPECT_EQ("", utf8_fault(text)) << text;
  }
  for (const char* text : {"\x80", "\xc1\xbf", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xf0\x8f\xbf\xbf",
                           "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xc2", "\xe2\x82", "\xff"}) {
    EXPECT_NE("", utf8_fault(text));
  }
  EXPECT_EQ("byte 3 is 0xff", utf8_fault("abc\xff"));
}

TEST(OneLine, HoldsNothingThatAScreenActsOn) {
  EXPECT_EQ("a; b", one_line("a\nb\n"));
  EXPECT_EQ("?[2J ? \xc3\xa9", one_line("\x1b[2J \xff \xc3\xa9"));
}

}  // namespace
}  // namespace halfmark::backends
