// SPDX-License-Identifier: Apache-2.0
// What the death of a worker means for its case. This program is also the worker, which drives no
// device: a file says how the process ends, one letter for each case that it is asked for.
#include "suites/runner/worker.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <utility>

#include "suites/registry.hpp"

namespace halfmark::suites {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kDeaths = "HALFMARK_TEST_DEATHS";
constexpr const char* kCase = "arithmetic.fp32.add.portable.n4096.corners.s1";

// The first letter of the file, which loses it; a dot if there is none.
char next_death() {
  std::string letters;
  std::ifstream(std::getenv(kDeaths)) >> letters;
  if (letters.empty()) return '.';
  std::ofstream(std::getenv(kDeaths)) << letters.substr(1);
  return letters.front();
}

void say(const json& message) {
  const std::string line = message.dump() + "\n";
  if (::write(kResponseFd, line.data(), line.size()) < 0) std::abort();
}

void beat(const char* stage, bool of_driver) {
  say({{"beat", {{"stage", stage}, {"count", 1}, {"of_driver", of_driver}}}});
}

json answer_to_case() {
  switch (next_death()) {
    case 'd':
      beat("launch", true);
      std::raise(SIGKILL);
      break;
    case 'h':
      beat("reference", false);
      std::raise(SIGKILL);
      break;
    case 't':  // by a guard of the memory, which asks before it kills
      beat("launch", true);
      std::raise(SIGTERM);
      break;
    case 'x':  // by the limit of processor time
      beat("reference", false);
      std::raise(SIGXCPU);
      break;
    case 's':
      beat("reference", false);
      std::raise(SIGSEGV);
      break;
    case 'l':
      return {{"error", "the device fell off the bus"}, {"lost", true}};
    case 'm':
      return {{"error", "std::bad_alloc"}, {"machine", true}};
    case 'e':
      return {{"error", "no such thing"}};
    case 'c':  // the runner ends it
      ::close(kResponseFd);
      ::pause();
      break;
    default:
      break;
  }
  CaseResult result;
  result.verdict = Verdict::kPass;
  return {{"result", to_json(result, true)}};
}

int serve() {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> requests(::fdopen(kRequestFd, "r"),
                                                                 std::fclose);
  char line[65536];
  while (std::fgets(line, sizeof line, requests.get()) != nullptr) {
    const json request = json::parse(line);
    json message = request.at("op") == "open" ? json{{"device", json::object()}} : answer_to_case();
    message["ask"] = request.at("ask");
    say(message);
  }
  return 0;
}

class WorkerTest : public testing::Test {
 protected:
  WorkerTest() : file_(fs::temp_directory_path() / fmt::format("halfmark-deaths-{}", ::getpid())) {
    ::setenv(kDeaths, file_.c_str(), 1);
  }
  ~WorkerTest() override { fs::remove(file_); }

  CaseResult run(const char* deaths) {
    std::ofstream(file_) << deaths;
    Worker worker({});
    static_cast<void>(worker.open("toy:0"));
    CaseResult result = worker.run(parse_case(kCase));
    incidents_ = worker.take_incidents();
    return result;
  }

  fs::path file_;
  std::vector<json> incidents_;
};

TEST_F(WorkerTest, KilledOnceTheCaseRunsAgainAndTheKillIsAnIncident) {
  const CaseResult result = run("d");
  EXPECT_EQ(Verdict::kPass, result.verdict) << result.reason;
  EXPECT_EQ(2u, result.attempt);
  EXPECT_EQ(std::vector<json>({{{"case", kCase},
                                {"what", "the worker died: signal 9 (Killed)"},
                                {"then", "pass"},
                                {"lost", true}}}),
            incidents_);
}

TEST_F(WorkerTest, KilledTwiceWithTheDriverAtWorkIsACrash) {
  const CaseResult result = run("dd");
  EXPECT_EQ(Verdict::kCrash, result.verdict);
  EXPECT_EQ(2u, result.attempt);
  EXPECT_EQ(
      "the worker died: signal 9 (Killed)\n"
      "It happened twice, the second time in a fresh process of its own.",
      result.reason);
  EXPECT_TRUE(incidents_.empty());
}

TEST_F(WorkerTest, KilledDuringOurOwnWorkIsNoVerdictAboutTheDevice) {
  EXPECT_EQ(Verdict::kPass, run("h").verdict);
  ASSERT_EQ(1u, incidents_.size());
  EXPECT_FALSE(incidents_[0].at("lost")) << "the driver's process ended, but not at its work";
  const CaseResult result = run("hh");
  EXPECT_EQ(Verdict::kSkipped, result.verdict);
  EXPECT_EQ(
      "the worker was killed during Halfmark's own work (stage 'reference'), which says nothing "
      "about the device; this machine may lack memory; it happened twice",
      result.reason);
}

TEST_F(WorkerTest, OtherSignalsThatComeFromOutsideAreNoFaultOfTheDriver) {
  EXPECT_EQ(Verdict::kPass, run("t").verdict);
  ASSERT_EQ(1u, incidents_.size());
  EXPECT_EQ("the worker died: signal 15 (Terminated)", incidents_[0].at("what"));
  EXPECT_EQ(Verdict::kCrash, run("tt").verdict);
  EXPECT_EQ(Verdict::kPass, run("x").verdict);
  const CaseResult result = run("xx");
  EXPECT_EQ(Verdict::kSkipped, result.verdict);
  EXPECT_NE(std::string::npos, result.reason.find("the device; signal 24")) << result.reason;
}

TEST_F(WorkerTest, AMachineWithoutMemoryIsNoErrorOfTheDevice) {
  EXPECT_EQ(Verdict::kPass, run("m").verdict) << "in a fresh process";
  ASSERT_EQ(1u, incidents_.size());
  EXPECT_FALSE(incidents_[0].at("lost"));
  const CaseResult result = run("mm");
  EXPECT_EQ(Verdict::kSkipped, result.verdict);
  EXPECT_EQ(
      "this machine has no memory or no thread left for Halfmark's own work (std::bad_alloc), "
      "which says nothing about the device; it happened twice",
      result.reason);
  EXPECT_EQ(Verdict::kError, run("e").verdict);
}

TEST_F(WorkerTest, AnyOtherSignalIsACrashAtOnce) {
  const CaseResult result = run("s");
  EXPECT_EQ(Verdict::kCrash, result.verdict);
  EXPECT_EQ(1u, result.attempt);
  EXPECT_TRUE(result.reason.starts_with("the worker died: signal 11")) << result.reason;
}

TEST_F(WorkerTest, ALossIsWhatTheDriverDidBeyondDoubt) {
  for (const auto& [death, is_loss] :
       {std::pair("d", true), std::pair("h", false), std::pair("s", true), std::pair("l", true)}) {
    std::ofstream(file_) << death;
    Worker worker({});
    static_cast<void>(worker.open("toy:0"));
    const json answer = worker.request({{"op", "duel"}});
    EXPECT_EQ(true, answer.at("lost")) << death;
    EXPECT_EQ(is_loss, answer.at("loss")) << death;
    EXPECT_FALSE(worker.request({{"op", "duel"}}).contains("error")) << death;
  }
}

TEST_F(WorkerTest, ALostDeviceIsAskedAgainInAFreshProcess) {
  std::ofstream(file_) << "l";
  Worker worker({});
  static_cast<void>(worker.open("toy:0"));
  EXPECT_TRUE(worker.insist({{"op", "training-step"}}, "the step").contains("result"));
  EXPECT_EQ(std::vector<json>({{{"case", "the step"},
                                {"what", "the device fell off the bus"},
                                {"then", "answered"},
                                {"lost", true}}}),
            worker.take_incidents());
  std::ofstream(file_) << "h";  // killed from outside, while Halfmark worked: no loss of the device
  EXPECT_TRUE(worker.insist({{"op", "training-step"}}, "the step").contains("result"));
  const std::vector<json> incidents = worker.take_incidents();
  ASSERT_EQ(1U, incidents.size());
  EXPECT_EQ(false, incidents[0].at("lost"));
}

TEST_F(WorkerTest, WhatTheRunnerKillsWasNotKilledFromOutside) {
  const CaseResult result = run("c");
  EXPECT_EQ(Verdict::kCrash, result.verdict);
  EXPECT_EQ("the worker died: it closed the pipe on which it answers", result.reason);
  EXPECT_EQ(1u, result.attempt);
}

}  // namespace
}  // namespace halfmark::suites

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], halfmark::suites::kWorkerArgument) == 0)
    return halfmark::suites::serve();
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
