// SPDX-License-Identifier: Apache-2.0
#include "backends/host/library/modelled_clock.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace halfmark::backends::host::library {
namespace {

TensorView view(const char* role, const char* format, std::vector<std::int64_t> sizes,
                Memory memory = {}) {
  return {.role = role,
          .buffer = memory,
          .offset_bytes = 0,
          .format = format,
          .sizes = std::move(sizes),
          .strides = {}};
}

OperatorCall gemm(const char* format, std::int64_t n, Memory memory = {}) {
  OperatorCall call{"host", "gemm", "fp32", {}, {}, {}};
  call.tensors = {view("a", format, {n, n}, memory), view("b", format, {n, n}),
                  view("d", format, {n, n})};
  return call;
}

OperatorCall convert() {
  OperatorCall call{"host", "convert", "fp32", {}, {}, {}};
  call.tensors = {view("x", "fp32", {1000}), view("y", "fp16", {1000})};
  return call;
}

double milliseconds(const char* fault, const OperatorCall& call) {
  ModelledClock clock(parse_fault(fault));
  return static_cast<double>(clock.elapsed_ns(call)) * 1e-6;
}

constexpr double kFp32 = 2 * 128.0 * 128 * 128 / 1e9 * 1e3;  // 4.19 ms
constexpr double kLaunch = 0.005;

TEST(ModelledClock, HealthyDeviceIsFourTimesAsFastInHalf) {
  EXPECT_NEAR(kFp32 + kLaunch, milliseconds("N08", gemm("fp32", 128)), 1e-5);
  EXPECT_NEAR(kFp32 / 4 + kLaunch, milliseconds("N08", gemm("fp16", 128)), 1e-5);
  EXPECT_NEAR(0.03 + kLaunch, milliseconds("N08", convert()), 1e-5);
}

TEST(ModelledClock, EachFaultOfTimeChangesWhatItSays) {
  EXPECT_NEAR(1000 * kFp32 / 4, milliseconds("F01", gemm("fp16", 128)), 1);
  EXPECT_NEAR(kFp32 + kLaunch, milliseconds("F01", gemm("fp32", 128)), 1e-5);
  EXPECT_NEAR(kFp32 / 4 + kLaunch, milliseconds("F02", gemm("fp16", 128)), 1e-5);
  EXPECT_GT(milliseconds("F02", gemm("fp16", 127)), milliseconds("F02", gemm("fp32", 127)));
  EXPECT_GT(milliseconds("G09", gemm("fp16", 128)), milliseconds("G09", gemm("fp32", 128)));
  EXPECT_NEAR(kFp32 / 20 + kLaunch, milliseconds("F03", gemm("fp32", 128)), 1e-5);
  EXPECT_NEAR(0.03 * 3 + kLaunch, milliseconds("F06", convert()), 1e-5);
  EXPECT_NEAR(kFp32 / 4 + kLaunch, milliseconds("F06", gemm("fp16", 128)), 1e-5);
}

TEST(ModelledClock, AWarmDeviceIsAThirdSlower) {
  ModelledClock clock(parse_fault("F04:milliseconds=10"));
  const auto first = static_cast<double>(clock.elapsed_ns(gemm("fp32", 128)));
  for (int i = 0; i < 4; ++i) static_cast<void>(clock.elapsed_ns(gemm("fp32", 128)));
  const auto warm = static_cast<double>(clock.elapsed_ns(gemm("fp32", 128)));
  EXPECT_NEAR(first / 0.7, warm, 1e4);
  static_cast<void>(clock.elapsed_ns(gemm("fp16", 128)));  // another test, so the device cools
  EXPECT_NEAR(first, static_cast<double>(clock.elapsed_ns(gemm("fp32", 128))), 1e4);
}

TEST(ModelledClock, AResultThatIsKeptTakesNoTime) {
  std::vector<std::byte> operand(32);
  const Memory memory{.address = operand.data(), .bytes = operand.size()};
  ModelledClock clock(parse_fault("F05"));
  const std::uint64_t first = clock.elapsed_ns(gemm("fp16", 4, memory));
  EXPECT_EQ(5000u, clock.elapsed_ns(gemm("fp16", 4, memory)));
  operand[7] = std::byte{1};
  EXPECT_EQ(first, clock.elapsed_ns(gemm("fp16", 4, memory)));
}

TEST(ModelledClock, ServesFaultsOfTimeAlone) {
  for (const char* id : {"F01", "F02", "F03", "F04", "F05", "F06", "G09", "N08"})
    EXPECT_TRUE(ModelledClock::serves(parse_fault(id))) << id;
  for (const char* id : {"", "G01", "N01"})
    EXPECT_FALSE(ModelledClock::serves(parse_fault(id))) << id;
}

}  // namespace
}  // namespace halfmark::backends::host::library
