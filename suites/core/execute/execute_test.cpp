// SPDX-License-Identifier: Apache-2.0
// What the two ways to run a plan say of outputs that nothing writes.
#include "suites/core/execute/execute.hpp"

#include <gtest/gtest.h>

#include "reference/formats/classify.hpp"

namespace halfmark::suites {
namespace {

// Launches nothing, so that outputs stay as they were begun.
Plan idle_plan(const formats::Format& format) {
  Plan plan;
  plan.tensors = {{.name = "a", .format = &format, .count = 3, .role = Role::kInput},
                  {.name = "d", .format = &format, .count = 5, .role = Role::kOutput}};
  return plan;
}

TEST(Execute, ListsWhatKeepsBothPoisons) {
  Session session(backends::Device::open("host"));
  const TensorSet inputs = {{"a", formats::Tensor::zeros(formats::kFp16, 3)}};
  const DeviceResult got = execute(session, idle_plan(formats::kFp16), inputs);
  EXPECT_EQ("uninit", memory_fault(got));
  EXPECT_EQ((std::vector<std::size_t>{0, 1, 2, 3, 4}), got.unwritten.at("d"));
}

// Larger than two pieces in which poison is written and tensors are compared.
constexpr std::size_t kManyBytes = 2 * kPieceBytes + 6;

TEST(Execute, FindsEveryUnwrittenElementOfALargeTensor) {
  Session session(backends::Device::open("host"));
  Plan plan = idle_plan(formats::kFp16);
  plan.tensors[1].count = kManyBytes / 2;
  const TensorSet inputs = {{"a", formats::Tensor::zeros(formats::kFp16, 3)}};
  const DeviceResult got = execute(session, plan, inputs);
  EXPECT_TRUE(got.guards_broken.empty());
  EXPECT_EQ(kManyBytes / 2, got.unwritten.at("d").size());
}

TEST(PreparedPlan, ComparesEveryByteOfALargeTensor) {
  Session session(backends::Device::open("host"));
  Plan plan = idle_plan(formats::kFp16);
  plan.tensors[0].count = kManyBytes / 2;
  const TensorSet inputs = {{"a", formats::Tensor::zeros(formats::kFp16, kManyBytes / 2)}};
  const PreparedPlan run(session, plan, inputs, Unset{});
  EXPECT_TRUE(run.holds(plan.tensors[0], inputs.at("a")));
  EXPECT_TRUE(run.guard_is_intact(plan.tensors[0]));
  for (const std::size_t at : {std::size_t{0}, kPieceBytes - 1, kPieceBytes, kManyBytes - 1}) {
    formats::Tensor other = inputs.at("a");
    other.bytes[at] = std::byte{1};
    EXPECT_FALSE(run.holds(plan.tensors[0], other)) << at;
  }
}

TEST(PreparedPlan, StartsAgainWithAnotherPoison) {
  Session session(backends::Device::open("host"));
  const Plan plan = idle_plan(formats::kFp16);
  const TensorSet inputs = {{"a", formats::Tensor::zeros(formats::kFp16, 3)}};
  PreparedPlan run(session, plan, inputs, Unset{});
  const Unset other{.contents = std::byte{0x11}, .behind = std::byte{0x22}};
  run.start_again(inputs, other);
  const auto [outputs, intact] = run.read(plan.tensors[1]);
  EXPECT_TRUE(intact);
  EXPECT_EQ(std::vector<std::byte>(10, other.contents), outputs.bytes);
  EXPECT_TRUE(run.holds(plan.tensors[0], inputs.at("a")));
}

TEST(ExecuteOnce, BeginsOutputsAsNanInEveryFormat) {
  Session session(backends::Device::open("host"));
  for (const formats::Format* format : {&formats::kFp16, &formats::kBf16, &formats::kFp32}) {
    const TensorSet inputs = {{"a", formats::Tensor::zeros(*format, 3)}};
    const DeviceResult got = execute_once(session, idle_plan(*format), inputs);
    ASSERT_FALSE(got.error);
    EXPECT_EQ("", memory_fault(got));
    for (std::size_t i = 0; i < 5; ++i)
      EXPECT_TRUE(formats::is_nan(*format, got.outputs.at("d").at(i))) << format->name;
  }
}

TEST(ExecuteOnce, HasErrorsAsData) {
  Session session(backends::Device::open("host"));
  Plan plan = idle_plan(formats::kFp16);
  plan.launches.push_back(
      {.family = "probe", .defines = {}, .entry = "there_is_none", .arguments = {}});
  const TensorSet inputs = {{"a", formats::Tensor::zeros(formats::kFp16, 3)}};
  EXPECT_TRUE(execute_once(session, plan, inputs).error);
}

}  // namespace
}  // namespace halfmark::suites
