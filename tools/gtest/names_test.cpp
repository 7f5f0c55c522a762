// SPDX-License-Identifier: Apache-2.0
#include "tools/gtest/names.hpp"

#include <gtest/gtest.h>

#include <set>

#include "suites/registry.hpp"

namespace halfmark::tools {
namespace {

backends::DeviceInfo device(std::string selector, std::string alias) {
  backends::DeviceInfo info;
  info.selector = std::move(selector);
  info.alias = std::move(alias);
  return info;
}

TEST(TestName, HoldsNothingThatAFilterTakesForItself) {
  const suites::Case c =
      suites::parse_case("gemm.fp16.acc-fp32.out-fp16.portable.nn.m2n3k4.plain.normal.s1");
  EXPECT_EQ(test_name(c, device("opencl:0", "")),
            "fp16.acc_fp32.out_fp16.portable.nn.m2n3k4.plain.normal.s1@opencl_0");
  EXPECT_EQ(test_name(c, device("opencl:0", "opencl:po-cl")),
            "fp16.acc_fp32.out_fp16.portable.nn.m2n3k4.plain.normal.s1@opencl_po_cl");
}

TEST(TestName, IsUniqueForEveryCaseOfEverySuite) {
  std::set<std::string> names;
  std::size_t count = 0;
  for (const suites::Suite* suite : suites::all_suites()) {
    for (const suites::Case& c : suite->cases(suites::Level::kStandard, 1)) {
      names.insert(c.suite + "." + test_name(c, device("host", "")));
      ++count;
    }
  }
  EXPECT_GT(count, 0u);
  EXPECT_EQ(names.size(), count);
}

TEST(ReplayLine, IsACommand) {
  const suites::Case c = suites::parse_case("arithmetic.fp32.add.portable.n64.near.s7");
  EXPECT_EQ(replay_line(c, device("opencl:0", "opencl:pocl")),
            "halfmark replay arithmetic.fp32.add.portable.n64.near.s7 --device opencl:pocl");
}

}  // namespace
}  // namespace halfmark::tools
