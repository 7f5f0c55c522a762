// SPDX-License-Identifier: Apache-2.0
#include "suites/throughput/sampled_rows.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "backends/backend.hpp"
#include "suites/core/judge/judge.hpp"
#include "suites/registry.hpp"

namespace halfmark::suites::throughput {
namespace {

backends::DeviceInfo host() { return backends::Device::open("host").info(); }

std::optional<SampledRows> sample_of(const char* name) {
  return sampled_rows(parse_case(name), host());
}

TEST(SampledRows, ComparesAllOfASmallProblem) {
  EXPECT_FALSE(sample_of("gemm.fp32.acc-fp32.out-fp32.portable.nn.m512n512k512.plain.normal.s1"));
  EXPECT_FALSE(sample_of("softmax.forward.fp16.out-fp16.portable.r1000n1000.normal.s1"));
}

TEST(SampledRows, TakesBothEndsAndRowsBetween) {
  const auto sample =
      sample_of("gemm.fp32.acc-fp32.out-fp32.portable.nn.m4096n4096k4096.plain.normal.s1");
  ASSERT_TRUE(sample);
  EXPECT_EQ("gemm.fp32.acc-fp32.out-fp32.portable.nn.m128n4096k4096.plain.normal.s1",
            print(sample->c));
  EXPECT_EQ(128u, sample->rows.size());
  EXPECT_TRUE(std::ranges::is_sorted(sample->rows));
  EXPECT_TRUE(std::ranges::adjacent_find(sample->rows) == sample->rows.end());
  EXPECT_EQ(0u, sample->rows.front());
  EXPECT_EQ(4095u, sample->rows.back());
  // Between the ends, in every eighth of the rows.
  for (std::size_t begin = 0; begin < 4096; begin += 512) {
    EXPECT_TRUE(std::ranges::any_of(sample->rows, [=](std::size_t row) {
      return row >= begin && row < begin + 512;
    })) << begin;
  }
}

TEST(SampledRows, ComparesAllWhereResultsMixRows) {
  EXPECT_FALSE(
      sample_of("layernorm.backward.fp16.portable.r16000n1000.eps1e-5.normal.s1"));  // dgamma
  EXPECT_FALSE(sample_of("gemm.fp32.acc-fp32.out-fp32.library.tn.m4096n4096k4096.plain.normal.s1"));
}

// What is cut out of the results of the large problem is what the small problem computes of what is
// cut out of the operands.
TEST(SampledRows, CutsProblemsThatStandByThemselves) {
  for (const char* name : {"softmax.forward.fp16.out-fp16.portable.r20000n200.normal.s1",
                           "layernorm.forward.fp32.portable.r20000n200.eps1e-5.normal.s1"}) {
    const auto sample = sample_of(name);
    ASSERT_TRUE(sample) << name;
    const auto large = find_suite(sample->c.suite).bind(parse_case(name));
    const auto small = find_suite(sample->c.suite).bind(sample->c);
    const TensorSet inputs = large->inputs();
    const formats::Tensor& x = inputs.at("x");
    const formats::Tensor cut = sample->cut(inputs).at("x");
    for (std::size_t i = 0; i < sample->rows.size(); ++i)
      EXPECT_EQ(x.at(sample->rows[i] * 200 + 7), cut.at(i * 200 + 7)) << name << " row " << i;
    const Expectation expected = small->expect(sample->cut(inputs));
    const Comparison same =
        compare(allowance_of(expected), sample->cut(large->expect(inputs).middle));
    EXPECT_EQ(0u, same.mismatches) << name;
    EXPECT_GE(same.elements, 128u * 200) << name;
    EXPECT_LT(same.elements, 20'000u * 200) << name;
  }
}

}  // namespace
}  // namespace halfmark::suites::throughput
