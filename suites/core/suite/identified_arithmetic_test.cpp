// SPDX-License-Identifier: Apache-2.0
#include "suites/core/suite/identified_arithmetic.hpp"

#include <gtest/gtest.h>

namespace halfmark::suites {
namespace {

Identified example() {
  return {.key = "gemm.fp16.acc-fp32.out-fp32.library.nn.m3n5k7",
          .suite = "gemm",
          .provider = "library",
          .library = "example 1",
          .formats = "fp16.acc-fp32.out-fp32",
          .shape = "nn.m3n5k7",
          .identity = Identity::kNamed,
          .arithmetic = "fp32.sequential.fma",
          .rounding = "toward_zero",
          .subnormals = "flush",
          .evidence = "every bit",
          .others = {"fp32.sequential.mul (the same)"},
          .observed = {"tree (0+1)"}};
}

TEST(Identified, SurvivesItsJsonForm) {
  for (const Identity identity :
       {Identity::kNamed, Identity::kDescribed, Identity::kUnexplained, Identity::kNotRepeatable,
        Identity::kNotUniform, Identity::kNotOffered, Identity::kNoAnswer}) {
    Identified found = example();
    found.identity = identity;
    EXPECT_EQ(found, identified_from_json(to_json(found)));
    EXPECT_EQ(identity, parse_identity(name_of(identity)));
  }
}

TEST(Identified, AMissingMemberIsNamed) {
  const nlohmann::json whole = to_json(example());
  for (const auto& [name, value] : whole.items()) {
    nlohmann::json part = whole;
    part.erase(name);
    try {
      static_cast<void>(identified_from_json(part));
      ADD_FAILURE() << name;
    } catch (const std::runtime_error& error) {
      EXPECT_NE(std::string::npos, std::string(error.what()).find(name));
    }
  }
}

TEST(Identified, AnIdentityThatNobodyKnowsIsRefused) {
  nlohmann::json j = to_json(example());
  j["identity"] = "guessed";
  EXPECT_THROW(static_cast<void>(identified_from_json(j)), std::runtime_error);
}

}  // namespace
}  // namespace halfmark::suites
