// SPDX-License-Identifier: Apache-2.0
// The page about a fleet shows what the report says, escapes what is foreign and needs no other
// file.
#include <gtest/gtest.h>

#include <sstream>

#include "fleet/history.hpp"
#include "fleet/merge.hpp"
#include "fleet/testing/sample.hpp"
#include "fleet/writers.hpp"
#include "reports/fleet_page.hpp"

namespace halfmark::fleet {
namespace {

std::size_t count(const std::string& text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

// 40 devices: one wrong, one absent, one slow by its clock, one slow per cycle.
FleetReport sample() {
  Merge merge;
  std::string roster = "gone\n";
  for (int i = 0; i < 40; ++i) {
    const std::string node = "n" + std::to_string(i);
    roster += node + "\n";
    Rollup rollup = i == 7 ? testing::wrong(node, "ff") : testing::right(node);
    const double jitter = 0.001 * (i % 9);
    testing::set_rate(rollup, "copy", 100 + jitter, 0);
    testing::set_rate(rollup, "fma.fp32", (i == 3 || i == 4 ? 80 : 100) + jitter,
                      i == 3 ? 800 : 1000);
    merge.add(rollup);
  }
  merge.note("a <note> & more");
  return merge.finish(parse_roster(roster));
}

std::string page_of(const nlohmann::json& fleet) {
  const std::vector<std::string> problems = reports::check_fleet_schema(fleet);
  EXPECT_TRUE(problems.empty()) << problems.front();
  std::ostringstream out;
  reports::write_fleet_page(fleet, out);
  return out.str();
}

TEST(FleetPage, ShowsWhatTheReportSays) {
  FleetReport report = sample();
  ASSERT_EQ(2U, report.outliers.size());
  add_history({{.started = "2026-11-01T00:00:00Z",
                .wrong = {{{"n7", "x:0"}, "lone-deviation"}, {{"n9", "x:0"}, "intermittent"}}}},
              report);
  const std::string page = page_of(to_json(report));
  for (const char* part :
       {"39 of 41 devices conform; devices were found wrong.", "40 of 41 on the roster answered",
        "<b>n7 ", "gemm: wrong cases: 1", "lone-deviation", "absent", "other node",
        "halfmark replay", "slow by its clock", "slow per cycle", "a &lt;note&gt; &amp; more",
        "<h2>To drain</h2>\n<code class=\"replay\">n7</code>", "Wrong in earlier sweeps only",
        "intermittent"})
    EXPECT_NE(std::string::npos, page.find(part)) << part;
  EXPECT_EQ(2U, count(page, "<circle"));
}

TEST(FleetPage, NeedsNoOtherFile) {
  const std::string page = page_of(to_json(sample()));
  for (const char* part : {"<script", "<img", "<link", "src=", "href=", "http:", "https:", "url("})
    EXPECT_EQ(0U, count(page, part)) << part;
}

TEST(FleetPage, EscapesForeignTexts) {
  nlohmann::json fleet = to_json(sample());
  const std::string hostile = "\"><b onload=x>'&\x1b[31m";
  for (const char* key : {"node", "selector", "evidence", "next", "since", "card"})
    fleet["deviating"][0][key] = key == std::string("card") ? "0f" : hostile;
  for (nlohmann::json& one : fleet["outliers"]) one["node"] = one["rate"] = hostile;
  fleet["groups"][0]["name"] = hostile;
  fleet["drain"]["nodes"] = {hostile};
  fleet["recurrences"] = {{{"node", hostile},
                           {"selector", hostile},
                           {"verdict", hostile},
                           {"last", hostile},
                           {"sweeps", 1}}};
  fleet["stores"] = nlohmann::json::array();
  fleet["earlier_sweeps"] = 1;
  const std::string page = page_of(fleet);
  EXPECT_EQ(0U, count(page, "<b onload"));
  EXPECT_EQ(0U, count(page, "\x1b"));
  EXPECT_LT(8U, count(page, "&lt;b onload"));
}

TEST(FleetPage, IsShortForALongList) {
  nlohmann::json fleet = to_json(sample());
  const nlohmann::json row = fleet["deviating"][0];
  for (int i = 0; i < 5000; ++i) fleet["deviating"].push_back(row);
  const std::string page = page_of(fleet);
  EXPECT_EQ(500U, count(page, "<details class=\"finding\">"));
  EXPECT_NE(std::string::npos, page.find("4,502 more are in the JSON report"));
}

TEST(FleetPage, AFleetThatConformsHasNothingToDrain) {
  Merge merge;
  merge.add(testing::right("a"));
  const std::string page = page_of(to_json(merge.finish(std::nullopt)));
  EXPECT_NE(std::string::npos, page.find("verdict good"));
  for (const char* part : {"<h2>To drain", "<h2>Not conformant", "<h2>Rates", "<svg"})
    EXPECT_EQ(0U, count(page, part)) << part;
}

TEST(FleetPage, RefusesWhatIsNoReport) {
  nlohmann::json fleet = to_json(sample());
  fleet.erase("drain");
  EXPECT_FALSE(reports::check_fleet_schema(fleet).empty());
}

}  // namespace
}  // namespace halfmark::fleet
