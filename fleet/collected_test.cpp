// SPDX-License-Identifier: Apache-2.0
// What was collected is read as it was; a cut and a damaged line are named, and cost nothing else.
#include "fleet/collected.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "fleet/testing/sample.hpp"

namespace halfmark::fleet {
namespace {

struct Read {
  std::vector<Rollup> rollups;
  std::vector<AgentRecord> agents;
  std::vector<std::string> unusable;
};

Read read(const std::string& text) {
  Read all;
  std::istringstream in(text);
  read_collected(in, {.rollup = [&](const Rollup& one) { all.rollups.push_back(one); },
                      .agent = [&](const AgentRecord& one) { all.agents.push_back(one); },
                      .unusable = [&](const std::string& what) { all.unusable.push_back(what); }});
  return all;
}

AgentRecord agent() {
  AgentRecord record;
  record.origin = {.run = "r", .task = "0", .node = "a"};
  record.devices = {"x:0"};
  return record;
}

std::string sample() {
  std::ostringstream out;
  Collector collector(out);
  collector.add(testing::right("a"));
  collector.add(agent());
  collector.add(testing::wrong("b", "ff"));
  collector.finish();
  return out.str();
}

TEST(Collected, IsReadAsItWas) {
  const Read all = read(sample());
  EXPECT_EQ((std::vector{testing::right("a"), testing::wrong("b", "ff")}), all.rollups);
  EXPECT_EQ(std::vector{agent()}, all.agents);
  EXPECT_TRUE(all.unusable.empty());
}

TEST(Collected, EveryCutIsNoticed) {
  const std::string text = sample();
  for (std::size_t length = 0; length + 1 < text.size(); ++length)
    EXPECT_FALSE(read(text.substr(0, length)).unusable.empty()) << length;
}

TEST(Collected, ADamagedLineCostsItselfAlone) {
  std::string text = sample();
  text[text.find("\"check\":\"") + 9] ^= 1;
  const Read all = read(text);
  EXPECT_EQ(1U, all.rollups.size());
  EXPECT_EQ(1U, all.agents.size());
  ASSERT_EQ(1U, all.unusable.size());
  EXPECT_TRUE(all.unusable[0].starts_with("line 1: ")) << all.unusable[0];
}

TEST(Collected, ALineThatIsMissingIsNoticed) {
  const std::string text = sample();
  const Read all = read(text.substr(text.find('\n') + 1));
  ASSERT_EQ(1U, all.unusable.size());
  EXPECT_EQ("it ends with {\"schema\":\"halfmark-collected/1\",\"lines\":3}, after 2 lines",
            all.unusable[0]);
}

}  // namespace
}  // namespace halfmark::fleet
