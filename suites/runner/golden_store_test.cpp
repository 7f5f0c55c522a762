// SPDX-License-Identifier: Apache-2.0
// A store survives its text, and every kind of damage is refused with a reason.
#include "suites/runner/golden_store.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace halfmark::suites {
namespace {

GoldenStore sample() {
  return {.contract_revision = "11",
          .level = "smoke",
          .seed = 1,
          .seeds = 1,
          .cases = {{"a.s1", {.digest = "00000000000000aa", .sum = 1}},
                    {"b.s1", {.digest = "00000000000000bb", .sum = ~std::uint64_t{0}}}},
          .sha256 = {}};
}

std::string refusal(const std::string& text, const char* revision = "11") {
  try {
    static_cast<void>(parse_golden(text, revision));
  } catch (const GoldenError& error) {
    return error.what();
  }
  return "read";
}

// With a last line that fits.
std::string sealed(const std::string& body) {
  GoldenStore none = sample();
  none.cases.clear();
  const std::string text = print(none);  // its head
  const std::string head = text.substr(0, text.find("sha256 "));
  // print() seals any head: a level with line ends carries the body.
  GoldenStore carrier{.contract_revision = "11", .level = "smoke", .cases = {}, .sha256 = {}};
  carrier.level = "smoke\nseed 1\nseeds 1\n" + body + "end";
  return print(carrier);
}

TEST(GoldenStore, SurvivesItsText) {
  const GoldenStore before = sample();
  const GoldenStore after = parse_golden(print(before), "11");
  EXPECT_EQ(before.cases, after.cases);
  EXPECT_EQ(before.level, after.level);
  EXPECT_EQ(64u, after.sha256.size());
}

TEST(GoldenStore, EveryFlippedByteAndEveryCutIsRefused) {
  const std::string text = print(sample());
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string damaged = text;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    EXPECT_NE("read", refusal(damaged)) << i;
    EXPECT_NE("read", refusal(text.substr(0, i))) << i;
  }
  EXPECT_NE("read", refusal(text + "x"));
  EXPECT_NE("read", refusal(text + text));
}

TEST(GoldenStore, AnotherRevisionIsNamed) {
  EXPECT_EQ("it was made for contract revision 11, and this program has revision 12; make it again",
            refusal(print(sample()), "12"));
}

TEST(GoldenStore, LinesThatMakeNoSenseAreNamed) {
  EXPECT_EQ("line 6: it is not CASE DIGEST SUM", refusal(sealed("a.s1 00\n")));
  EXPECT_EQ("line 6: it is not CASE DIGEST SUM",
            refusal(sealed("a.s1 00000000000000aa 000000000000000x\n")));
  EXPECT_EQ("line 7: the cases are not sorted",
            refusal(sealed("b.s1 00000000000000aa 0000000000000001\n"
                           "a.s1 00000000000000aa 0000000000000001\n")));
  GoldenStore none = sample();
  none.cases.clear();
  EXPECT_EQ("it has no case", refusal(print(none)));
  EXPECT_EQ("it is no golden store", refusal("{}"));
}

TEST(GoldenStore, ManyNodesRecomputeEverythingAndEachLittle) {
  constexpr int kNodes = 1000, kCases = 200;
  int recomputed = 0, never = 0;
  for (int c = 0; c < kCases; ++c) {
    int nodes = 0;
    for (int n = 0; n < kNodes; ++n)
      nodes += is_recomputed(fmt::format("case{}", c), fmt::format("node{}", n)) ? 1 : 0;
    recomputed += nodes;
    never += nodes == 0 ? 1 : 0;
  }
  EXPECT_EQ(0, never);
  EXPECT_NEAR(kNodes * kCases / kGoldenSample, recomputed, 300);
}

}  // namespace
}  // namespace halfmark::suites
