// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "tools/halfmark/ref_json/ref_json.hpp"

namespace halfmark::tools {
namespace {

using nlohmann::json;

struct Outcome {
  int code;
  std::string out, err;
};

Outcome run(const std::string& input) {
  std::istringstream in(input + "\n");
  std::ostringstream out, err;
  const int code = ref_loss_scaler(in, out, err);
  return {code, out.str(), err.str()};
}

json answer(const json& problem) {
  const Outcome got = run(problem.dump());
  EXPECT_EQ(got.code, 0) << got.err;
  return got.code == 0 ? json::parse(got.out) : json();
}

// What stands on stderr, without the verb and the line.
std::string refusal(const json& problem) {
  const Outcome got = run(problem.dump());
  EXPECT_EQ(got.code, 2) << problem.dump();
  EXPECT_EQ(got.out, "") << "nothing is answered in part";
  const std::string prefix = "halfmark ref loss_scaler: line 1: ";
  EXPECT_TRUE(got.err.starts_with(prefix)) << got.err;
  return got.err.substr(prefix.size(), got.err.size() - prefix.size() - 1);
}

json problem() {
  return {{"profile", "pytorch"},
          {"scale", "4008000000000000"},
          {"growth_interval", 2},
          {"steps", json::array()}};
}

TEST(RefLossScaler, FollowsFlagsOfSeveralDevices) {
  json p = problem();
  p["steps"] = json::parse(R"([{"found_inf":[false]},{"found_inf":[false,false]},
                               {"found_inf":[false,true]}])");
  const json got = answer(p);
  EXPECT_EQ(got["steps"], json::parse(R"([{"scale":"40400000","clean_steps":1,"outcome":"taken"},
                            {"scale":"40c00000","clean_steps":0,"outcome":"taken"},
                            {"scale":"40400000","clean_steps":0,"outcome":"skipped"}])"));
  EXPECT_EQ(got["state"], json::parse(R"({"profile":"pytorch","scale":"40400000","clean_steps":0,
                            "growth_factor":"4000000000000000",
                            "backoff_factor":"3fe0000000000000","growth_interval":2})"));
}

TEST(RefLossScaler, ChecksAndUnscalesGradients) {
  json p = problem();
  p["steps"] = json::parse(R"([{"gradients":[{"format":"fp32","bits":["40e00000"]},
                                             {"format":"fp32","bits":["00000000","7fc00000"]}]}])");
  const json step = answer(p)["steps"][0];
  EXPECT_EQ(step["gradients"][0]["bits"][0], "40155556") << "7 times 1/3";
  EXPECT_EQ(step["found_inf"], json::parse("[false,true]"));
  EXPECT_EQ(step["outcome"], "skipped");
  EXPECT_EQ(step["scale"], "3fc00000");
}

TEST(RefLossScaler, ContinuesFromASavedState) {
  for (const char* profile : {"pytorch", "apex", "megatron", "deepspeed"}) {
    const json clean = json::parse(R"({"found_inf":[false]})"),
               overflow = json::parse(R"({"found_inf":[true]})");
    json p{{"profile", profile}, {"growth_interval", 3}};
    p["steps"] = {clean, overflow, clean, clean};
    const json half_way = answer(p)["state"];
    p["steps"] = {clean, overflow, clean, clean, clean, overflow, overflow};
    const json whole = answer(p);
    p["steps"] = {json{{"restore", half_way}}, clean, overflow, overflow};
    const json continued = answer(p);
    EXPECT_EQ(continued["state"], whole["state"]) << profile;
    for (std::size_t i = 1; i < 4; ++i)
      EXPECT_EQ(continued["steps"][i], whole["steps"][i + 3]) << profile;
  }
}

TEST(RefLossScaler, WithoutStepsTheProfileIsTheAnswer) {
  const json got = answer({{"profile", "megatron"}});
  EXPECT_EQ(got["scale"], "41f0000000000000");
  EXPECT_EQ(got["floor"], "3ff0000000000000");
  EXPECT_EQ(got["hysteresis"], 2);
  EXPECT_FALSE(got.contains("ceiling"));
  EXPECT_EQ(got["growth"], "at the interval");
  EXPECT_EQ(got["unscale"], "reciprocal");
  const json other = answer({{"profile", "deepspeed"}});
  EXPECT_EQ(other["growth"], "after each interval");
  EXPECT_EQ(other["order"], "check, unscale and clip at once");
  EXPECT_EQ(other["stops_at_floor"], true);
  EXPECT_EQ(answer({{"profile", "keras"}})["unscale"], "division");
  EXPECT_NE(got["source"].get<std::string>().find("DynamicGradScaler"), std::string::npos);
}

// 3, 4 at a scale of 2: a norm of 5, clipped to 2.5 after unscaling.
TEST(RefLossScaler, ClipsInTheOrderOfTheProfile) {
  json p = {{"profile", "genesis"}, {"scale", "4000000000000000"}, {"clip", "40200000"}};
  p["steps"] = {{{"gradients", {{{"format", "fp32"}, {"bits", {"40c00000", "41000000"}}}}}},
                {{"gradients", {{{"format", "fp32"}, {"bits", {"7f800000", "3f800000"}}}}}}};
  const json steps = answer(p)["steps"];
  EXPECT_EQ(steps[0]["norm"], "40a00000");
  EXPECT_EQ(steps[0]["gradients"][0]["bits"][0], "3fbffffd");  // 3 * (2.5 * (1 / 5.000001))
  EXPECT_EQ(steps[0]["found_inf"], json({false}));
  EXPECT_EQ(steps[1]["gradients"][0]["bits"], json({"7fc00000", "00000000"}));
  EXPECT_EQ(steps[1]["found_inf"], json({true}));
  EXPECT_EQ(steps[1]["outcome"], "skipped");
  p["clip"] = "00000000";
  EXPECT_EQ(refusal(p), "'clip' is 0; it must be positive and finite");
}

TEST(RefLossScaler, RefusesAScalerThatCannotWork) {
  const auto with = [](const char* field, const json& value) {
    json p = problem();
    p[field] = value;
    return refusal(p);
  };
  EXPECT_EQ(with("growth_factor", "3fe0000000000000"),
            "'growth_factor' is 0.5; it must be above 1 and finite");
  EXPECT_EQ(with("growth_interval", 0), "'growth_interval' is 0; it must be at least 1");
  EXPECT_EQ(with("growth_interval", -1), "'growth_interval' is -1; it must be at least 1");
  EXPECT_EQ(with("growth_interval", 1ULL << 63),
            "'growth_interval' is 9223372036854775808; write a whole number from -2147483647 to "
            "2147483647");
  EXPECT_EQ(with("scale", "bff0000000000000"), "'scale' is -1; it must be positive and finite");
  EXPECT_EQ(with("scale", "7ff0000000000000"), "'scale' is inf; it must be positive and finite");
  EXPECT_EQ(with("scale", "7ff8000000000000"), "'scale' is nan; it must be positive and finite");
  EXPECT_EQ(with("hysteresis", 2), "'hysteresis' is not for pytorch, which has none; leave it out");
  EXPECT_NE(with("profile", "fairscale").find("known: halfmark, pytorch, genesis, apex"),
            std::string::npos);
  EXPECT_EQ(refusal({{"profile", "keras"}, {"backoff_factor", "3fe0000000000000"}}),
            "'backoff_factor' is not for keras, which divides by its growth factor; leave it out");
}

TEST(RefLossScaler, RefusesStepsAndStatesThatMakeNoSense) {
  const auto with = [](const char* step) {
    json p = problem();
    p["steps"] = {json::parse(R"({"found_inf":[true]})"), json::parse(step)};
    return refusal(p);
  };
  EXPECT_EQ(with(R"({"found_inf":[1]})"), "steps[1]: 'found_inf' is 1; write true or false");
  EXPECT_EQ(with(R"({"found_inf":[]})"), "steps[1]: 'found_inf' must be a list of 1 to 4096");
  EXPECT_EQ(with(R"({})"), "steps[1]: a step has one member: found_inf, gradients or restore");
  EXPECT_EQ(with(R"({"gradients":[{"format":"fp16","bits":["12345"]}]})"),
            "steps[1]: 'gradients.bits[0]' is \"12345\"; fp16 takes at most 4 hex digits");
  EXPECT_EQ(with(R"({"restore":{"profile":"apex","scale":"4000000000000000","clean_steps":0}})"),
            "steps[1]: 'restore': 'profile' is \"apex\"; this scaler is pytorch");
  EXPECT_EQ(with(R"({"restore":{"profile":"pytorch","scale":"40000000","clean_steps":0,
                     "growth_factor":"4000000000000000","backoff_factor":"3fe0000000000000"}})"),
            "steps[1]: 'restore': 'growth_interval' is missing; add it to the problem");
  const std::string settings = R"(,"growth_factor":"4000000000000000",
                                   "backoff_factor":"3fe0000000000000","growth_interval":5})";
  EXPECT_EQ(with((R"({"restore":{"profile":"pytorch","scale":"7f800000","clean_steps":0)" +
                  settings + "}")
                     .c_str()),
            "steps[1]: 'restore': 'scale' is inf; it must be positive and finite");
  EXPECT_EQ(with((R"({"restore":{"profile":"pytorch","scale":"3f800000","clean_steps":-4)" +
                  settings + "}")
                     .c_str()),
            "steps[1]: 'restore': 'clean_steps' is -4; it must not be negative");
  EXPECT_NE(with((R"({"restore":{"profile":"pytorch","scale":"3f800000","clean_steps":4,
                      "hysteresis":1)" +
                  settings + "}")
                     .c_str())
                .find("'hysteresis' is not a field"),
            std::string::npos);
  EXPECT_EQ(refusal({{"profile", "pytorch"}, {"steps", 3}}),
            "'steps' must be a list of 1 to 1048576");
}

}  // namespace
}  // namespace halfmark::tools
