// SPDX-License-Identifier: Apache-2.0
// Isolation of the runner from a driver, with shell scripts as drivers that die, hang and write
// unexpected output.
#include "suites/runner/child.hpp"

#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstddef>
#include <cstdlib>

namespace halfmark::suites {
namespace {

using namespace std::chrono_literals;

Answer ask_script(const std::string& script, std::chrono::milliseconds limit = 5s) {
  Child child({"/bin/sh", "-c", script});
  return child.ask({{"op", "hello"}}, limit);
}

TEST(Child, AnswersALine) {
  const Answer answer = ask_script(R"(read line <&3; echo '{"ask":1,"got":"it"}' >&4)");
  ASSERT_EQ(AnswerKind::kAnswered, answer.kind);
  EXPECT_EQ("it", answer.message.at("got"));
}

TEST(Child, ADeathNamesItsSignalAndItsLastWords) {
  const Answer answer =
      ask_script("read line <&3; echo noise; echo 'Unsupported float size' >&2; kill -SEGV $$");
  ASSERT_EQ(AnswerKind::kDied, answer.kind);
  EXPECT_NE(std::string::npos, answer.how.find("signal 11")) << answer.how;
  EXPECT_NE(std::string::npos, answer.how.find("Unsupported float size")) << answer.how;
}

// From here on, the kernel of this process is one before 5.3. Returns false if it cannot be done.
bool has_no_descriptors_of_processes() {
  sock_filter steps[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pidfd_open, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{.len = std::size(steps), .filter = steps};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

TEST(ChildDeathTest, OldKernelsNameTheSignalToo) {
  const auto names_it = [] {
    if (!has_no_descriptors_of_processes()) return true;
    const Answer answer = ask_script("read line <&3; kill -SEGV $$");
    return answer.signal == SIGSEGV && answer.how.starts_with("signal 11");
  };
  EXPECT_EXIT(std::exit(names_it() ? 0 : 1), testing::ExitedWithCode(0), "");
}

TEST(Child, AnExitWithoutAnAnswerIsADeath) {
  const Answer answer = ask_script("exit 3");
  ASSERT_EQ(AnswerKind::kDied, answer.kind);
}

TEST(Child, ASilentChildRunsIntoItsLimitAndIsGone) {
  Child child({"/bin/sh", "-c", "read line <&3; sleep 100"});
  const pid_t pid = child.pid();
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(AnswerKind::kTimedOut, child.ask({{"op", "hello"}}, 200ms).kind);
  EXPECT_LT(std::chrono::steady_clock::now() - start, 3s);
  EXPECT_NE(0, ::kill(pid, 0)) << "the process must be dead";
  EXPECT_EQ(AnswerKind::kDied, child.ask({{"op", "again"}}, 200ms).kind);
}

TEST(Child, NonsenseIsNotAnAnswer) {
  EXPECT_EQ(AnswerKind::kDied, ask_script("read line <&3; echo 'not json' >&4; sleep 100").kind);
}

// A signal that was sent here is none of the driver's doing, and would look like a lack of memory.
TEST(Child, WhatIsKilledHereIsNotSaidToBeKilled) {
  EXPECT_EQ("it closed the pipe on which it answers; its last words: so long",
            ask_script("read line <&3; echo so long; exec 4>&-; sleep 9").how);
  EXPECT_EQ("it answered nonsense", ask_script("read line <&3; echo nonsense >&4; sleep 9").how);
  EXPECT_EQ("it answered another request",
            ask_script("read line <&3; echo '{\"ask\":7}' >&4; sleep 9").how);
}

// For example, a driver that writes to every open descriptor.
TEST(Child, WhatWasNotAskedIsNotAnAnswer) {
  for (const char* line : {R"({"result":{}})", R"({"ask":2,"result":{}})", R"({"ask":"1"})"}) {
    const Answer answer =
        ask_script(std::string("read line <&3; echo '") + line + "' >&4; sleep 9");
    EXPECT_EQ(AnswerKind::kDied, answer.kind) << line;
    EXPECT_TRUE(answer.how.starts_with("it answered another request")) << answer.how;
  }
}

TEST(Child, AProgramThatDoesNotExistIsADeath) {
  Child child({"/nonexistent/program"});
  EXPECT_EQ(AnswerKind::kDied, child.ask({{"op", "hello"}}, 1s).kind);
}

TEST(Child, LongAnswersArriveWhole) {
  const Answer answer = ask_script(
      R"(read line <&3; printf '{"ask":1,"text":"' >&4; head -c 300000 /dev/zero | tr '\0' x >&4; echo '"}' >&4)");
  ASSERT_EQ(AnswerKind::kAnswered, answer.kind);
  EXPECT_EQ(300000u, answer.message.at("text").get<std::string>().size());
}

TEST(Child, AnOrphanThatKeepsThePipeOpenDoesNotHideADeath) {
  const auto start = std::chrono::steady_clock::now();
  const Answer answer = ask_script("read line <&3; setsid sleep 20 & kill -SEGV $$", 10s);
  EXPECT_EQ(AnswerKind::kDied, answer.kind);
  EXPECT_NE(std::string::npos, answer.how.find("signal 11")) << answer.how;
  EXPECT_LT(std::chrono::steady_clock::now() - start, 5s);
}

// A container engine or a scheduler stops and continues all processes of a run.
TEST(Child, TheTimeInWhichTheRunnerWasStoppedIsNotTheChilds) {
  const std::string stopped =
      "read line <&3; kill -STOP $PPID; sleep 2.5; kill -CONT $PPID; sleep 0.2;";
  EXPECT_EQ(AnswerKind::kAnswered, ask_script(stopped + "echo '{\"ask\":1}' >&4", 800ms).kind);
  EXPECT_EQ(AnswerKind::kTimedOut, ask_script(stopped + "sleep 9", 800ms).kind);
}

TEST(Child, TheTimeBetweenStopsIsTheChilds) {
  const std::string stopped = "kill -STOP $PPID; sleep 1.5; kill -CONT $PPID; sleep 0.3; ";
  std::string script = "read line <&3; ";
  for (int i = 0; i < 4; ++i) script += stopped;
  EXPECT_EQ(AnswerKind::kTimedOut, ask_script(script + "echo '{\"ask\":1}' >&4", 500ms).kind);
}

// A child that beats every 50 ms; in the script, `b STAGE COUNT OF_DRIVER` writes one beat.
Answer watch(const std::string& script, const Patience& patience) {
  Child child({"/bin/sh", "-c",
               "b() { echo \"{\\\"beat\\\":{\\\"stage\\\":\\\"$1\\\",\\\"count\\\":$2,"
               "\\\"of_driver\\\":$3}}\" >&4; sleep 0.05; }; read line <&3; " +
                   script});
  return child.ask({{"op", "case"}}, patience);
}

TEST(Child, BeatsAreNoAnswers) {
  const Answer answer =
      watch("b launch 1 true; b launch 1 true; echo '{\"ask\":1,\"got\":1}' >&4", {10s});
  ASSERT_EQ(AnswerKind::kAnswered, answer.kind);
  EXPECT_EQ(1, answer.message.at("got"));
}

TEST(Child, AStageOfTheDriverThatDoesNotEndIsAStall) {
  const Answer answer = watch("while true; do b launch 7 true; done", {20s, 400ms, 10s});
  EXPECT_EQ(AnswerKind::kStalled, answer.kind);
  EXPECT_EQ("launch", answer.stage);
}

TEST(Child, StagesThatMoveOnAreNoStallHoweverSlowTheWhole) {
  const Answer answer = watch(
      "for i in 1 2 3 4 5 6; do b launch $i true; b launch $i true; b launch $i true; done;"
      "echo '{\"ask\":1}' >&4",
      {20s, 600ms, 10s});
  EXPECT_EQ(AnswerKind::kAnswered, answer.kind);
}

TEST(Child, OurOwnWorkIsNoStall) {
  const Answer answer = watch(
      "i=0; while [ $i -lt 30 ]; do b reference 7 false; i=$((i+1)); done; echo '{\"ask\":1}' >&4",
      {20s, 500ms, 1s});
  EXPECT_EQ(AnswerKind::kAnswered, answer.kind);
}

TEST(Child, OurOwnWorkIsNotTheDriversTime) {
  const std::string script =
      "b launch 1 true; i=0; while [ $i -lt 40 ]; do b reference 7 false; i=$((i+1)); done;";
  EXPECT_EQ(AnswerKind::kAnswered, watch(script + "echo '{\"ask\":1}' >&4", {1s, 500ms, 1s}).kind);
  EXPECT_EQ(AnswerKind::kTimedOut,
            watch(script + "while true; do b launch 8 true; done", {1s, 5s, 1s}).kind);
}

TEST(Child, OurOwnWorkHasALimitOfItsOwn) {
  const Answer answer = watch("while true; do b reference 7 false; done", {20s, 20s, 5s, 500ms});
  EXPECT_EQ(AnswerKind::kOverdue, answer.kind);
  EXPECT_EQ("reference", answer.stage);
}

TEST(Child, BeatsDoNotStretchTheWhole) {
  const Answer answer =
      watch("i=0; while true; do i=$((i+1)); b launch $i true; done", {700ms, 10s, 10s});
  EXPECT_EQ(AnswerKind::kTimedOut, answer.kind);
}

TEST(Child, SilenceAfterABeatIsAFrozenProcess) {
  const Answer answer = watch("b build 1 true; kill -STOP $$", {20s, 20s, 400ms});
  EXPECT_EQ(AnswerKind::kFrozen, answer.kind);
  EXPECT_EQ("build", answer.stage);
}

TEST(Child, OneThatNeverBeatsIsFrozenWhereBeatsAreExpected) {
  EXPECT_EQ(AnswerKind::kFrozen, watch("sleep 30", {20s, 20s, 300ms}).kind);
  EXPECT_EQ(AnswerKind::kTimedOut, watch("sleep 30", {300ms}).kind);
}

}  // namespace
}  // namespace halfmark::suites
