// SPDX-License-Identifier: Apache-2.0
#include "reference/text/visible.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace halfmark::text {
namespace {

struct Row {
  const char* foreign;
  const char* shown;
};

TEST(Visible, SpellsOutWhatSteersAScreen) {
  for (const Row& row :
       {Row{"plain", "plain"},
        {"two\nlines\tand a tab", "two\nlines\tand a tab"},
        {"\x1b[2J\x07", "\\x1b[2J\\x07"},
        {"back\rover", "back\\x0dover"},
        {"\x7f", "\\x7f"},
        {"\xc2\x9b"
         "31m",
         "\\u{9b}31m"},
        {"\xe2\x80\xae"
         "evil\xe2\x81\xa9",
         "\\u{202e}evil\\u{2069}"},
        {"\xe2\x80\xa8", "\\u{2028}"},
        {"\xef\xbb\xbf", "\\u{feff}"},
        {"caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80", "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"}})
    EXPECT_EQ(row.shown, visible(row.foreign));
  EXPECT_EQ("\\x00", visible(std::string_view("\0", 1)));
}

// A terminal may interpret a stray byte 0x9b as CSI; an overlong form can hide an escape.
TEST(Visible, SpellsOutWhatIsNoUtf8) {
  for (const Row& row : {Row{"\x9b"
                             "2J",
                             "\\x9b2J"},
                         {"\xff", "\\xff"},
                         {"\xc0\x9b", "\\xc0\\x9b"},
                         {"\xe0\x80\x9b", "\\xe0\\x80\\x9b"},
                         {"\xed\xa0\x80", "\\xed\\xa0\\x80"},
                         {"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"},
                         {"cut \xe2\x82", "cut \\xe2\\x82"}})
    EXPECT_EQ(row.shown, visible(row.foreign));
}

TEST(VisibleLine, StaysOnItsLineAndIsShortened) {
  EXPECT_EQ("a\\nb\\tc", visible_line("a\nb\tc"));
  EXPECT_EQ("abcd...", visible_line("abcdef", 4));
  EXPECT_EQ("abcd", visible_line("abcd", 4));
  EXPECT_LT(visible_line(std::string(1'000'000, '\x1b')).size(), 210u);
}

TEST(VisibleJson, HoldsTheSameValues) {
  const std::string text = "{\"a\":\"\xe2\x80\xae\xc2\x9b\xf3\xa0\x81\x81 caf\xc3\xa9\"}";
  EXPECT_EQ("{\"a\":\"\\u202e\\u009b\\udb40\\udc41 caf\xc3\xa9\"}", visible_json(text));
  EXPECT_EQ(nlohmann::json::parse(text), nlohmann::json::parse(visible_json(text)));
  EXPECT_EQ("{\n  \"a\": 1\n}", visible_json("{\n  \"a\": 1\n}"));
}

}  // namespace
}  // namespace halfmark::text
