// SPDX-License-Identifier: Apache-2.0
// Devices simulated as machines: the diagnosis must name the one that produced the bits.
#include "suites/core/diagnose/diagnose.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <tuple>
#include <vector>

#include "reference/soft/soft.hpp"
#include "suites/core/case/fills.hpp"
#include "suites/core/diagnose/machine_hypotheses.hpp"
#include "suites/core/testing/demo_problem.hpp"

namespace halfmark::suites {
namespace {

constexpr std::size_t kCount = 4096;
const Case kCase{.suite = "demo", .tokens = {}, .seed = 7};

TensorSet inputs() {
  TensorSet set;
  for (const char* name : {"a", "b", "c"}) {
    set.emplace(name, fill(formats::kFp32, kCount, name[0] == 'c' ? "subnormal" : "tiny",
                           Random(kCase, name)));
  }
  for (std::size_t i = 0; i < kCount; i += 16) {
    set.at("a").set(i,
                    0x80000000);  // with a zero addend: the sign of a zero reveals an emulated fma
    set.at("a").set(
        i + 1, 0x00c00000);  // 1.5 * 2^-126 - 2^-126 from normal operands: a flushed result shows
    set.at("b").set(i + 1, 0x3f800000);
    set.at("c").set(i + 1, 0x80800000);
  }
  return set;
}

TensorSet refer(const Case&, const TensorSet& in, const models::Machine& machine) {
  formats::Tensor d = formats::Tensor::zeros(formats::kFp32, kCount);
  for (std::size_t i = 0; i < kCount; ++i) {
    const auto c = i % 4 == 0 ? formats::Bits{0} : in.at("c").at(i);
    d.set(i, soft::fma(formats::kFp32, in.at("a").at(i), in.at("b").at(i), c, machine.fma).bits);
  }
  TensorSet out;
  out.emplace("d", std::move(d));
  return out;
}

class Demo : public DemoProblem {
 public:
  Demo() : DemoProblem(kCase) {}
  Expectation expect(const TensorSet& in, const models::Machine& machine) const override {
    return refer(c(), in, machine);
  }
};

// Its only mistakes are those that the test supplies.
class WithMistakes : public Demo {
 public:
  explicit WithMistakes(std::vector<Hypothesis> own) : own_(std::move(own)) {}
  bool follows_machine() const override { return false; }
  std::vector<Hypothesis> mistakes() const override { return own_; }

 private:
  std::vector<Hypothesis> own_;
};

std::vector<Explanation> diagnosed(const TensorSet& actual) {
  const TensorSet in = inputs();
  const TensorSet expected = refer(kCase, in, {});
  return diagnose(Demo(), in, {expected}, actual);
}

TEST(Diagnose, NamesTheMachineThatMadeTheBits) {
  using Row = std::pair<soft::Subnormals, std::string_view>;
  for (const auto& [policy, finding_class] :
       {Row{soft::Subnormals::kFlushIn, "ftz_in"}, Row{soft::Subnormals::kFlushOut, "ftz_out"},
        Row{soft::Subnormals::kFlush, "ftz"}}) {
    models::Machine machine;
    machine.fma.subnormals = policy;
    const auto found = diagnosed(refer(kCase, inputs(), machine));
    ASSERT_FALSE(found.empty());
    EXPECT_EQ(0u, found[0].contradicted);
    EXPECT_EQ(finding_class, found[0].finding_class);
    EXPECT_TRUE(found[0].hypothesis.starts_with("fma-flushes-")) << found[0].hypothesis;
    EXPECT_EQ(std::vector<std::string>{"operation_subnormals"}, found[0].freedoms);
  }
}

TEST(Diagnose, NamesAnEmulatedFma) {
  models::Machine machine;
  machine.fma = {.subnormals = soft::Subnormals::kFlush, .emulated_fma = true};
  const auto found = diagnosed(refer(kCase, inputs(), machine));
  ASSERT_FALSE(found.empty());
  EXPECT_EQ("fma-flushes-all-and-skips-zero-addend", found[0].hypothesis);
}

// What the device did to ordinary numbers is no evidence about what it does to a NaN.
TEST(Diagnose, NobodyDropsANanWhereThereIsNone) {
  const auto found = [](bool has_nan) {
    TensorSet in = inputs();
    if (has_nan) in.at("a").set(5, 0x7fc00000);
    TensorSet actual = refer(kCase, in, {});
    actual.at("d").set(3, 0x12345678);
    const Hypothesis drops{
        .name = "drops",
        .finding_class = "nan_dropped",
        .sentence = "a NaN is dropped, and more is wrong",
        .evaluate = [actual](const Case&, const TensorSet&) -> Expectation { return actual; }};
    return diagnose(WithMistakes({drops}), in, {refer(kCase, in, {})}, actual);
  };
  ASSERT_FALSE(found(true).empty());
  EXPECT_EQ("drops", found(true)[0].hypothesis);
  EXPECT_TRUE(found(false).empty() || found(false)[0].hypothesis != "drops");
}

// A device that gives one of its operands as the result.
Hypothesis copies(const std::string& operand, std::vector<std::size_t>& asked) {
  return {.name = "copies-" + operand,
          .finding_class = "formula",
          .sentence = "the result is " + operand,
          .evaluate = [operand, &asked](const Case&, const TensorSet& in) -> Expectation {
            asked.push_back(in.at(operand).count());
            return TensorSet{{"d", in.at(operand)}};
          },
          .pointwise = true};
}

std::vector<Explanation> diagnosed_copy(const std::vector<Hypothesis>& own) {
  const TensorSet in = inputs();
  const TensorSet expected = refer(kCase, in, {});
  return diagnose(WithMistakes(own), in, {expected}, {{"d", in.at("a")}});
}

TEST(Diagnose, AsksAPointwiseHypothesisAboutAFewElementsFirst) {
  std::vector<std::size_t> of_a, of_b;
  const auto found = diagnosed_copy({copies("b", of_b), copies("a", of_a)});
  ASSERT_EQ(1u, found.size());
  EXPECT_EQ("copies-a", found[0].hypothesis);
  EXPECT_EQ((std::vector<std::size_t>{64, kCount}), of_a);
  EXPECT_EQ(std::vector<std::size_t>{64}, of_b);
}

TEST(Diagnose, TriesAHigherTierOnlyIfNothingElseIsExact) {
  std::vector<std::size_t> asked, asked_last;
  Hypothesis last = copies("a", asked_last);
  last.name = "copies-anything";
  last.tier = 2;
  EXPECT_EQ("copies-a", diagnosed_copy({last, copies("a", asked)}).at(0).hypothesis);
  EXPECT_TRUE(asked_last.empty());
  EXPECT_EQ("copies-anything", diagnosed_copy({last, copies("b", asked)}).at(0).hypothesis);
}

// Which rows leave it open is theirs to say; other directions never take it.
TEST(Diagnose, OperationsThatTruncateTakeTheFreedomOfARoundingMode) {
  const auto freedoms = [](soft::Environment models::Machine::* step, soft::Rounding rounding) {
    models::Machine machine;
    (machine.*step).rounding = rounding;
    const auto found = diagnosed(refer(kCase, inputs(), machine));
    EXPECT_FALSE(found.empty());
    return found.empty() ? std::vector<std::string>{"none found"} : found[0].freedoms;
  };
  EXPECT_EQ(std::vector<std::string>{"rounding_mode"},
            freedoms(&models::Machine::fma, soft::Rounding::kTowardZero));
  EXPECT_EQ(std::vector<std::string>{}, freedoms(&models::Machine::fma, soft::Rounding::kDown));
}

// The fma of the second half of the elements flushes, as in the vectors of a loop and not in its
// remainder: an API that leaves flushing open leaves it open there.
TEST(Diagnose, NamesAMistakeThatIsMadeInAPartAlone) {
  models::Machine machine;
  machine.fma.subnormals = soft::Subnormals::kFlush;
  const TensorSet flushed = refer(kCase, inputs(), machine);
  TensorSet actual = refer(kCase, inputs(), {});
  for (std::size_t i = kCount / 2; i < kCount; ++i) actual.at("d").set(i, flushed.at("d").at(i));
  const auto found = diagnosed(actual);
  ASSERT_EQ(1u, found.size());
  EXPECT_EQ("fma-flushes-all-in-part", found[0].hypothesis);
  EXPECT_EQ("ftz", found[0].finding_class);
  EXPECT_EQ(0u, found[0].contradicted);
  EXPECT_TRUE(found[0].in_part);
  EXPECT_EQ(std::vector<std::string>{"operation_subnormals"}, found[0].freedoms);

  actual.at("d").set(kCount - 1, actual.at("d").at(kCount - 1) ^ 1u);
  for (const Explanation& e : diagnosed(actual)) EXPECT_GT(e.contradicted, 0u) << e.hypothesis;
}

TEST(Diagnose, OneStrayBitLeavesNothingExact) {
  models::Machine machine;
  machine.fma.subnormals = soft::Subnormals::kFlush;
  TensorSet actual = refer(kCase, inputs(), machine);
  actual.at("d").set(17, actual.at("d").at(17) ^ 1u);
  for (const Explanation& e : diagnosed(actual)) EXPECT_GT(e.contradicted, 0u) << e.hypothesis;
}

// A row that allows one step to either side of 1, and a device that gives 2, or almost 2.
TEST(Diagnose, UnderABoundAHypothesisIsWeighedByWhatItAllows) {
  const auto tensors = [](formats::Bits first, formats::Bits second) {
    TensorSet set;
    set.emplace("d", formats::Tensor::from_bits(formats::kFp16, std::array{first, second}));
    return set;
  };
  const TensorSet expected = tensors(0x3c00, 0x3c00);
  const Enclosure around{tensors(0x3bff, 0x3bff), tensors(0x3c01, 0x3c01)};
  const auto weighed = [&](formats::Bits first, formats::Bits second, int steps) {
    const auto at = [&](formats::Bits bits) { return tensors(bits, 0x3c00); };
    const auto step = static_cast<formats::Bits>(steps);
    const WithMistakes demo({{.name = "twice",
                              .finding_class = "formula",
                              .sentence = "",
                              .evaluate = [&](const Case&, const TensorSet&) -> Expectation {
                                return {at(0x4000),
                                        Enclosure{at(0x4000 - step), at(0x4000 + step)}};
                              }}});
    const auto found = diagnose(demo, {}, {expected, 0, &around}, tensors(first, second));
    return found.empty() ? false : found[0].exact(1);
  };
  EXPECT_TRUE(weighed(0x4000, 0x3c01, 0)) << "a right element may differ from the hypothesis";
  EXPECT_TRUE(weighed(0x4001, 0x3c00, 1));
  EXPECT_FALSE(weighed(0x4001, 0x3c00, 0));
  EXPECT_FALSE(weighed(0x4000, 0x4000, 1)) << "a wrong element is not explained";
}

// A sporadic mistake leaves most elements right; a permanent one does not.
TEST(Diagnose, RightElementsContradictOnlyWhatHappensAlways) {
  const auto tensors = [](std::vector<formats::Bits> bits) {
    TensorSet set;
    set.emplace("d", formats::Tensor::from_bits(formats::kFp16, bits));
    return set;
  };
  const TensorSet expected = tensors({0x3c00, 0x3c00, 0x3c00, 0x3c00});
  const auto weighed = [&](bool sporadic, const TensorSet& actual) {
    const Hypothesis doubled{
        .name = "doubled",
        .finding_class = "race",
        .sentence = "",
        .evaluate = [&](const Case&,
                        const TensorSet&) { return tensors({0x4000, 0x4000, 0x4000, 0x4000}); },
        .sporadic = sporadic};
    return weigh(doubled, kCase, {}, {expected, 0}, actual);
  };
  const TensorSet seldom = tensors({0x3c00, 0x4000, 0x3c00, 0x3c00});
  EXPECT_TRUE(weighed(true, seldom).exact(1));
  EXPECT_EQ(3u, weighed(false, seldom).contradicted);
  const TensorSet otherwise = tensors({0x3c00, 0x4000, 0x4200, 0x3c00});
  EXPECT_FALSE(weighed(true, otherwise).exact(2)) << "a wrong element is not explained";
}

// Two hypotheses of equal bits, about an output of so many elements.
std::vector<std::string> sentences_about(std::size_t elements,
                                         const std::set<std::string>& excluded = {}) {
  const auto tensors = [&](formats::Bits bits) {
    TensorSet set{{"d", formats::Tensor::zeros(formats::kFp16, elements)}};
    set.at("d").set(elements / 2, bits);
    return set;
  };
  std::vector<Hypothesis> own;
  for (const char* name : {"this", "that"}) {
    own.push_back({.name = name,
                   .finding_class = "order",
                   .sentence = fmt::format("it is {}", name),
                   .evaluate = [&](const Case&, const TensorSet&) { return tensors(0x3c00); }});
  }
  std::vector<std::string> sentences;
  for (const Explanation& e :
       diagnose(WithMistakes(own), {}, {tensors(0), 0}, tensors(0x3c00), nullptr, excluded))
    sentences.push_back(e.sentence);
  return sentences;
}

TEST(Diagnose, ALargeOutputIsExplainedByTheFirstAndSaysSo) {
  using Sentences = std::vector<std::string>;
  constexpr std::size_t kSmall = 4096, kLarge = 70000;
  EXPECT_EQ((Sentences{"it is this", "it is that"}), sentences_about(kSmall));
  EXPECT_EQ(Sentences{"it is this (others were not tried on so large an output)"},
            sentences_about(kLarge));
  EXPECT_EQ(Sentences{"it is that"}, sentences_about(kLarge, {"this", "this-in-part"}));
}

// Units come first in the list, but are evaluated only if nothing else is exact.
TEST(Diagnose, UnitsComeLast) {
  int units = 0;
  models::Machine other;
  other.fma.rounding = soft::Rounding::kUp;
  const auto up = [&](const Case& c, const TensorSet& in) { return refer(c, in, other); };
  const WithMistakes demo(
      {{.name = "some-unit",
        .finding_class = "acc_unit",
        .sentence = "",
        .evaluate =
            [&](const Case& c, const TensorSet& in) {
              ++units;
              return up(c, in);
            }},
       {.name = "rounds-up", .finding_class = "rounding", .sentence = "", .evaluate = up}});
  const TensorSet expected = refer(kCase, inputs(), {});
  const auto found = diagnose(demo, inputs(), {expected, 0}, refer(kCase, inputs(), other));
  ASSERT_EQ(1u, found.size());
  EXPECT_EQ("rounds-up", found[0].hypothesis);
  EXPECT_EQ(0, units);
  models::Machine third;
  third.fma.rounding = soft::Rounding::kDown;
  std::ignore = diagnose(demo, inputs(), {expected, 0}, refer(kCase, inputs(), third));
  EXPECT_EQ(1, units);
}

// A limit that only the wrong elements reveal.
class WithALimit : public WithMistakes {
 public:
  WithALimit() : WithMistakes({}) {}
  std::vector<Hypothesis> mistakes_seen_in(const Places& wrong, const TensorSet&) const override {
    const std::size_t limit = wrong.at("d").front();
    return {{.name = fmt::format("zero-from-{}", limit),
             .finding_class = "grid_limit",
             .sentence = "",
             .evaluate = [limit](const Case& c, const TensorSet& in) {
               TensorSet out = refer(c, in, {});
               formats::Tensor& d = out.at("d");
               for (std::size_t i = limit; i < d.count(); ++i) d.set(i, 0);
               return out;
             }}};
  }
};

TEST(Diagnose, HypothesesMayStartFromThePlacesOfTheWrong) {
  const TensorSet expected = refer(kCase, inputs(), {});
  TensorSet actual = expected;
  for (std::size_t i = 11; i < actual.at("d").count(); ++i) actual.at("d").set(i, 0);
  const auto found = diagnose(WithALimit(), inputs(), {expected, 0}, actual);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ("zero-from-11", found[0].hypothesis);
  EXPECT_EQ(0u, found[0].contradicted);
}

const Hypothesis& named(const std::vector<Hypothesis>& all, std::string_view name) {
  return *std::ranges::find(all, name, &Hypothesis::name);
}

bool implies(const Hypothesis& h, std::string_view name) {
  return std::ranges::find(h.implies, name) != h.implies.end();
}

TEST(Machines, AStrongerClaimImpliesTheWeakerOnes) {
  const Demo demo;
  const std::vector<Hypothesis> all = machine_hypotheses(demo);
  EXPECT_TRUE(implies(named(all, "everything-flushes-all"), "convert-flushes-results"));
  EXPECT_TRUE(implies(named(all, "everything-rounds-up"), "every-operation-rounds-up"));
  EXPECT_TRUE(implies(named(all, "every-operation-flushes-results"), "fma-flushes-results"));
  EXPECT_FALSE(implies(named(all, "every-operation-flushes-results"), "convert-flushes-results"));
  EXPECT_TRUE(implies(named(all, "fma-flushes-all"), "fma-flushes-inputs"));
  EXPECT_TRUE(named(all, "fma-flushes-inputs").implies.empty());
  for (const Hypothesis& h : all) {
    for (const std::string& weaker : h.implies) {
      EXPECT_NE(all.end(), std::ranges::find(all, weaker, &Hypothesis::name)) << weaker;
      EXPECT_NE(h.name, weaker);
    }
  }
}

}  // namespace
}  // namespace halfmark::suites
