// SPDX-License-Identifier: Apache-2.0
#include "fleet/drain.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "fleet/merge.hpp"
#include "fleet/testing/sample.hpp"
#include "fleet/writers.hpp"

namespace halfmark::fleet {
namespace {

using testing::right;
using testing::wrong;

FleetReport fleet_with(int good, const std::vector<std::string>& bad,
                       const char* roster = nullptr) {
  Merge merge;
  for (int i = 0; i < good; ++i) merge.add(right("n" + std::to_string(i)));
  for (const std::string& node : bad) merge.add(wrong(node, "of " + node));
  return merge.finish(roster == nullptr ? std::nullopt : std::optional(parse_roster(roster)));
}

std::string list(const FleetReport& report, DrainForm form, double cap = kDrainCapPercent) {
  std::ostringstream out;
  write_drain_list(report, form, cap, out);
  return out.str();
}

TEST(Drain, ListsTheNodeInEachForm) {
  const FleetReport report = fleet_with(3, {"bad"});
  EXPECT_EQ("bad\n", list(report, DrainForm::kPlain));
  EXPECT_EQ(
      "scontrol update NodeName=bad State=DRAIN Reason='halfmark: lone-deviation of x:0 (scope "
      "device, card aaaaaaaaaaaa)'\n",
      list(report, DrainForm::kSlurm));
  EXPECT_EQ("kubectl taint nodes bad halfmark/verdict=lone-deviation:NoSchedule --overwrite\n",
            list(report, DrainForm::kKubernetes));
}

// One node may always be listed; two of 40 are 5 %, and two of 39 are more.
TEST(Drain, StopsAtTheCap) {
  EXPECT_EQ("a\nb\n", list(fleet_with(38, {"a", "b"}), DrainForm::kPlain));
  const std::string none = list(fleet_with(37, {"a", "b"}), DrainForm::kPlain);
  EXPECT_TRUE(none.starts_with("# 2 of 39 nodes would be listed")) << none;
  EXPECT_EQ(1, std::count(none.begin(), none.end(), '\n'));
  EXPECT_EQ("a\nb\n", list(fleet_with(37, {"a", "b"}), DrainForm::kPlain, 6));
  EXPECT_EQ("bad\n", list(fleet_with(1, {"bad"}), DrainForm::kPlain, 0));
}

TEST(Drain, AbsentNodesAreComments) {
  const std::string text = list(fleet_with(3, {}, "n0\nn1\nn2\ngone\n"), DrainForm::kSlurm);
  EXPECT_EQ("# gone -: absent, not listed: it is on the roster but left nothing here\n", text);
}

TEST(Drain, DriversAreNotDrained) {
  Merge merge;
  for (const char* node : {"a", "b", "c"}) merge.add(wrong(node, "ff"));
  EXPECT_EQ("", list(merge.finish(std::nullopt), DrainForm::kPlain));
}

TEST(Drain, HostileNamesBecomeNoCommands) {
  const std::string text = list(fleet_with(3, {"x;reboot"}), DrainForm::kSlurm);
  EXPECT_TRUE(text.starts_with("# x;reboot: not listed")) << text;
  Merge merge;
  for (const char* node : {"a", "b", "c"}) merge.add(right(node));
  Rollup odd = wrong("d", "ff");
  odd.device.selector = "x:'$(reboot)`";
  merge.add(odd);
  EXPECT_NE(std::string::npos,
            list(merge.finish(std::nullopt), DrainForm::kSlurm).find("of x:__(reboot)_ (scope"));
}

TEST(Drain, HasForms) {
  EXPECT_EQ(DrainForm::kKubernetes, parse_drain_form("kubernetes"));
  EXPECT_FALSE(parse_drain_form("ansible"));
}

TEST(Metrics, EscapeAndEnd) {
  std::ostringstream out;
  write_metrics(fleet_with(3, {"a\"b\\"}), 1'700'000'000, out);
  const std::string text = out.str();
  EXPECT_NE(std::string::npos, text.find("halfmark_fleet_devices{verdict=\"conformant\"} 3\n"));
  EXPECT_NE(std::string::npos,
            text.find("halfmark_fleet_device_verdict{node=\"a\\\"b\\\\\",device=\"x:0\",verdict="
                      "\"lone-deviation\",scope=\"device\"} 1\n"));
  EXPECT_NE(std::string::npos, text.find("halfmark_fleet_merged_timestamp_seconds 1700000000\n"));
  EXPECT_TRUE(text.ends_with("# EOF\n"));
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    EXPECT_TRUE(line.starts_with("# ") || line.starts_with("halfmark_fleet_")) << line;
}

TEST(Metrics, HaveEachSeriesOnce) {
  FleetReport report = fleet_with(3, {"bad"});
  report.rows.push_back(report.rows.front());
  report.rows.back().devices = 3;
  std::ostringstream out;
  write_metrics(report, 0, out);
  EXPECT_NE(std::string::npos, out.str().find("scope=\"device\"} 4\n"));
  EXPECT_EQ(out.str().find("device_verdict{"), out.str().rfind("device_verdict{"));
}

TEST(Console, SaysWhatIsNext) {
  std::ostringstream out;
  write_console(fleet_with(3, {"bad"}, "n0\nn1\nn2\nbad\ngone 2\n"), out);
  EXPECT_EQ(
      "6 devices, 4 nodes answered of 5 on the roster, 1 run, 4 roll-ups\n"
      "  conformant               3\n"
      "  lone-deviation           1\n"
      "  absent                   2\n"
      "\n"
      "bad x:0: lone-deviation, look at the device\n"
      "  gemm: wrong cases: 1, first gemm.fp16.s1 (acc_narrow); of 4 devices that were asked the "
      "same, "
      "right: 3, with its bits: 1\n"
      "  same seed: not done; new seed: not done; other kernel: 1 of 2 suites are right; sibling "
      "device: there is none; other node: 3 of 3 are right\n"
      "  next: on bad: halfmark replay gemm.fp16.s1 --device x:0\n"
      "\n"
      "gone - (2 devices): absent, look at the node\n"
      "  it is on the roster but left nothing here\n"
      "\n"
      "rates: not compared; that needs 16 devices of one kind with times\n"
      "\n"
      "self-test: an injected fault was noticed before 0 of 4 answers\n"
      "\n"
      "bound: no wrong answer in 600 trials of conformant devices, so fewer than 0.005 per trial "
      "are wrong (95 %, for the cases and data tried)\n",
      out.str());
}

}  // namespace
}  // namespace halfmark::fleet
