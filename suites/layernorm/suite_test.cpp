// SPDX-License-Identifier: Apache-2.0
// Names round-trip, every pass is justified, every hypothesis is distinguishable from the
// specification, and the kernels give the reference's bits on the devices available on
// every machine.
#include "suites/layernorm/suite.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "reference/formats/classify.hpp"
#include "reference/formats/ulp.hpp"
#include "reference/soft/soft.hpp"
#include "suites/core/judge/judge.hpp"
#include "suites/core/run/run_case.hpp"
#include "suites/core/testing/suite_checks.hpp"
#include "suites/layernorm/binding.hpp"

namespace halfmark::suites::layernorm {
namespace {

constexpr std::uint64_t kSeed = 7;

TEST(LayernormSuite, NamesParseBackAndLevelsAreNested) {
  expect_names_parse_back_and_levels_nest(suite());
}

TEST(LayernormSuite, EveryCaseEarnsItsPass) {
  for (const Case& c : suite().cases(Level::kStandard, kSeed)) {
    const TensorSet inputs = suite().bind(c)->inputs();
    EXPECT_EQ("", unearned(inputs, suite().bind(c)->expect(inputs).middle, 0)) << print(c);
  }
}

TEST(LayernormSuite, ConstantRowsGiveBetaExactly) {
  for (const Case& c : suite().cases(Level::kStandard, kSeed)) {
    if (c.word("fill") != "constant" || !bind(c).centered) continue;
    const TensorSet inputs = suite().bind(c)->inputs();
    const TensorSet outputs = suite().bind(c)->expect(inputs).middle;
    const Binding b = bind(c);
    for (std::size_t i = 0; i < b.count(); ++i) {
      ASSERT_EQ(inputs.at("beta").at(i % b.width), outputs.at("y").at(i)) << print(c);
    }
    for (std::size_t r = 0; r < b.rows; ++r) {
      const formats::Bits first = inputs.at("x").at(r * b.width);
      ASSERT_EQ(soft::convert(*b.format, formats::kFp32, first).bits, outputs.at("mean").at(r))
          << print(c);
    }
  }
}

TEST(LayernormSuite, SignPatternsGiveIntegers) {
  const Case c = parse_case("layernorm", suite().axes,
                            "layernorm.backward.fp32.portable.r256n64.eps1e-5.signs.s7");
  const TensorSet inputs = suite().bind(c)->inputs();
  const TensorSet outputs = suite().bind(c)->expect(inputs).middle;
  for (std::size_t j = 0; j < 64; ++j) {
    std::int64_t dgamma = 0;
    std::int64_t dbeta = 0;
    for (std::size_t r = 0; r < 256; ++r) {
      const auto sign = [&](const char* name) {
        return formats::sign(formats::kFp32, inputs.at(name).at(r * 64 + j)) ? -1 : 1;
      };
      dgamma += sign("x") * sign("dy");
      dbeta += sign("dy");
    }
    EXPECT_EQ(soft::from_int(formats::kFp32, dgamma).bits, outputs.at("dgamma").at(j));
    EXPECT_EQ(soft::from_int(formats::kFp32, dbeta).bits, outputs.at("dbeta").at(j));
  }
}

TEST(LayernormSuite, WhereLibrariesAreHeldToTheExactValueTheBoundLeavesNothingElse) {
  std::set<std::string> rules;
  for (const Case& c : suite().cases(Level::kStandard, kSeed)) {
    if (c.word("provider") != "library" || suite().bind(c)->row({}).tier != Tier::kExact) continue;
    rules.emplace(suite().bind(c)->row({}).id);
    const Enclosure around = *suite().bind(c)->expect(suite().bind(c)->inputs()).enclosure;
    for (const auto& [name, low] : around.low) {
      const bool bounded =
          name == "rstd" || name == "dx" || (name == "mean" && c.word("fill") != "zeros");
      for (std::size_t i = 0; i < low.count() && !bounded; ++i) {
        const auto place = [&](const TensorSet& set) {
          return formats::ordered(*low.format, set.at(name).at(i));
        };
        ASSERT_EQ(place(around.low), place(around.high)) << print(c) << " " << name << " " << i;
      }
    }
  }
  EXPECT_EQ(3u, rules.size());
}

TEST(LayernormSuite, EveryHypothesisShowsInSomeSmokeCase) {
  std::map<std::string, std::uint64_t> shown;
  for (const Case& c : suite().cases(Level::kSmoke, kSeed)) {
    if (c.word("provider") != "portable") continue;
    const TensorSet inputs = suite().bind(c)->inputs();
    const TensorSet expected = suite().bind(c)->expect(inputs).middle;
    for (const Hypothesis& h : suite().bind(c)->mistakes()) {
      std::uint64_t& differences = shown[(bind(c).centered ? "" : "rms-") + h.name];
      if (differences > 0) continue;
      differences = compare(expected, h.evaluate(c, inputs).middle, 0).mismatches;
    }
  }
  EXPECT_GE(shown.size(), 45u);
  for (const auto& [name, differences] : shown) EXPECT_GT(differences, 0u) << name;
}

TEST(LayernormKernels, GiveTheReferencesBitsOnCpusThatKeepSubnormals) {
  expect_conforming_where_subnormals_are_kept(suite());
}

}  // namespace
}  // namespace halfmark::suites::layernorm
