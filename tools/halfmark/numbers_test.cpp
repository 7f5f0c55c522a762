// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/numbers.hpp"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>

namespace halfmark::tools {
namespace {

std::string parsed(const std::vector<std::string>& words, std::uint64_t& seed, double& seconds) {
  CLI::App app;
  add_seed(app, seed, "");
  add_timeout(app, "--timeout", seconds, "");
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::ParseError& error) {
    return error.what();
  }
  return "";
}

TEST(Numbers, TakesAllOfTheRange) {
  std::uint64_t seed = 1;
  double seconds = 1;
  EXPECT_EQ("", parsed({"--seed", "18446744073709551615", "--timeout", "0.001"}, seed, seconds));
  EXPECT_EQ(18446744073709551615u, seed);
  EXPECT_EQ(0.001, seconds);
  EXPECT_EQ("", parsed({"--seed=0", "--timeout=1e6"}, seed, seconds));
  EXPECT_EQ(0u, seed);
  EXPECT_EQ(1e6, seconds);
}

TEST(Numbers, RefusesWhatTheParserWouldTurnIntoAnother) {
  for (const char* word : {"18446744073709551616", "-1", "+1", "010", "0x10", "1.5", "1e3", " 1",
                           "1 ", "", "nan", "one", "99999999999999999999999999"}) {
    std::uint64_t seed = 7;
    double seconds = 7;
    EXPECT_EQ(
        "--seed: '" + std::string(word) + "' is not a whole number from 0 to 18446744073709551615",
        parsed({"--seed", word}, seed, seconds));
    EXPECT_EQ(7u, seed);
  }
}

TEST(Numbers, RefusesTimesThatAreNone) {
  for (const char* word : {"1e13", "1000001", "0", "0.0009", "-1", "nan", "inf", "-inf", "1e400",
                           "0x10", "1s", " 1", ""}) {
    std::uint64_t seed = 7;
    double seconds = 7;
    EXPECT_EQ("--timeout: '" + std::string(word) + "' is not a number from 0.001 to 1000000",
              parsed({"--timeout", word}, seed, seconds));
    EXPECT_EQ(7, seconds);
  }
}

TEST(Numbers, QuotesTheWord) {
  EXPECT_EQ("'1\\n2' is not a whole number from 1 to 9", whole_number_fault("1\n2", 1, 9));
  EXPECT_LE(decimal_fault(std::string(100'000, '7'), 0, 1).size(), 300u);
}

}  // namespace
}  // namespace halfmark::tools
