// SPDX-License-Identifier: Apache-2.0
#include "suites/throughput/measure.hpp"

#include <gtest/gtest.h>

#include "suites/registry.hpp"

namespace halfmark::suites::throughput {
namespace {

constexpr std::uint64_t kMicrosecond = 1000;
constexpr std::uint64_t kMillisecond = 1'000'000;
constexpr std::uint64_t kSecond = 1'000'000'000;

TEST(SamplingFor, FillsTwentyMillisecondsOfDeviceTime) {
  EXPECT_EQ(sampling_for(kMillisecond, kMillisecond),
            (Sampling{.iterations = 20, .repetitions = 9}));
  EXPECT_EQ(sampling_for(3 * kMillisecond, 3 * kMillisecond),
            (Sampling{.iterations = 7, .repetitions = 9}));
}

TEST(SamplingFor, IsBoundByWhatTheHostWaits) {
  const Sampling slow_launches = sampling_for(kMicrosecond, kMillisecond);
  EXPECT_EQ(slow_launches, (Sampling{.iterations = 111, .repetitions = 9}));
}

TEST(SamplingFor, SlowKernelsGetWhatBoundsAMedianAndVerySlowOnesOneLaunch) {
  EXPECT_EQ(sampling_for(400 * kMillisecond, 400 * kMillisecond),
            (Sampling{.iterations = 1, .repetitions = 6}));
  EXPECT_EQ(sampling_for(3 * kSecond, 3 * kSecond), (Sampling{.iterations = 1, .repetitions = 1}));
}

TEST(SamplingFor, SurvivesClocksThatStandStill) {
  EXPECT_EQ(sampling_for(0, 0).iterations, 1);
  EXPECT_EQ(sampling_for(0, kMillisecond).repetitions, 9);
}

TEST(ClockDoubt, TrustsAHostThatWaitedALittleLonger) {
  EXPECT_EQ(clock_doubt({}), "");
  const Clocks honest[] = {{.event_ns = 90, .host_ns = 100, .launches = 1}};
  EXPECT_EQ(clock_doubt(honest), "");
}

TEST(ClockDoubt, NamesADeviceThatWasBusyForLongerThanTheHostWaited) {
  const Clocks fast[] = {{.event_ns = 90, .host_ns = 100, .launches = 1},
                         {.event_ns = 120, .host_ns = 100, .launches = 1}};
  EXPECT_NE(clock_doubt(fast).find("wrong"), std::string::npos);
}

TEST(ClockDoubt, NamesADeviceThatClaimsToHaveBeenMuchFaster) {
  const Clocks slow[] = {
      {.event_ns = 10 * kMillisecond, .host_ns = 100 * kMillisecond, .launches = 2}};
  EXPECT_NE(clock_doubt(slow).find("doubtful"), std::string::npos);
  const Clocks busy_host[] = {
      {.event_ns = 10 * kMicrosecond, .host_ns = 4 * kMillisecond, .launches = 1}};
  EXPECT_EQ(clock_doubt(busy_host), "");
}

TEST(ShortnessDoubt, NamesLaunchesThatAreMostlyLaunching) {
  EXPECT_EQ(shortness_doubt({}), "");
  const Clocks shortest[] = {
      {.event_ns = 300 * kMicrosecond, .host_ns = kMillisecond, .launches = 100}};
  EXPECT_NE(shortness_doubt(shortest).find("3000 ns"), std::string::npos);
  const Clocks enough[] = {
      {.event_ns = 3 * kMillisecond, .host_ns = 4 * kMillisecond, .launches = 100}};
  EXPECT_EQ(shortness_doubt(enough), "");
}

TEST(Measure, GivesEveryFieldThatAScorecardReads) {
  Session session(backends::Device::open("host"));
  const std::string name = "arithmetic.fp32.add.portable.n1048576.near.s1";
  ::testing::internal::CaptureStdout();
  const nlohmann::json measured = measure(session, parse_case(name));
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(measured.at("name"), "arithmetic.fp32.add.portable.n1048576.near");
  EXPECT_EQ(measured.at("passed_case"), name);
  EXPECT_EQ(measured.at("provider"), "portable");
  EXPECT_EQ(measured.at("operation"), "add");
  EXPECT_EQ(measured.at("formats"), "fp32");
  EXPECT_EQ(measured.at("shape"), "n1048576");
  EXPECT_EQ(measured.at("fill"), "near");
  EXPECT_EQ(measured.at("flops"), 1048576u);
  EXPECT_EQ(measured.at("bytes"), 3u * 4u * 1048576u);
  EXPECT_EQ(measured.at("doubt"), "");
  const auto samples = measured.at("samples_ns").get<std::vector<std::uint64_t>>();
  ASSERT_GE(samples.size(), 6u);
  for (const std::uint64_t sample : samples) {
    EXPECT_GT(sample, 0u);
    EXPECT_LT(sample, kSecond);
  }
  EXPECT_GT(measured.at("host_ns").get<std::uint64_t>(), 0u);
}

}  // namespace
}  // namespace halfmark::suites::throughput
