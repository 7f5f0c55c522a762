// SPDX-License-Identifier: Apache-2.0
// Numbers, tables and foreign texts, as every report shows them.
#include "reports/writers/text.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace halfmark::reports {
namespace {

TEST(Text, EscapesForMarkup) {
  EXPECT_EQ(escape_markup("a<b>&\"'"), "a&lt;b&gt;&amp;&quot;&#39;");
  EXPECT_EQ(escape_markup(std::string_view("\0\t\n", 3)), "\\x00\t\n");
  EXPECT_EQ(escape_markup("\xEF\xBF\xBF"), "\xEF\xBF\xBD");
}

TEST(Text, EscapesForMarkdown) { EXPECT_EQ(escape_markdown("a|b\n<i>*_"), "a\\|b &lt;i\\>\\*\\_"); }

TEST(Text, FormatsNumbers) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1234567), "1,234,567");
  EXPECT_EQ(plural(1, "case"), "1 case");
  EXPECT_EQ(plural(2000, "case"), "2,000 cases");
  EXPECT_EQ(significant(0.5), "0.50");
  EXPECT_EQ(significant(9.994), "9.99");
  EXPECT_EQ(significant(9.996), "10.0");
  EXPECT_EQ(significant(99.96), "100");
  EXPECT_EQ(significant(12345.6), "12,346");
  EXPECT_EQ(duration(950), "950 ns");
  EXPECT_EQ(duration(1500), "1.50 us");
  EXPECT_EQ(duration(2.5e6), "2.50 ms");
  EXPECT_EQ(duration(3e9), "3.00 s");
  EXPECT_EQ(ulps_text(1), "1 ulp");
  EXPECT_EQ(ulps_text(~0ull), "no distance (NaN)");
}

TEST(Text, SharesAreRoundedNeitherToAllNorToNothing) {
  EXPECT_EQ("100 %", percent_of(7, 7));
  EXPECT_EQ("0.42 %", percent_of(17, 4096));
  EXPECT_EQ("99.9 %", percent_of(999, 1000));
  EXPECT_EQ("over 99.9 %", percent_of(65535, 65536));
  EXPECT_EQ("under 0.01 %", percent_of(1, 1000000));
  EXPECT_EQ("0.00 %", percent_of(0, 8));
}

TEST(Text, WrapsAtBlanksOnly) {
  EXPECT_EQ(wrapped("one two three", 2, 9), "one two\n  three");
  EXPECT_EQ(wrapped("unbreakable-word-of-length", 2, 9), "unbreakable-word-of-length");
  EXPECT_EQ(wrapped("", 4), "");
}

TEST(Text, TableAlignsNumbersRightAndCountsCharactersNotBytes) {
  TextTable table({"name", "n"});
  table.add({"\xC3\xA9", "5"});
  table.add({"bb", "12"});
  std::ostringstream out;
  table.print(out, "");
  EXPECT_EQ(out.str(), "name   n\n\xC3\xA9      5\nbb    12\n");
}

TEST(Text, TableRowsHaveTheCellsOfTheHeader) {
  TextTable table({"name", "n"});
  table.add({"a"});
  table.add({"b", "5", "more"});
  std::ostringstream out;
  table.print(out, "");
  EXPECT_EQ(out.str(), "name  n\na\nb     5\n");
}

}  // namespace
}  // namespace halfmark::reports
