// SPDX-License-Identifier: Apache-2.0
// Recipes of GELU: those by polynomials against results of a processor's vector code, which nobody
// computed from the description; and each against its neighbours, which must not share its bits.
#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "reference/formats/classify.hpp"
#include "suites/activation/binding.hpp"
#include "suites/activation/suite.hpp"

namespace halfmark::suites::activation {
namespace {

using Words = std::vector<formats::Bits>;

struct Named {
  const char* operation;
  const char* recipe;
};
constexpr Named kOperations[] = {
    {"gelu", "product-short-erf-exp-degree5.fused"},
    {"gelu-backward", "product-short-erf-exp-degree5.argument-first.halves-fused"},
    {"gelu_tanh", "square-fused-late-tanh-degree6.plain"},
    {"gelu_tanh-backward", "square-fused-tanh-degree6.factors-fused"},
};

// With an upstream gradient of 1.
struct Measured {
  std::uint32_t x;
  std::uint32_t results[std::size(kOperations)];
};
constexpr Measured kMeasured[] = {
    {0x3df7092a, {0x3d87607d, 0x3f1884e8, 0x3d876072, 0x3f1884c1}},
    {0xc217aa49, {0x00000000, 0x00000000, 0x80000000, 0x00000000}},
    {0x40cd1f9f, {0x40cd1f9f, 0x3f800000, 0x40cd1f9f, 0x3f800000}},
    {0xbe2c05d5, {0xbd9512c3, 0x3ebc03ad, 0xbd9512e5, 0x3ebc0477}},
    {0x42e29ba5, {0x42e29ba5, 0x3f800000, 0x42e29ba5, 0x3f800000}},
    {0xc03995ae, {0xbbb16dda, 0xbc7c67c0, 0xbba2dd7c, 0xbc77f7f4}},
    {0x3ebeb2bf, {0x3e76160a, 0x3f48aac5, 0x3e761488, 0x3f48a6ee}},
    {0xbdad64a8, {0xbd21b1ab, 0x3edd7edf, 0xbd21b1ae, 0x3edd7ef8}},
    {0x42b1018d, {0x42b1018d, 0x3f800000, 0x42b1018d, 0x3f800000}},
    {0xbbd011b4, {0xbb4f03d3, 0x3efd67ee, 0xbb4f03d7, 0x3efd67f3}},
    {0x40396dd3, {0x4039147e, 0x3f81fbdc, 0x40391bca, 0x3f81f313}},
    {0xc19201e4, {0x00000000, 0x00000000, 0x80000000, 0x00000000}},
    {0x3c4d2872, {0x3bcf3529, 0x3f028ebc, 0x3bcf3529, 0x3f028ebc}},
    {0xbfd1b26a, {0xbdaa0d70, 0xbdf60088, 0xbdaa64c7, 0xbdf703b5}},
    {0x3ebacf6b, {0x3e7002e5, 0x3f4750fc, 0x3e700182, 0x3f474d5b}},
    {0xbfae2a98, {0xbdf1e7c7, 0xbe035d92, 0xbdf2623d, 0xbe035bf1}},
    {0x400fafe2, {0x400de87b, 0x3f87a323, 0x400ded65, 0x3f87bb11}},
    {0xbd178de0, {0xbc9314bb, 0x3ef0e439, 0xbc9314be, 0x3ef0e43f}},
    {0x3f802819, {0x3f57b942, 0x3f8ab3c4, 0x3f57af38, 0x3f8aa842}},
    {0xbbefcdd5, {0xbb6e6763, 0x3efd02af, 0xbb6e6760, 0x3efd02ac}},
    {0x3cf52970, {0x3c7b03da, 0x3f061c6c, 0x3c7b03da, 0x3f061c6a}},
    {0xbbad7c27, {0xbb2cc089, 0x3efdd64e, 0xbb2cc08b, 0x3efdd652}},
    {0x3f00da6a, {0x3eb27f13, 0x3f5e9a7b, 0x3eb27cc4, 0x3f5e9226}},
    {0xbc92bcaa, {0xbc10a3d3, 0x3ef8aef0, 0xbc10a3d3, 0x3ef8aef0}},
    {0x3f800000, {0x3f57625e, 0x3f8aaa14, 0x3f57585c, 0x3f8a9e91}},
    {0xbf800000, {0xbe227688, 0xbdaaa148, 0xbe229e90, 0xbda9e913}},
    {0xc0a00000, {0xb5c80000, 0xb6ef0000, 0xb4a00000, 0xb606f296}},
    {0x41100000, {0x41100000, 0x3f800000, 0x41100000, 0x3f800000}},
    {0xc1500000, {0x00000000, 0x00000000, 0x80000000, 0x00000000}},
};

Case case_of(const std::string& operation) {
  return parse_case("activation", suite().axes,
                    "activation." + operation + ".fp32.library.n4096.routes.s7");
}

Words evaluated(const Case& c, const TensorSet& inputs, const std::string& recipe) {
  Identified found;
  found.arithmetic = recipe;
  const formats::Tensor y = modelling().refer(c, inputs, found).middle.begin()->second;
  Words words;
  for (std::size_t i = 0; i < y.count(); ++i) words.push_back(y.at(i));
  return words;
}

TEST(ActivationRecipes, PolynomialsHaveTheMeasuredResults) {
  for (std::size_t k = 0; k < std::size(kOperations); ++k) {
    const auto& [operation, recipe] = kOperations[k];
    const Case c = case_of(operation);
    formats::Tensor x = formats::Tensor::zeros(formats::kFp32, std::size(kMeasured)), dy = x;
    for (std::size_t i = 0; i < x.count(); ++i) {
      x.set(i, kMeasured[i].x);
      dy.set(i, formats::one(formats::kFp32));
    }
    TensorSet inputs{{"x", x}};
    if (!bind(c).row->second.empty()) inputs.emplace("dy", dy);
    const Words actual = evaluated(c, inputs, recipe);
    for (std::size_t i = 0; i < x.count(); ++i)
      EXPECT_EQ(kMeasured[i].results[k], actual.at(i)) << operation << " " << kMeasured[i].x;
  }
}

// One answer of the measured recipe replaced by another, everything else as it is.
constexpr Named kNeighbours[] = {
    {"gelu", "product-short-erf.fused"},
    {"gelu", "product.fused"},
    {"gelu", "quotient.fused"},
    {"gelu", "product-short-erf-exp-degree5.plain"},
    {"gelu-backward", "product-short-erf.argument-first.halves-fused"},
    {"gelu-backward", "product.argument-first.halves-fused"},
    {"gelu-backward", "product-short-erf-exp-degree5.density-first.halves-fused"},
    {"gelu-backward", "product-short-erf-exp-degree5.density-last.halves-fused"},
    {"gelu-backward", "product-short-erf-exp-degree5.power-first.halves-fused"},
    {"gelu-backward", "product-short-erf-exp-degree5.argument-first.sum"},
    {"gelu-backward", "product-short-erf-exp-degree5.argument-first.sum-fused"},
    {"gelu_tanh", "square-fused-late.plain"},
    {"gelu_tanh", "square-fused-late-tanh-degree6.fused"},
    {"gelu_tanh", "square-fused-tanh-degree6.plain"},
    {"gelu_tanh", "square-tanh-degree6.plain"},
    {"gelu_tanh", "cube-tanh-degree6.plain"},
    {"gelu_tanh", "cube-fused-tanh-degree6.plain"},
    {"gelu_tanh-backward", "square-fused.factors-fused"},
    {"gelu_tanh-backward", "square-fused-tanh-degree6.sum"},
    {"gelu_tanh-backward", "square-fused-tanh-degree6.sum-fused"},
    {"gelu_tanh-backward", "square-fused-late-tanh-degree6.factors-fused"},
    {"gelu_tanh-backward", "square-tanh-degree6.factors-fused"},
};

TEST(ActivationRecipes, NeighboursHaveOtherBitsOnOrdinaryData) {
  for (const auto& [operation, recipe] : kOperations) {
    const Case c = case_of(operation);
    const TensorSet inputs = suite().bind(c)->inputs();
    const Words right = evaluated(c, inputs, recipe);
    std::set<Words> different{right};
    std::size_t neighbours = 0;
    for (const auto& [of, neighbour] : kNeighbours) {
      if (std::string(of) != operation) continue;
      ++neighbours;
      EXPECT_NE(right, evaluated(c, inputs, neighbour)) << operation << " " << neighbour;
      different.insert(evaluated(c, inputs, neighbour));
    }
    EXPECT_EQ(1 + neighbours, different.size()) << operation;
  }
}

}  // namespace
}  // namespace halfmark::suites::activation
