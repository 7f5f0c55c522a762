// SPDX-License-Identifier: Apache-2.0
// Rosters, launchers and tiers.
#include <gtest/gtest.h>

#include <map>

#include "fleet/launcher.hpp"
#include "fleet/roster.hpp"
#include "fleet/tiers.hpp"

namespace halfmark::fleet {
namespace {

std::string roster_error(const std::string& text) {
  try {
    static_cast<void>(parse_roster(text));
    return "";
  } catch (const RosterError& error) {
    return error.what();
  }
}

TEST(Roster, HasNodesAndDevices) {
  const Roster roster = parse_roster("# rack 1\nnode01 8\n\n  node-02.site # spare\n");
  EXPECT_EQ((std::map<std::string, std::uint64_t>{{"node01", 8}, {"node-02.site", 0}}),
            roster.nodes);
}

TEST(Roster, RefusesWhatMakesNoSense) {
  EXPECT_EQ("the roster names no node", roster_error("# none\n"));
  EXPECT_EQ("line 2 of the roster: a is there twice; name each node once", roster_error("a\na\n"));
  EXPECT_NE("", roster_error("a 0\n"));
  EXPECT_NE("", roster_error("a 4097\n"));
  EXPECT_NE("", roster_error("a eight\n"));
  EXPECT_NE("", roster_error("a 1 2\n"));
  EXPECT_NE("", roster_error("a;reboot\n"));
  EXPECT_NE("", roster_error("-a\n"));
  EXPECT_NE("", roster_error("../a\n"));
}

TEST(Names, ArePlain) {
  EXPECT_TRUE(is_plain_name("node-01.rack_2"));
  for (const char* name : {"", ".", "..", "-x", "a b", "a/b", "a'b", "a$b", "a\nb"})
    EXPECT_FALSE(is_plain_name(name)) << name;
  EXPECT_EQ("a-b", plain_name("a/b"));
  EXPECT_EQ("x..", plain_name(".."));
  EXPECT_TRUE(is_plain_name(plain_name("")));
  EXPECT_TRUE(is_plain_name(plain_name(std::string(1000, 'a'))));
}

Task task_in(const std::map<std::string, std::string>& variables) {
  return task_from(
      [&](const char* name) -> std::optional<std::string> {
        const auto found = variables.find(name);
        return found == variables.end() ? std::nullopt : std::optional(found->second);
      },
      "host", "fresh");
}

TEST(Launcher, Slurm) {
  const Task task = task_in({{"SLURM_PROCID", "3"},
                             {"SLURM_NTASKS", "4"},
                             {"SLURMD_NODENAME", "n3"},
                             {"SLURM_JOB_ID", "77"}});
  EXPECT_EQ("slurm", task.launcher);
  EXPECT_EQ("slurm-77", task.run);
  EXPECT_EQ("3", task.task);
  EXPECT_EQ(4U, task.size);
  EXPECT_EQ("n3", task.node);
}

TEST(Launcher, ElementsOfAJobArrayAreTasksOfOneRun) {
  const Task task = task_in({{"SLURM_PROCID", "0"},
                             {"SLURM_NTASKS", "1"},
                             {"SLURM_JOB_ID", "79"},
                             {"SLURM_ARRAY_JOB_ID", "77"},
                             {"SLURM_ARRAY_TASK_ID", "2"},
                             {"SLURM_ARRAY_TASK_COUNT", "5"}});
  EXPECT_EQ("slurm-77", task.run);
  EXPECT_EQ("2.0", task.task);
  EXPECT_EQ(5U, task.size);
}

// What Slurm says inside of mpirun describes mpirun's daemon.
TEST(Launcher, OpenMpiComesBeforeSlurm) {
  const Task task = task_in({{"OMPI_COMM_WORLD_RANK", "5"},
                             {"OMPI_COMM_WORLD_SIZE", "8"},
                             {"SLURM_PROCID", "0"},
                             {"SLURM_JOB_ID", "77"}});
  EXPECT_EQ("open-mpi", task.launcher);
  EXPECT_EQ("5", task.task);
  EXPECT_EQ("open-mpi-77", task.run);
  EXPECT_EQ("host", task.node);
}

TEST(Launcher, OthersAndNone) {
  EXPECT_EQ("pmi", task_in({{"PMI_RANK", "1"}, {"PMI_SIZE", "2"}}).launcher);
  const Task pod = task_in({{"JOB_COMPLETION_INDEX", "4"},
                            {"HALFMARK_TASKS", "9"},
                            {"NODE_NAME", "worker/4"},
                            {"HALFMARK_RUN", "job"}});
  EXPECT_EQ("kubernetes-job", pod.run);
  EXPECT_EQ(9U, pod.size);
  EXPECT_EQ("worker-4", pod.node);
  const Task hand = task_in({});
  EXPECT_EQ("by hand", hand.launcher);
  EXPECT_EQ("fresh", hand.run);
  EXPECT_EQ("host", hand.node);
  EXPECT_EQ(0U, hand.size);
}

TEST(Launcher, RefusesRanksThatAreNoNumbers) {
  EXPECT_THROW(static_cast<void>(task_in({{"SLURM_PROCID", "-1"}})), LauncherError);
  EXPECT_THROW(static_cast<void>(task_in({{"PMI_RANK", "0x1"}})), LauncherError);
  EXPECT_EQ("by hand", task_in({{"SLURM_PROCID", ""}}).launcher);
}

TEST(Tiers, HaveTheirBudgets) {
  EXPECT_EQ(std::chrono::seconds(10), find_tier("pulse")->budget);
  EXPECT_EQ(std::chrono::seconds(45), find_tier("prolog")->budget);
  EXPECT_EQ(std::chrono::seconds(120), find_tier("epilog")->budget);
  EXPECT_EQ(std::chrono::seconds(1200), find_tier("accept")->budget);
  EXPECT_EQ(nullptr, find_tier("nap"));
}

TEST(Tiers, SeedsChooseAShareAndAllSharesComeUp) {
  const Tier& pulse = *find_tier("pulse");
  EXPECT_EQ("2/16", shard_of(pulse, 1));
  EXPECT_EQ("1/16", shard_of(pulse, 16));
  EXPECT_EQ("16/16", shard_of(pulse, 15));
  EXPECT_EQ("", shard_of(*find_tier("accept"), 1));
}

TEST(Tiers, GraceIsATenthBetweenOneAndFiveSeconds) {
  using std::chrono::milliseconds;
  EXPECT_EQ(milliseconds(1000), grace_of(milliseconds(2000)));
  EXPECT_EQ(milliseconds(4500), grace_of(milliseconds(45000)));
  EXPECT_EQ(milliseconds(5000), grace_of(milliseconds(1'200'000)));
}

}  // namespace
}  // namespace halfmark::fleet
