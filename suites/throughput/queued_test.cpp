// SPDX-License-Identifier: Apache-2.0
// Many calls between two events, on a device whose event clock counts whole milliseconds
// (CMakeLists.txt starts this on every stand-in that way; HALFMARK_TEST_DEVICE names it). And which
// times of a group are credible.
#include "suites/throughput/queued.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "suites/registry.hpp"
#include "suites/throughput/conditions.hpp"
#include "suites/throughput/measure.hpp"

namespace halfmark::suites::throughput {
namespace {

constexpr const char* kProduct = "gemm.fp32.acc-fp32.out-fp32.library.nn.m16n16k16.plain.normal.s1";

Session opened() {
  const char* device = std::getenv("HALFMARK_TEST_DEVICE");
  return Session(backends::Device::open(device == nullptr ? "none" : device));
}

Plan plan_of(Session& session, const std::string& name, TensorSet& inputs) {
  const Case c = parse_case(name);
  const auto problem = find_suite(c.suite).bind(c);
  inputs = problem->inputs();
  return problem->plan(session.device().info());
}

// The clock of one call alone stands still.
TEST(Queued, OneCallIsShorterThanTheClocksStep) {
  Session session = opened();
  TensorSet inputs;
  const Plan plan = plan_of(session, kProduct, inputs);
  Rotation rotation(session, plan, inputs);
  static_cast<void>(time_launches(rotation, 8));
  std::uint64_t least = kGroupNs;
  for (int i = 0; i < 8; ++i) least = std::min(least, time_launches(rotation, 1).event_ns);
  EXPECT_EQ(1U, least);
}

TEST(Queued, TheTimesOfManyCallsFollowTheHostsClock) {
  Session session = opened();
  const nlohmann::json row = measure(session, kProduct);
  const std::string doubt = row.at("doubt");
  EXPECT_TRUE(doubt.empty() || doubt.starts_with("the device's clock is too coarse") ||
              doubt.starts_with("too short"))
      << doubt;
  EXPECT_GT(row.at("conditions").at("calls_between_events").get<std::size_t>(), 1U);
  auto samples = row.at("samples_ns").get<std::vector<std::uint64_t>>();
  std::ranges::sort(samples);
  // A group lasts 4 of the clock's steps or more, so at most a fifth of it is lost.
  const auto host_ns = row.at("host_ns").get<std::uint64_t>();
  EXPECT_GT(samples.back(), host_ns / 2);
  EXPECT_LE(samples.front(), 2 * host_ns);
}

TEST(Queued, CallsUseEveryCopyAndLeaveWhatOneAloneDoes) {
  Session session = opened();
  TensorSet inputs;
  const Plan plan = plan_of(session, kProduct, inputs);
  Queue queue(session, plan, inputs, 3);
  EXPECT_EQ(3U, queue.calls());
  EXPECT_EQ("", queue.changed_output());
  queue.grow();
  EXPECT_GT(queue.calls(), 3U);
  EXPECT_EQ(static_cast<std::int64_t>(2 * queue.calls()), queue.time_groups(2).launches);
  EXPECT_EQ("", queue.changed_output());
}

TEST(Queued, KernelsAndPlansInPlaceAreNotQueued) {
  Session session = opened();
  TensorSet inputs;
  Plan plan = plan_of(session, kProduct, inputs);
  EXPECT_TRUE(can_queue(session.device().info(), plan));
  EXPECT_EQ(nullptr, queue_for(session, plan, inputs, 2, kGroupNs));
  plan.tensors.back().role = Role::kInOut;
  EXPECT_FALSE(can_queue(session.device().info(), plan));
  plan =
      plan_of(session, "gemm.fp32.acc-fp32.out-fp32.portable.nn.m16n16k16.plain.normal.s1", inputs);
  EXPECT_FALSE(can_queue(session.device().info(), plan));
  backends::DeviceInfo without = session.device().info();
  without.extra.erase("queued_calls");
  EXPECT_FALSE(can_queue(without, plan_of(session, kProduct, inputs)));
}

TEST(Queued, ACountThatDoesNotFitIsDeclined) {
  Session session = opened();
  TensorSet inputs;
  Plan plan = plan_of(session, kProduct, inputs);
  for (const char* count : {"2", "0", "-1", "x", ""}) {
    plan.operators.front().options = {{"calls", count}};
    PreparedPlan prepared(session, plan, inputs, Unset{});
    static_cast<void>(prepared.launch());
    ASSERT_TRUE(prepared.not_supported().has_value()) << count;
    EXPECT_NE(std::string::npos, prepared.not_supported()->find("calls")) << count;
  }
}

// 256 calls of 25 us.
Clocks group_of_calls(std::uint64_t host_us) {
  return {.event_ns = 6'400'000, .host_ns = host_us * 1000, .launches = 256, .readings = 1};
}

std::string doubt_of(const Clocks& sample) { return clock_doubt({&sample, 1}); }

// A library that works on a stream of its own, behind the events.
TEST(Queued, WorkThatTheEventsDoNotCoverIsDoubtful) {
  EXPECT_TRUE(doubt_of(group_of_calls(48'000)).starts_with("the device's clock is doubtful"));
  EXPECT_EQ("", doubt_of(group_of_calls(6600)));
}

// 10 us a call, and 200 us for the wait, are real hosts' times.
TEST(Queued, AHostThatTakesItsTimeToQueueIsNotDoubtful) {
  EXPECT_EQ("", doubt_of(group_of_calls(6400 + 256 * 10 + 200)));
  EXPECT_NE("", doubt_of(group_of_calls(6400 + 256 * 20 + 200)));
}

// A launch alone is waited for, whether its readings are counted or not.
TEST(Queued, EveryLaunchThatIsWaitedForMayTakeTheHostItsTime) {
  Clocks alone = group_of_calls(6400 + 256 * 200);
  alone.readings = alone.launches;
  EXPECT_EQ("", doubt_of(alone));
  alone.readings = 0;
  EXPECT_EQ("", doubt_of(alone));
}

// Its step is another doubt than that it leaves work out, once it is known.
TEST(Queued, AReadingMayLackAStepOfTheClock) {
  Clocks sample;
  sample.read(4'000'000, 32);
  sample.read(5'000'000, 32);
  sample.host_ns = 10'900'000;
  std::vector<Clocks> samples(3, sample);
  EXPECT_NE("", clock_doubt(samples));
  samples.resize(4, sample);
  EXPECT_EQ("", clock_doubt(samples));
  EXPECT_NE("", coarseness_doubt(samples));
  for (Clocks& each : samples) each.host_ns += 2'000'000;
  EXPECT_NE("", clock_doubt(samples));
}

// Nine samples of five groups of 4.1 ms, of which one reads 5 ms by a clock of 1 ms.
std::vector<Clocks> read_too_long() {
  Clocks sample;
  for (const std::uint64_t ms : {4U, 4U, 5U, 4U, 4U}) sample.read(ms * 1'000'000, 32);
  sample.host_ns = 20'600'000;
  return std::vector<Clocks>(9, sample);
}

TEST(Queued, AReadingMayBeAStepOfTheClockTooLong) {
  std::vector<Clocks> samples = read_too_long();
  EXPECT_EQ("", clock_doubt(samples));
  EXPECT_TRUE(clock_doubt({samples.data(), 1}).starts_with("the device's clock is wrong"))
      << "of five readings the step is not known";
  for (Clocks& each : samples) each.event_ns *= 2;
  EXPECT_TRUE(clock_doubt(samples).starts_with("the device's clock is wrong"));
}

TEST(Queued, ACoarseClockIsNotCalledWrong) {
  std::vector<Clocks> samples = read_too_long();
  samples[3].read(5'000'000, 32);
  samples[3].read(5'000'000, 32);
  samples[3].host_ns += 2 * 3'500'000;
  EXPECT_TRUE(clock_doubt(samples).starts_with("the device's clock is wrong"));
  EXPECT_TRUE(doubt_of(samples).starts_with("the device's clock is too coarse"));
}

// Of a library that loses a block in every other call: its times do not count.
TEST(QueuedFault, IsSeenAfterTheSamples) {
  Session session = opened();
  TensorSet inputs;
  const Plan plan = plan_of(session, kProduct, inputs);
  Queue queue(session, plan, inputs, 2);
  EXPECT_EQ("d", queue.changed_output());
  const std::string doubt = measure(session, kProduct).at("doubt");
  EXPECT_NE(std::string::npos, doubt.find("some left another 'd' than a call alone does")) << doubt;
}

}  // namespace
}  // namespace halfmark::suites::throughput
