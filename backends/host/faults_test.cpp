// SPDX-License-Identifier: Apache-2.0
// The table of faults, and the syntax that plants one.
#include "backends/host/faults.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "backends/host/text_faults.hpp"
#include "kernels/catalog.hpp"

namespace halfmark::backends::host {
namespace {

std::string refusal(std::string_view text) {
  try {
    static_cast<void>(parse_fault(text));
  } catch (const FaultError& error) {
    return error.what();
  }
  return "";
}

TEST(Faults, TheTableHoldsEveryGroupOnce) {
  std::map<char, int> groups;
  std::set<std::string_view> ids;
  for (const FaultRow& row : all_faults()) {
    EXPECT_TRUE(ids.insert(row.id).second) << row.id;
    ++groups[row.id[0]];
    EXPECT_EQ(row.id[0] == 'N', row.kind == FaultKind::kControl) << row.id;
    EXPECT_EQ(row.must_report.empty(), row.kind == FaultKind::kControl) << row.id;
    EXPECT_FALSE(row.does.empty() || row.imitates.empty()) << row.id;
  }
  const std::map<char, int> expected{{'G', 57}, {'S', 25}, {'L', 26}, {'C', 17}, {'A', 15},
                                     {'R', 12}, {'E', 10}, {'X', 19}, {'O', 5},  {'F', 6},
                                     {'T', 7},  {'K', 7},  {'N', 38}};
  EXPECT_EQ(expected, groups);
}

TEST(Faults, ParametersHaveDefaultsAndAreShown) {
  EXPECT_FALSE(parse_fault("").planted());
  EXPECT_EQ("", parse_fault("").name());
  EXPECT_EQ("G34", parse_fault("G34").name());
  EXPECT_EQ("G29:group=16,bits=14", parse_fault("G29").name());
  const Fault fault = parse_fault("G29:bits=13,group=32");
  EXPECT_TRUE(fault.is("G29"));
  EXPECT_FALSE(fault.is("G02"));
  EXPECT_EQ(13u, fault.value("bits"));
  EXPECT_EQ("G29:group=32,bits=13", fault.name());
  EXPECT_THROW(static_cast<void>(fault.value("block")), std::logic_error);
}

TEST(Faults, EveryParameterHasARangeAroundItsDefault) {
  for (const FaultRow& row : all_faults()) {
    for (const FaultParameter& p : row.parameters) {
      if (p.name.empty()) continue;
      EXPECT_LE(p.least, p.value) << row.id << ' ' << p.name;
      EXPECT_LE(p.value, p.reach) << row.id << ' ' << p.name;
      EXPECT_LT(p.least, p.reach) << row.id << ' ' << p.name << " has nothing to change to";
    }
  }
}

TEST(Faults, WhatCannotBePlantedIsRefusedInOneLine) {
  EXPECT_NE(std::string::npos, refusal("G99").find("lists them: G01 to G57, S01 to S26"));
  EXPECT_NE(std::string::npos, refusal("g01").find("there is no fault 'g01'"));
  EXPECT_EQ("fault G02 has no parameter 'parts'; it has: block (32)", refusal("G02:parts=3"));
  EXPECT_EQ("fault G34 has no parameter ''; it has: none", refusal("G34:,"));
  for (const char* value : {"", "-1", "x", "1x", "1", "4294967296", "99999999999999999999"}) {
    EXPECT_NE(std::string::npos,
              refusal(std::string("G02:block=") + value).find("takes a whole number"))
        << value;
  }
}

// A kernel that is rewritten would otherwise make its faults harmless.
TEST(TextFaults, EachHasItsWordsOnceAndChangesThem) {
  std::set<std::string_view> rows;
  for (const FaultRow& row : all_faults()) rows.insert(row.id);
  for (const TextFault& fault : text_faults()) {
    EXPECT_TRUE(rows.contains(fault.id)) << fault.id;
    const std::string text = kernels::program_text(fault.family);
    const std::size_t at = text.find(fault.words);
    ASSERT_NE(std::string::npos, at) << fault.id;
    EXPECT_EQ(std::string::npos, text.find(fault.words, at + 1)) << fault.id;
    EXPECT_NE(text, with_fault(text, parse_fault(fault.id))) << fault.id;
    EXPECT_EQ(text, with_fault(text, parse_fault("G01"))) << fault.id;
  }
}

TEST(TextFaults, EveryFaultOfTrainingIsOne) {
  for (const FaultRow& row : all_faults()) {
    if (row.id[0] != 'X' && row.id[0] != 'O') continue;
    const bool has_text = std::any_of(text_faults().begin(), text_faults().end(),
                                      [&](const TextFault& fault) { return fault.id == row.id; });
    EXPECT_TRUE(has_text) << row.id;
  }
}

}  // namespace
}  // namespace halfmark::backends::host
