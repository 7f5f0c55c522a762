// SPDX-License-Identifier: Apache-2.0
#include "reference/text/json.hpp"

#include <gtest/gtest.h>

#include <string>

namespace halfmark::text {
namespace {

std::string refusal(const std::string& text, const JsonLimits& limits = {}) {
  try {
    static_cast<void>(read_json(text, limits));
  } catch (const JsonError& error) {
    return error.what();
  }
  return "read";
}

std::string nested(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

TEST(ReadJson, ReadsWhatIsJson) {
  EXPECT_EQ(nlohmann::json::parse(R"({"a":[1,"]}{[",{"b":"\"["}],"c":null})"),
            read_json(R"({"a":[1,"]}{[",{"b":"\"["}],"c":null})"));
}

TEST(ReadJson, RefusesWhatIsNone) {
  EXPECT_EQ("not JSON (at byte 1)", refusal(""));
  EXPECT_EQ("not JSON (at byte 8)", refusal(R"({"a":1,})"));
  EXPECT_EQ("not JSON (at byte 6)", refusal(R"({"a":)"));
  EXPECT_EQ("a number is too large to be read", refusal("[1e999]"));
}

TEST(ReadJson, HoldsItsLimitsOnBothSides) {
  EXPECT_EQ("read", refusal(nested(96)));
  EXPECT_EQ("nested deeper than 96 at byte 97", refusal(nested(97)));
  EXPECT_EQ("nested deeper than 96 at byte 97", refusal(std::string(10'000'000, '[')));
  EXPECT_EQ("nested deeper than 96 at byte 481", refusal([] {
              std::string text;
              for (int i = 0; i < 50'000; ++i) text += R"({"a":)";
              return text;
            }()));
  EXPECT_EQ("read", refusal("[1,2,3]", {.values = 4}));
  EXPECT_EQ("more than 4 values at byte 7", refusal("[1,2,3,4]", {.values = 4}));
  EXPECT_EQ("read", refusal("[1,2]", {.bytes = 5}));
  EXPECT_EQ("6 bytes, more than 5", refusal("[1,23]", {.bytes = 5}));
  EXPECT_EQ("read", refusal(R"(["1234"])", {.string_bytes = 5}));
  EXPECT_EQ("a string longer than 5 bytes at byte 2",
            refusal(R"(["1234567"])", {.string_bytes = 5}));
}

TEST(ReadJson, RefusesMembersOfOneName) {
  EXPECT_EQ("'a' appears twice in one object", refusal(R"({"a":1,"b":{"a":2},"a":3})"));
  EXPECT_EQ("read", refusal(R"([{"a":1},{"a":2,"b":{"a":3}}])"));
  EXPECT_EQ("'\\x1b[2J' appears twice in one object",
            refusal("{\"\\u001b[2J\":1,\"\\u001b[2J\":2}"));
}

}  // namespace
}  // namespace halfmark::text
