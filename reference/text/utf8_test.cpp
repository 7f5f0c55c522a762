// SPDX-License-Identifier: Apache-2.0
#include "reference/text/utf8.hpp"

#include <gtest/gtest.h>

namespace halfmark::text {
namespace {

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

TEST(UnfinishedBytes, AreThoseOfACharacterThatIsCut) {
  const std::string euro = "\xe2\x82\xac";
  EXPECT_EQ(0u, unfinished_bytes(""));
  EXPECT_EQ(0u, unfinished_bytes("a"));
  EXPECT_EQ(0u, unfinished_bytes(euro));
  EXPECT_EQ(1u, unfinished_bytes(euro.substr(0, 1)));
  EXPECT_EQ(2u, unfinished_bytes("a" + euro.substr(0, 2)));
  EXPECT_EQ(0u, unfinished_bytes("\x80\x80\x80")) << "no character begins there";
  EXPECT_EQ(3u, unfinished_bytes("\xf0\x9f\x98"));
}

}  // namespace
}  // namespace halfmark::text
