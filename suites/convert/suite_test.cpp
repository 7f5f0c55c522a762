// SPDX-License-Identifier: Apache-2.0
// Names round-trip, every pass is justified, every hypothesis differs from a correct conversion,
// and the kernel gives the reference's bits on host.
#include "suites/convert/suite.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "reference/formats/classify.hpp"
#include "suites/convert/binding.hpp"
#include "suites/core/judge/judge.hpp"
#include "suites/core/run/run_case.hpp"
#include "suites/core/testing/suite_checks.hpp"

namespace halfmark::suites::convert {
namespace {

constexpr std::uint64_t kSeed = 7;

TEST(ConvertSuite, NamesParseBackAndLevelsAreNested) {
  expect_names_parse_back_and_levels_nest(suite());
}

TEST(ConvertSuite, EveryCaseEarnsItsPass) {
  for (const Case& c : suite().cases(Level::kSmoke, kSeed)) {
    const TensorSet inputs = suite().bind(c)->inputs();
    EXPECT_EQ("", unearned(inputs, suite().bind(c)->expect(inputs).middle, 0)) << print(c);
  }
}

TEST(ConvertInputs, TiesVisitEveryNumberOfTheResultAtStandard) {
  for (const Case& c : suite().cases(Level::kStandard, kSeed)) {
    if (c.word("fill") != "ties" || c.number("size", 'n') < 1u << 18) continue;
    const Binding b = bind(c);
    const bool reaches = b.from != nullptr && b.from->bits >= 32;
    if (b.to->bits > 16 || !reaches) continue;
    const formats::Tensor y = suite().bind(c)->expect(suite().bind(c)->inputs()).middle.at("y");
    std::set<formats::Bits> seen;
    for (std::size_t i = 0; i < y.count(); i += 4) {
      seen.insert(formats::magnitude(*b.to, y.at(i)));
    }
    EXPECT_EQ(formats::max_finite(*b.to) + 1, seen.size()) << print(c);
  }
}

TEST(ConvertInputs, TiesHoldTheBorderOfOverflow) {
  const Case c =
      parse_case("convert", suite().axes, "convert.fp32.to-fp16.infinity.portable.n8192.ties.s7");
  const formats::Tensor x = suite().bind(c)->inputs().at("x");
  std::set<formats::Bits> seen;
  for (std::size_t i = 0; i < x.count(); ++i)
    seen.insert(formats::magnitude(formats::kFp32, x.at(i)));
  for (const formats::Bits bits : {0x477fe000u, 0x477fefffu, 0x477ff000u, 0x477ff001u}) {
    EXPECT_TRUE(seen.contains(bits)) << std::hex << bits;  // 65504, below 65520, 65520, above
  }
}

TEST(ConvertSuite, EveryHypothesisShowsInSomeSmokeCase) {
  std::map<std::string, std::uint64_t> shown;
  for (const Case& c : suite().cases(Level::kSmoke, kSeed)) {
    if (c.word("provider") != "library") continue;
    const TensorSet inputs = suite().bind(c)->inputs();
    const TensorSet expected = suite().bind(c)->expect(inputs).middle;
    for (const Hypothesis& h : suite().bind(c)->mistakes()) {
      shown[h.name] += compare(expected, h.evaluate(c, inputs).middle, 0).mismatches;
    }
  }
  EXPECT_GE(shown.size(), 13u);
  for (const auto& [name, differences] : shown) EXPECT_GT(differences, 0u) << name;
}

TEST(ConvertKernel, GivesTheReferencesBitsOnHost) {
  Session session(backends::Device::open("host"));
  for (const Case& c : suite().cases(Level::kSmoke, kSeed)) {
    if (c.word("provider") != "portable") continue;
    const CaseResult result = run_case(session, suite(), c);
    EXPECT_EQ(name_of(Verdict::kPass), name_of(result.verdict))
        << result.name << ": " << result.reason;
  }
}

}  // namespace
}  // namespace halfmark::suites::convert
