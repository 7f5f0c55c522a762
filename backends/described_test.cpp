// SPDX-License-Identifier: Apache-2.0
//
// Which values a description may hold, key by key, and how texts from drivers are sanitised
// for printing.
#include "backends/described.hpp"

#include <gtest/gtest.h>

#include "backends/foreign_text.hpp"

namespace halfmark::backends {
namespace {

using nlohmann::json;

json good() {
  return {{"name", "Device"}, {"kind", "gpu"}, {"memory_bytes", 1024}, {"max_group_items", 64}};
}

// The error message for `good` with one key changed; null removes the key.
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
  EXPECT_EQ("", complaint("packs", {{"fp32", {1, 2, 32}}}));
  EXPECT_EQ("'packs' of the description must be an object", complaint("packs", 7));
  for (const json& widths : {json("wide"), json{0}, json{33}, json{"2"}})
    EXPECT_EQ("'packs' of 'fp32' must be a list of widths from 1 to 32",
              complaint("packs", {{"fp32", widths}}));
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
  EXPECT_EQ("kind 'toaster' is not one of gpu, accelerator, cpu, software, simulator, stand-in",
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

// Users type selectors, selectors name folders, and a star makes one a pattern.
TEST(Described, ASelectorIsAPlainWord) {
  for (const char* plain : {"vendor", "vendor:0", "vendor:Big_one-2.1", ""}) {
    EXPECT_EQ("", complaint("selector", plain)) << plain;
  }
  for (const char* odd : {"vendor:", "vendor:*", "vendor:a b", "vendor:../../x", "vendor:1#F001",
                          "vendor:1,2", "vendor:\x1b[0m", "vendor:\xc3\xa9"}) {
    EXPECT_NE("", complaint("selector", odd)) << odd;
    EXPECT_EQ(complaint("selector", odd), complaint("alias", odd));
  }
  EXPECT_EQ(
      "selector 'vendor:?' must continue with 1 to 63 letters, digits, '.', '_' and "
      "'-'",
      complaint("selector", "vendor:\x7f"));
  EXPECT_EQ("", complaint("selector", "vendor:" + std::string(63, 's')));
  EXPECT_NE("", complaint("selector", "vendor:" + std::string(64, 's')));
}

// JSON writers recurse as deep as the value, and reports contain all of it.
TEST(Described, NeitherDeepNorEndless) {
  json deep = 1;
  for (int i = 0; i < 62; ++i) deep = json::array({deep});
  EXPECT_EQ("", complaint("extra", {{"deep", deep}}));
  EXPECT_NE("", complaint("extra", {{"deep", json::array({json::array({deep})})}}));
  std::string text = good().dump();
  text.replace(text.size() - 1, 1,
               ",\"x\":" + std::string(200'000, '[') + std::string(200'000, ']') + "}");
  try {
    (void)described_device("vendor", 0, text);
    FAIL() << "described";
  } catch (const BackendError& error) {
    EXPECT_TRUE(error.vendor_text.starts_with(
        "the description cannot be read: nested deeper than 64 at byte "))
        << error.vendor_text;
  }
  EXPECT_EQ("", complaint("extra", {{"long", std::string(1'000'000, 'x')}}));
  EXPECT_NE("", complaint("extra", {{"long", std::string(1'048'576, 'x')}}));
}

TEST(Described, WhatPeopleReadIsOneShortLine) {
  json object = good();
  object["name"] = "A\x1b[31m\nB" + std::string(5000, 'n');
  object["vendor"] = "V\r";
  object["promises"] = json::array(
      {{{"capability", "c"}, {"offered", true}, {"evidence", "\x07"}, {"clause", "a\tb"}}});
  object["libraries"] = json::array(
      {{{"name", "L"},
        {"kind", "unit"},
        {"operators", {"gemm"}},
        {"usable", true},
        {"version", "\n1"},
        {"evidence", "e\x1b"},
        {"promises",
         {{{"capability", "c"}, {"offered", false}, {"evidence", "\x07"}, {"clause", "a"}}}}}});
  const DeviceInfo info = described_device("vendor", 3, object.dump());
  EXPECT_EQ("A?[31m; B", info.name.substr(0, 9));
  EXPECT_GT(4200u, info.name.size());
  EXPECT_EQ("V?", info.vendor);
  EXPECT_EQ("?", info.promises[0].evidence);
  EXPECT_EQ("a b", info.promises[0].clause);
  EXPECT_EQ("; 1", info.libraries[0].version);
  EXPECT_EQ("e?", info.libraries[0].evidence);
  EXPECT_EQ("?", info.libraries[0].promises.at(0).evidence);
  EXPECT_EQ(info.libraries, device_info_from_json(to_json_object(info)).libraries);
  EXPECT_EQ("'name' of the description is empty", complaint("name", "\n \n"));
}

// Calls and comparisons use these names, so they are not altered.
TEST(Described, NamesThatAreNoLineAreRefused) {
  EXPECT_EQ(
      "promise \"a\\nb\" has a name that is no single line",
      complaint(
          "promises",
          json::array(
              {{{"capability", "a\nb"}, {"offered", true}, {"evidence", "e"}, {"clause", "c"}}})));
  json library = {{"name", "L"},
                  {"kind", "unit"},
                  {"operators", {"gemm"}},
                  {"usable", true},
                  {"evidence", "e"}};
  EXPECT_EQ("", complaint("libraries", json::array({library})));
  library["promises"] = {{{"capability", "c"}, {"offered", true}, {"evidence", "e"}}};
  EXPECT_EQ("promise of library \"L\" \"c\" lacks 'clause'",
            complaint("libraries", json::array({library})));
  library.erase("promises");
  library["operators"] = {"gemm\x1b"};
  EXPECT_NE("", complaint("libraries", json::array({library})));
  library["operators"] = {"gemm"};
  library["name"] = "L\n";
  EXPECT_NE("", complaint("libraries", json::array({library})));
}

TEST(Described, WhatIsNoObjectIsRefused) {
  for (const char* text : {"", "[]", "{", "null", "\"text\""}) {
    EXPECT_THROW((void)described_device("vendor", 0, text), BackendError) << text;
  }
}

TEST(OneLine, HoldsNothingThatAScreenActsOn) {
  EXPECT_EQ("a; b", one_line("a\nb\n"));
  EXPECT_EQ("?[2J ? \xc3\xa9", one_line("\x1b[2J \xff \xc3\xa9"));
  EXPECT_EQ("?31m ?evil", one_line("\xc2\x9b"
                                   "31m \xe2\x80\xae"
                                   "evil"));
  EXPECT_EQ("a b", one_line("a\tb"));
  EXPECT_EQ(std::string(4096, 'x') + " ... (cut)", one_line(std::string(5000, 'x')));
}

TEST(KeptWords, AreTheLinesOfALogAndNoMoreThanAnyoneReads) {
  EXPECT_EQ("", kept_words(nullptr));
  EXPECT_EQ("error: ?[31m\nline 2 \xc3\xa9 ?\n",
            kept_words("error: \x1b[31m\nline 2 \xc3\xa9 \xff\n"));
  const std::string log(100'000, 'x');
  EXPECT_EQ(log.substr(0, 65536) + " ... (cut)", kept_words(log.c_str()));
}

}  // namespace
}  // namespace halfmark::backends
