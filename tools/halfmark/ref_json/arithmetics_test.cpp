// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "reference/models/arithmetic.hpp"
#include "tools/halfmark/ref_json/ref_json.hpp"

namespace halfmark::tools {
namespace {

using nlohmann::json;

json listed() {
  std::ostringstream out;
  write_arithmetics(out);
  return json::parse(out.str());
}

TEST(RefArithmetics, ListsEveryArithmeticOnce) {
  const json all = listed();
  EXPECT_EQ(models::all_units().size(), all["units"].size());
  EXPECT_EQ(models::all_arithmetics().size(), all["units"].size() + all["arithmetics"].size());
  EXPECT_EQ("exact", all["arithmetics"][0]["name"]);
}

TEST(RefArithmetics, GivesEveryParameterOfAUnit) {
  const json all = listed();
  const auto named = [&](const char* name) {
    for (const json& unit : all["units"]) {
      if (unit["name"] == name) return unit;
    }
    return json();
  };
  json ada = named("unit.ada.mma.e4m3fn.fp32");
  EXPECT_FALSE(ada["source"].get<std::string>().empty());
  ada.erase("source");
  EXPECT_EQ(json::parse(R"({"name":"unit.ada.mma.e4m3fn.fp32","generation":"ada",
      "instruction":"mma","input":"e4m3fn","a":["e4m3fn"],"b":["e4m3fn","e5m2"],"output":"fp32",
      "rule":"truncated","block":16,"fraction_bits":13,"kept_bits":13,"rounding":"toward_zero",
      "zero_exponent":-132,"instruction_k":32,"evidence":"silicon","nan":"7fffffff"})"),
            ada);
  const json nvfp4 = named("unit.blackwell.tcgen05.nvfp4.fp32");
  EXPECT_EQ(json::parse(R"({"format":"e4m3fn","block":16})"), nvfp4["scale"]);
  EXPECT_EQ("class", named("unit.cdna3.mfma.fp16.fp32")["nan"]);
}

}  // namespace
}  // namespace halfmark::tools
