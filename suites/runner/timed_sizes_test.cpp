// SPDX-License-Identifier: Apache-2.0
// Which sizes rows share, and which of two rows of one name is timed.
#include "suites/runner/timed_sizes.hpp"

#include <gtest/gtest.h>

#include "suites/registry.hpp"

namespace halfmark::suites {
namespace {

using TimedList = std::vector<Timed>;

std::string square(const std::string& format, const std::string& side) {
  return "gemm." + format + ".acc-fp32.out-" + format + ".library.nn.m" + side + "n" + side + "k" +
         side + ".plain.normal.s1";
}

TEST(TimedSizes, AreTheLargestAmongRowsThatAreCompared) {
  const std::string half = square("fp16", "64"), wide = square("fp32", "64");
  const std::string chain = "rates.fp16.fma.portable.w2.n64r8.periodic.s1";
  const std::string longer = "rates.fp16.fma.portable.w2.n64r32.periodic.s1";
  const std::map<std::string, Case> grown = {{half, parse_case(square("fp16", "256"))},
                                             {wide, parse_case(square("fp32", "512"))},
                                             {chain, parse_case(longer)}};
  const std::string single = "arithmetic.fp32.add.portable.n4096.near.s1";
  EXPECT_EQ((TimedList{{square("fp16", "512"), half},
                       {"autocast " + square("fp16", "512"), half},
                       {square("fp32", "512"), wide},
                       {longer, chain},
                       {single, single}}),
            timed_sizes({half, "autocast " + half, wide, chain, single}, grown));
}

// The point of a sweep at the size to which another case grows keeps the name, whatever the order.
TEST(TimedSizes, GiveNoNameTwice) {
  const std::string small = square("fp16", "64"), point = square("fp16", "1024");
  const std::map<std::string, Case> grown = {{small, parse_case(point)}};
  EXPECT_EQ((TimedList{{point, point}}), timed_sizes({small, point}, grown));
  EXPECT_EQ((TimedList{{point, point}}), timed_sizes({point, small}, grown));
  EXPECT_EQ((TimedList{{point, point}, {"autocast " + point, small}}),
            timed_sizes({small, point, "autocast " + small}, grown))
      << "with its casts it is another row";
  EXPECT_EQ((TimedList{{point, small}}), timed_sizes({small}, grown));
  EXPECT_EQ((TimedList{{point, small}}),
            timed_sizes({small, square("fp16", "128")},
                        {{small, parse_case(point)}, {square("fp16", "128"), parse_case(point)}}));
}

TEST(TimedSizes, OfACaseThatDoesNotGrowAreItsOwn) {
  const std::string small = square("fp16", "64");
  EXPECT_EQ((TimedList{{small, small}}), timed_sizes({small}, {{small, parse_case(small)}}));
  EXPECT_EQ((TimedList{{small, small}}), timed_sizes({small}, {}));
}

}  // namespace
}  // namespace halfmark::suites
