// SPDX-License-Identifier: Apache-2.0
// The wall between the runner and a driver, with shell scripts as drivers that die, hang and
// babble.
#include "suites/runner/child.hpp"

#include <gtest/gtest.h>
#include <signal.h>

namespace halfmark::suites {
namespace {

using namespace std::chrono_literals;

Answer ask_script(const std::string& script, std::chrono::milliseconds limit = 5s) {
  Child child({"/bin/sh", "-c", script});
  return child.ask({{"op", "hello"}}, limit);
}

TEST(Child, AnswersALine) {
  const Answer answer = ask_script(R"(read line <&3; echo '{"got":"it"}' >&4)");
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

TEST(Child, AProgramThatDoesNotExistIsADeath) {
  Child child({"/nonexistent/program"});
  EXPECT_EQ(AnswerKind::kDied, child.ask({{"op", "hello"}}, 1s).kind);
}

TEST(Child, LongAnswersArriveWhole) {
  const Answer answer = ask_script(
      R"(read line <&3; printf '{"text":"' >&4; head -c 300000 /dev/zero | tr '\0' x >&4; echo '"}' >&4)");
  ASSERT_EQ(AnswerKind::kAnswered, answer.kind);
  EXPECT_EQ(300000u, answer.message.at("text").get<std::string>().size());
}

}  // namespace
}  // namespace halfmark::suites
