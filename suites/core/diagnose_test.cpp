// SPDX-License-Identifier: Apache-2.0
// Devices imagined as machines: the diagnosis must name the one that made the bits.
#include "suites/core/diagnose.hpp"

#include <gtest/gtest.h>

#include "reference/soft/soft.hpp"
#include "suites/core/inputs.hpp"

namespace halfmark::suites {
namespace {

constexpr std::size_t kCount = 4096;
const Case kCase{.suite = "demo", .tokens = {}, .seed = 7};

TensorSet inputs() {
  TensorSet set;
  for (const char* name : {"a", "b", "c"}) {
    set.emplace(name, fill(formats::kFp32, kCount, name[0] == 'c' ? "subnormal" : "tiny",
                           Random(kCase, name)));
  }
  for (std::size_t i = 0; i < kCount; i += 16) {
    set.at("a").set(i,
                    0x80000000);  // beside a zero addend: the sign of a zero tells an emulated fma
    set.at("a").set(
        i + 1, 0x00c00000);  // 1.5 * 2^-126 - 2^-126 from normal operands: a flushed result shows
    set.at("b").set(i + 1, 0x3f800000);
    set.at("c").set(i + 1, 0x80800000);
  }
  return set;
}

TensorSet refer(const Case&, const TensorSet& in, const models::Machine& machine) {
  formats::Tensor d = formats::Tensor::zeros(formats::kFp32, kCount);
  for (std::size_t i = 0; i < kCount; ++i) {
    const auto c = i % 4 == 0 ? formats::Bits{0} : in.at("c").at(i);
    d.set(i, soft::fma(formats::kFp32, in.at("a").at(i), in.at("b").at(i), c, machine.fma).bits);
  }
  TensorSet out;
  out.emplace("d", std::move(d));
  return out;
}

Suite demo() {
  Suite suite{};
  suite.name = "demo";
  suite.refer = refer;
  return suite;
}

std::vector<Explanation> diagnosed(const TensorSet& actual) {
  const TensorSet in = inputs();
  return diagnose(demo(), kCase, in, refer(kCase, in, {}), actual, 0);
}

TEST(Diagnose, NamesTheMachineThatMadeTheBits) {
  using Row = std::pair<soft::Subnormals, std::string_view>;
  for (const auto& [policy, finding_class] :
       {Row{soft::Subnormals::kFlushIn, "ftz_in"}, Row{soft::Subnormals::kFlushOut, "ftz_out"},
        Row{soft::Subnormals::kFlush, "ftz"}}) {
    models::Machine machine;
    machine.fma.subnormals = policy;
    const auto found = diagnosed(refer(kCase, inputs(), machine));
    ASSERT_FALSE(found.empty());
    EXPECT_EQ(0u, found[0].contradicted);
    EXPECT_EQ(finding_class, found[0].finding_class);
    EXPECT_TRUE(found[0].hypothesis.starts_with("fma-flushes-")) << found[0].hypothesis;
    EXPECT_EQ(std::vector<std::string>{"operation_subnormals"}, found[0].freedoms);
  }
}

TEST(Diagnose, NamesAnEmulatedFma) {
  models::Machine machine;
  machine.fma = {.subnormals = soft::Subnormals::kFlush, .emulated_fma = true};
  const auto found = diagnosed(refer(kCase, inputs(), machine));
  ASSERT_FALSE(found.empty());
  EXPECT_EQ("fma-flushes-all-and-skips-zero-addend", found[0].hypothesis);
}

TEST(Diagnose, TruncationIsNoFreedom) {
  models::Machine machine;
  machine.fma.rounding = soft::Rounding::kTowardZero;
  const auto found = diagnosed(refer(kCase, inputs(), machine));
  ASSERT_FALSE(found.empty());
  EXPECT_EQ("rounding", found[0].finding_class);
  EXPECT_TRUE(found[0].freedoms.empty());
}

TEST(Diagnose, OneStrayBitLeavesNothingExact) {
  models::Machine machine;
  machine.fma.subnormals = soft::Subnormals::kFlush;
  TensorSet actual = refer(kCase, inputs(), machine);
  actual.at("d").set(17, actual.at("d").at(17) ^ 1u);
  for (const Explanation& e : diagnosed(actual)) EXPECT_GT(e.contradicted, 0u) << e.hypothesis;
}

}  // namespace
}  // namespace halfmark::suites
