// SPDX-License-Identifier: Apache-2.0
// Products followed by an activation: the enclosure contains the correct activation of sums in any
// order and no other activation; calls name it; unasserted combinations are not cases.
#include "suites/gemm/epilogue.hpp"

#include <gtest/gtest.h>

#include <string>

#include "reference/models/arithmetic.hpp"
#include "suites/core/case/errors.hpp"
#include "suites/core/judge/judge.hpp"
#include "suites/gemm/binding.hpp"
#include "suites/gemm/library.hpp"
#include "suites/gemm/suite.hpp"

namespace halfmark::suites::gemm {
namespace {

constexpr const char* kSmooth[] = {"gelu",     "gelutanh",     "silu",
                                   "biasgelu", "biasgelutanh", "biassilu"};

Case product(const std::string& path, const std::string& variant) {
  return parse_case("gemm", axes(),
                    "gemm." + path + ".library.nt.m33n17k40." + variant + ".uniform.s7");
}

std::uint64_t outside(const Case& c, const models::Arithmetic& arithmetic, Activation activation) {
  Binding bound = bind(c);
  const TensorSet inputs = suite().bind(c)->inputs();
  const Enclosure allowed = *suite().bind(c)->expect(inputs).enclosure;
  Variant changed = *bound.variant;
  changed.activation = activation;
  bound.variant = &changed;
  const TensorSet actual{{"d", evaluate(bound, operands_of(bound, inputs), arithmetic, {})}};
  return compare({actual, 0, &allowed}, actual).mismatches;
}

TEST(GemmEpilogue, HoldsTheActivationOfSumsInAnyOrder) {
  const models::Arithmetic orders[] = {
      {.accumulator = &formats::kFp32},
      {.accumulator = &formats::kFp32, .step = models::Step::kMul},
      {.accumulator = &formats::kFp32, .order = models::Order::kPairwise},
      {.accumulator = &formats::kFp64},
      {.accumulator = &formats::kFp32, .order = models::split_k(4)},
  };
  for (const char* path : {"fp16.acc-fp32.out-fp16", "bf16.acc-fp32.out-bf16",
                           "fp16.acc-fp32.out-fp32", "fp32.acc-fp32.out-fp32"}) {
    for (const char* variant : kSmooth) {
      const Case c = product(path, variant);
      for (const models::Arithmetic& order : orders)
        EXPECT_EQ(0u, outside(c, order, bind(c).variant->activation)) << print(c);
    }
  }
}

TEST(GemmEpilogue, HoldsNoOtherActivation) {
  constexpr Activation kAll[] = {Activation::kNone, Activation::kRelu, Activation::kGelu,
                                 Activation::kGeluTanh, Activation::kSilu};
  for (const char* variant : kSmooth) {
    const Case c = product("fp16.acc-fp32.out-fp16", variant);
    for (const Activation other : kAll) {
      if (other == bind(c).variant->activation) continue;
      EXPECT_GT(outside(c, {.accumulator = &formats::kFp32}, other), 50u)
          << print(c) << ' ' << word_of(other);
    }
  }
}

TEST(GemmEpilogue, CallsNameIt) {
  backends::DeviceInfo device;
  device.libraries = {{.name = "lib",
                       .version = "1",
                       .kind = "library",
                       .operators = {"gemm"},
                       .usable = true,
                       .evidence = "here"}};
  const Plan plan = library_plan(bind(product("fp16.acc-fp32.out-fp16", "biasgelutanh")), device);
  ASSERT_EQ(1u, plan.operators.size());
  const std::pair<std::string, std::string> option{"activation", "gelu_tanh"};
  EXPECT_EQ(option, plan.operators[0].options.at(0));
  EXPECT_EQ("bias", plan.operators[0].tensors.back().role);
}

TEST(GemmEpilogue, InfinitiesAndKernelsHaveNone) {
  for (const char* tail :
       {"library.nt.m17n33k40.gelu.nonfinite.s1", "library.nt.m17n33k40.biassilu.special.s1",
        "portable.nt.m17n33k40.gelu.uniform.s1"}) {
    const std::string name = std::string("gemm.fp16.acc-fp32.out-fp16.") + tail;
    EXPECT_THROW(std::ignore = bind(parse_case("gemm", axes(), name)), UsageError) << name;
  }
}

}  // namespace
}  // namespace halfmark::suites::gemm
