// SPDX-License-Identifier: Apache-2.0
#include "suites/throughput/measure.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "backends/testing/test_elf.hpp"
#include "suites/registry.hpp"
#include "suites/throughput/autocast.hpp"
#include "suites/throughput/conditions.hpp"

namespace halfmark::suites::throughput {
namespace {

constexpr std::uint64_t kMicrosecond = 1000;
constexpr std::uint64_t kMillisecond = 1'000'000;
constexpr std::uint64_t kSecond = 1'000'000'000;
constexpr const char* kHalf = "gemm.fp16.acc-fp32.out-fp16.library.nn.m64n64k64.plain.normal.s1";

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

TEST(ClockDoubt, NamesADeviceThatClaimsToHaveBeenFaster) {
  const Clocks right[] = {
      {.event_ns = 97 * kMillisecond, .host_ns = 99 * kMillisecond, .launches = 1}};
  EXPECT_EQ(clock_doubt(right), "");  // 1.98 ms and 0.2 ms are allowed
  const Clocks wrong[] = {
      {.event_ns = 97 * kMillisecond, .host_ns = 100 * kMillisecond, .launches = 1}};
  EXPECT_NE(clock_doubt(wrong).find("doubtful"), std::string::npos);
}

TEST(ClockDoubt, ForgivesSamplesThatOthersDisturbed) {
  const Clocks busy[] = {
      {.event_ns = 20 * kMillisecond, .host_ns = 90 * kMillisecond, .launches = 2},
      {.event_ns = 20 * kMillisecond, .host_ns = 20 * kMillisecond + 300'000, .launches = 2}};
  EXPECT_EQ(clock_doubt(busy), "");
  EXPECT_NE(clock_doubt({&busy[0], 1}), "");
}

// Nine samples of launches that last as long as a clock with this grain shows them.
std::vector<Clocks> read_by_clock_of(std::uint64_t grain_ns,
                                     std::span<const std::uint64_t> launches) {
  std::vector<Clocks> samples(9);
  for (Clocks& sample : samples)
    for (const std::uint64_t ns : launches)
      sample.read(std::max<std::uint64_t>(1, ns / grain_ns * grain_ns));
  return samples;
}

TEST(CoarsenessDoubt, NamesLaunchesThatTakeFewStepsOfTheClock) {
  const std::uint64_t launches[] = {390'017, 1'100'209, 704'333, 1'204'711};
  EXPECT_NE(coarseness_doubt(read_by_clock_of(kMillisecond, launches)).find("1000000 ns"),
            std::string::npos);
  EXPECT_EQ("", coarseness_doubt(read_by_clock_of(1, launches)));
  EXPECT_EQ("", coarseness_doubt(read_by_clock_of(kMicrosecond, launches)));
}

TEST(CoarsenessDoubt, TrustsTheSumOfManyShortLaunches) {
  std::vector<std::uint64_t>
      launches;  // 20 to 31 us by a clock of half a microsecond, as GPUs have
  for (std::uint64_t i = 0; i < 100; ++i) launches.push_back(20'000 + i * 7919 % 11'000);
  EXPECT_EQ("", coarseness_doubt(read_by_clock_of(500, launches)));
}

TEST(CoarsenessDoubt, SaysNothingOfFewReadings) {
  Clocks slow;
  for (int i = 0; i < 7; ++i) slow.read(2'000 * kMillisecond);
  EXPECT_EQ("", coarseness_doubt({&slow, 1}));
  slow.read(2'000 * kMillisecond);
  EXPECT_NE("", coarseness_doubt({&slow, 1}));
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

TEST(TimeLaunches, SumsBothClocksOverAllLaunches) {
  // By the modelled clock every launch takes the same time.
  Session session(backends::Device::open("host", {{"fault", "N08"}}));
  const Case c = parse_case(kHalf);
  const Suite& suite = find_suite(c.suite);
  const Plan plan = suite.bind(c)->plan(session.device().info());
  const TensorSet inputs = suite.bind(c)->inputs();
  Rotation rotation(session, plan, inputs);
  const Clocks one = time_launches(rotation, 1);
  Clocks four = time_launches(rotation, 3);
  EXPECT_EQ(one.launches, 1);
  EXPECT_EQ(four.launches, 3);
  EXPECT_GT(one.event_ns, 0u);
  EXPECT_EQ(four.event_ns, 3 * one.event_ns);
  EXPECT_GT(four.host_ns, 0u);
  EXPECT_EQ(four.steps, rotation.steps());
  four += one;
  EXPECT_EQ(four.launches, 4);
  EXPECT_EQ(four.event_ns, 4 * one.event_ns);
}

TEST(Measure, GivesEveryFieldThatAScorecardReads) {
  Session session(backends::Device::open("host"));
  const std::string name = "arithmetic.fp32.add.portable.n1048576.near.s1";
  ::testing::internal::CaptureStdout();
  const nlohmann::json measured = measure(session, name);
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
  EXPECT_GT(measured.at("fresh_ns").get<std::uint64_t>(), 0u);
  EXPECT_EQ(measured.at("conditions").at("clock"), "host");
  EXPECT_EQ(measured.at("conditions").at("copies"), 2);
  EXPECT_EQ(measured.at("declared_gflops"), 0);
}

TEST(Measure, TimesAProductWithItsCasts) {
  Session session(backends::Device::open("host", {{"fault", "N08"}}));
  const nlohmann::json alone = measure(session, kHalf);
  const nlohmann::json cast = measure(session, std::string(kAutocast) + kHalf);
  EXPECT_EQ(cast.at("doubt"), "");
  EXPECT_EQ(cast.at("operation"), "autocast_gemm");
  EXPECT_EQ(cast.at("conditions").at("clock"), "modelled");
  EXPECT_EQ(cast.at("declared_gflops"), 4);
  // The casts read each operand as fp32 and write it as fp16; the product reads it again.
  EXPECT_EQ(alone.at("bytes"), 3u * 2 * 64 * 64);
  EXPECT_EQ(cast.at("bytes"), (2u * (4 + 2 + 2) + 2) * 64 * 64);
  const auto ns = [](const nlohmann::json& row) {
    return row.at("samples_ns").at(0).get<double>();
  };
  // Two casts of 4096 elements at 6 bytes and 0.2 Gbyte/s, plus their launch overhead.
  EXPECT_NEAR(ns(cast) - ns(alone), 2 * (4096 * 6 / 0.2 + 5000), 10);
}

TEST(WithCasts, GivesTheBitsOfTheProductAlone) {
  Session session(backends::Device::open("host"));
  const Case c = parse_case(kHalf);
  const auto cast = with_casts(c, session.device().info());
  ASSERT_TRUE(cast);
  const Suite& suite = find_suite("gemm");
  const DeviceResult alone =
      execute(session, suite.bind(c)->plan(session.device().info()), suite.bind(c)->inputs());
  EXPECT_EQ(execute(session, cast->plan, cast->inputs).outputs, alone.outputs);
}

TEST(WithCasts, NeedsALibraryThatCasts) {
  Session session(backends::Device::open("host"));
  backends::DeviceInfo device = session.device().info();
  device.libraries[0].operators = {"gemm"};
  EXPECT_FALSE(with_casts(parse_case(kHalf), device));
  EXPECT_FALSE(
      with_casts(parse_case("gemm.fp32.acc-fp32.out-fp32.library.nn.m64n64k64.plain.normal.s1"),
                 session.device().info()));
}

TEST(Copies, CoverTwiceTheCache) {
  constexpr std::uint64_t kMiB = 1 << 20;
  EXPECT_EQ(copies_for(kMiB, 0), 2u);
  EXPECT_EQ(copies_for(10 * kMiB, 50 * kMiB), 10u);
  EXPECT_EQ(copies_for(kMiB, 50 * kMiB), 16u);
  EXPECT_EQ(copies_for(2048 * kMiB, 50 * kMiB), 1u);
}

Plan two_kernels() {
  Plan plan;
  plan.launches = {{.family = ".text.one", .defines = {}, .entry = "one", .arguments = {}},
                   {.family = ".text.two", .defines = {}, .entry = "two", .arguments = {}}};
  return plan;
}

// The word encodes an fp16 addition in one vendor's machine code.
TEST(AddInstructions, AddsUpTheKernelsOfAPlan) {
  constexpr std::array<std::uint64_t, 2> kHalfSum = {0x500077230, 0};
  Plan plan = two_kernels();
  const auto added = [&] {
    nlohmann::json conditions = nlohmann::json::object();
    add_instructions(
        plan,
        [&](const Launch& launch) { return backends::make_elf(190, launch.family, kHalfSum); },
        conditions);
    return conditions;
  };
  const nlohmann::json both = {{"fp16", 2}, {"bf16", 0}, {"fp32", 0}, {"conversions", 0}};
  EXPECT_EQ((nlohmann::json{{"instructions", both}}), added());
  plan.launches[1].entry = "three";
  EXPECT_EQ((nlohmann::json{{"instructions_unread",
                             "nothing here knows the layout of the image that the device shows"}}),
            added())
      << "half an answer is none";
  plan.launches.clear();
  EXPECT_EQ((nlohmann::json{{"instructions_unread", "a library shows no image of its kernels"}}),
            added());
}

// The software device's barriers are calls through a table outside its libraries.
TEST(AddInstructions, TellsLoopsAndWhatMayHideArithmetic) {
#ifndef __x86_64__
  GTEST_SKIP() << "no reader of this processor's instructions";
#endif
  Session session(backends::Device::open("host"));
  const auto added = [&](const char* name) {
    const Case c = parse_case(name);
    nlohmann::json conditions = nlohmann::json::object();
    add_instructions(
        find_suite(c.suite).bind(c)->plan(session.device().info()),
        [&](const Launch& launch) { return session.program(launch).image(); }, conditions);
    return conditions;
  };
  const nlohmann::json sum = added("arithmetic.fp32.add.portable.n4096.near.s1");
  ASSERT_TRUE(sum.contains("instructions")) << sum;
  EXPECT_EQ(1, sum["instructions"]["fp32"]) << sum;
  EXPECT_EQ(1, sum["instructions"]["in_loops"]["fp32"]) << sum;
  EXPECT_FALSE(sum["instructions"].contains("unresolved_calls")) << sum;
  const nlohmann::json product =
      added("gemm.fp32.acc-fp32.out-fp32.portable.nn.m64n64k64.plain.normal.s1");
  ASSERT_TRUE(product.contains("instructions")) << product;
  EXPECT_LT(0, product["instructions"]["in_loops"]["fp32"]) << product;
  EXPECT_EQ((nlohmann::json{"a call through memory"}), product["instructions"]["unresolved_calls"])
      << product;
}

TEST(ClockOf, IsTheFirstWordThatTheDeviceSays) {
  backends::DeviceInfo device;
  EXPECT_EQ(clock_of(device), "events");
  device.extra["clock"] = "events";
  EXPECT_EQ(clock_of(device), "events");
  device.extra["clock"] = "host: the device has no timer";
  EXPECT_EQ(clock_of(device), "host");
  EXPECT_FALSE(has_modelled_clock(device));
  device.extra["clock"] = "modelled: of library operators";
  EXPECT_EQ(clock_of(device), "modelled");
  EXPECT_TRUE(has_modelled_clock(device));
}

// An unknown clock does not exempt a row from the comparison with the host's clock.
TEST(ClockOf, AnUnknownWordIsNoModel) {
  backends::DeviceInfo device;
  for (const nlohmann::json& words : {nlohmann::json(7), nlohmann::json("modelledish")}) {
    device.extra["clock"] = words;
    EXPECT_EQ(clock_of(device), "events") << words;
    EXPECT_FALSE(has_modelled_clock(device)) << words;
  }
}

TEST(Declared, IsTheRateOfTheLongestNameThatFits) {
  backends::DeviceInfo device;
  EXPECT_EQ(declared_gflops(device, "fp16.acc-fp32"), 0);
  device.extra["declared"] = {{"gflops", {{"fp16", 4}, {"fp16.acc-fp16", 8}}}};
  EXPECT_EQ(declared_gflops(device, "fp16.acc-fp32.out-fp16"), 4);
  EXPECT_EQ(declared_gflops(device, "fp16.acc-fp16.out-fp16"), 8);
  EXPECT_EQ(declared_gflops(device, "bf16.acc-fp32"), 0);
}

}  // namespace
}  // namespace halfmark::suites::throughput
