// SPDX-License-Identifier: Apache-2.0
// Devices that make mistakes that no suite knows: the diagnosis must say what the bits show.
#include "suites/core/diagnose/generic_hypotheses.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "reference/formats/classify.hpp"
#include "reference/soft/soft.hpp"
#include "suites/core/case/fills.hpp"
#include "suites/core/diagnose/diagnose.hpp"
#include "suites/core/testing/demo_problem.hpp"

namespace halfmark::suites {
namespace {

using formats::Bits;
using formats::kFp16;
using formats::kFp32;
using formats::Tensor;

constexpr std::size_t kRows = 32, kColumns = 64, kCount = kRows * kColumns;
const Case kCase{.suite = "demo", .tokens = {}, .seed = 7};

TensorSet inputs() {
  TensorSet set;
  for (const char* name : {"a", "b"})
    set.emplace(name, fill(kFp32, kCount, "normal", Random(kCase, name)));
  set.at("a").set(5, formats::quiet_nan(kFp32));
  set.at("a").set(200, scaled(kFp32, 1000, 0));
  set.at("a").set(70, formats::min_subnormal(kFp32));
  set.at("b").set(70, formats::min_normal(kFp32));
  set.emplace("label", set.at("a"));
  return set;
}

// d = a + b; the label is not used.
TensorSet refer(const Case&, const TensorSet& in, const models::Machine&) {
  Tensor d = Tensor::zeros(kFp32, kCount);
  for (std::size_t i = 0; i < kCount; ++i)
    d.set(i, soft::add(kFp32, in.at("a").at(i), in.at("b").at(i)).bits);
  TensorSet out;
  out.emplace("d", std::move(d));
  return out;
}

class Demo : public DemoProblem {
 public:
  using Refer = TensorSet (*)(const Case&, const TensorSet&, const models::Machine&);
  explicit Demo(Refer how = refer) : DemoProblem(kCase), refer_(how) {}
  Expectation expect(const TensorSet& in, const models::Machine& machine) const override {
    return refer_(c(), in, machine);
  }
  Extent extent(std::string_view) const override { return {kRows, kColumns}; }
  bool holds_integers(std::string_view input) const override { return input == "label"; }

 private:
  Refer refer_;
};

class DemoOfNearResults : public Demo {
 public:
  std::optional<FindingClassName> near_class() const override {
    return FindingClassName("low_precision");
  }
};

// The first explanation for a device that gives change(right result, place).
Explanation diagnosed(const std::function<Bits(const Tensor& right, std::size_t i)>& change,
                      const Problem& problem = Demo()) {
  const TensorSet in = inputs();
  const TensorSet expected = refer(kCase, in, {});
  TensorSet actual = expected;
  for (std::size_t i = 0; i < kCount; ++i) actual.at("d").set(i, change(expected.at("d"), i));
  const auto found = diagnose(problem, in, {expected}, actual);
  return found.empty() || found[0].contradicted > 0 ? Explanation{} : found[0];
}

Explanation told_of_inputs(const std::function<void(TensorSet&)>& change) {
  TensorSet in = inputs();
  change(in);
  const Tensor d = refer(kCase, in, {}).at("d");
  return diagnosed([&](const Tensor&, std::size_t i) { return d.at(i); });
}

TEST(Altered, AnOperandInAnotherFormat) {
  const Explanation e = told_of_inputs([](TensorSet& in) {
    for (std::size_t i = 0; i < kCount; ++i) {
      const Bits narrow = soft::convert(kFp32, formats::kBf16, in.at("b").at(i)).bits;
      in.at("b").set(i, soft::convert(formats::kBf16, kFp32, narrow).bits);
    }
  });
  EXPECT_EQ("general-b-rounded-to-bf16", e.hypothesis);
  EXPECT_EQ("fmt_subst", e.finding_class);
  EXPECT_EQ("in b, numbers are rounded to bf16", e.sentence);
}

TEST(Altered, SpecialNumbersOfAnOperand) {
  EXPECT_EQ("nan_to_inf", told_of_inputs([](TensorSet& in) {
                            in.at("a").set(5, formats::infinity(kFp32));
                          }).finding_class);
  const Explanation flushed = told_of_inputs([](TensorSet& in) { in.at("a").set(70, 0); });
  EXPECT_EQ("ftz_in", flushed.finding_class);
  EXPECT_EQ(std::vector<std::string>{"conversion_subnormals"}, flushed.freedoms);
}

TEST(Altered, NumbersThatAreLimited) {
  const Explanation e =
      told_of_inputs([](TensorSet& in) { in.at("a").set(200, scaled(kFp32, 448, 0)); });
  EXPECT_EQ("general-a-limited-to-448", e.hypothesis);
  EXPECT_EQ("range", e.finding_class);
}

TEST(Altered, AnIndexThatIsCut) {
  const Explanation e = told_of_inputs([](TensorSet& in) {
    const Tensor a = in.at("a");
    for (std::size_t i = 0; i < kCount; ++i) in.at("a").set(i, a.at(i % 512));
  });
  EXPECT_EQ("general-a-index-in-9-bits", e.hypothesis);
  EXPECT_EQ("index_ovf", e.finding_class);
}

TEST(Altered, LabelsAreNoNumbers) {
  class OfNumbers : public Demo {
   public:
    bool holds_integers(std::string_view) const override { return false; }
  };
  // d - label is nearly b: with the label as an operand, some hypothesis would alter it, too.
  const TensorSet in = inputs();
  const TensorSet expected = refer(kCase, in, {});
  const Allowance allowed{expected};
  const auto names = [&](const Problem& problem) {
    std::string all;
    for (const Hypothesis& h : misplaced_operands({problem, in, allowed, expected, {}}))
      all += h.name + " ";
    return all;
  };
  EXPECT_NE(std::string::npos, names(OfNumbers()).find("label"));
  EXPECT_EQ(std::string::npos, names(Demo()).find("label"));
}

TEST(Altered, ResultsOfAnotherRow) {
  const Explanation e = diagnosed([](const Tensor& right, std::size_t i) {
    return right.at(i / kColumns == 9 ? i - kColumns : i);
  });
  EXPECT_EQ("general-row-of-d-1-before-in-part", e.hypothesis);
  EXPECT_EQ("layout", e.finding_class);
  EXPECT_EQ("rows of d hold the results of those 1 before, in row 9 of d alone", e.sentence);
}

TEST(Altered, ResultsOfExchangedTiles) {
  const Explanation e = diagnosed(
      [](const Tensor& right, std::size_t i) { return right.at(i / kColumns >= 16 ? i ^ 8 : i); });
  EXPECT_EQ("general-column-of-d-exchanged-by-8-in-part", e.hypothesis);
}

TEST(Altered, RowsBehindALimit) {
  const Explanation e =
      diagnosed([](const Tensor& right, std::size_t i) { return right.at(i % (24 * kColumns)); });
  EXPECT_EQ("general-row-of-d-modulo-24", e.hypothesis);
  EXPECT_EQ("index_ovf", e.finding_class);
}

TEST(Altered, ResultsThatPassANarrowFormat) {
  const Explanation e = diagnosed([](const Tensor& right, std::size_t i) {
    return soft::convert(kFp16, kFp32, soft::convert(kFp32, kFp16, right.at(i)).bits).bits;
  });
  EXPECT_EQ("general-d-rounded-to-fp16", e.hypothesis);
  EXPECT_EQ("early_round", e.finding_class);
}

TEST(Altered, ResultsThatAreClamped) {
  constexpr Bits kTwo = 0x40000000;
  const Explanation e = diagnosed([](const Tensor& right, std::size_t i) {
    const Bits x = right.at(i);
    const bool beyond = !formats::is_nan(kFp32, x) && !formats::sign(kFp32, x) && x > kTwo;
    return beyond ? kTwo : x;
  });
  EXPECT_EQ("general-clamped", e.hypothesis);
  EXPECT_EQ("range", e.finding_class);
  EXPECT_EQ("results above 2 become that number", e.sentence);
}

TEST(Altered, ResultsOffByAFactor) {
  const Explanation e = diagnosed([](const Tensor& right, std::size_t i) {
    return soft::mul(kFp32, 0x3fc00000, right.at(i)).bits;
  });
  EXPECT_EQ("formula", e.finding_class);
  EXPECT_EQ("results are 1.5 times what they should be", e.sentence);
}

// Each result is off by about 2^-12, in either direction.
Bits off_a_little(const Tensor& right, std::size_t i) {
  return right.at(i) ^ (i % 7 == 0 ? 0x0u : 0x7a5u + i % 64);
}

TEST(Altered, ResultsOfScatteredNeighbours) {
  const Explanation e = diagnosed([](const Tensor& right, std::size_t i) {
    const bool wrong = (i * 5 + i / kColumns * 3) % 11 == 0 && i % kColumns > 1;
    return right.at(wrong ? i - 1 - i % 2 : i);
  });
  EXPECT_EQ("general-d-from-within-2", e.hypothesis);
  EXPECT_EQ("layout", e.finding_class);
}

TEST(Altered, ResultsFromFarAwayAreNoNeighbours) {
  EXPECT_EQ("", diagnosed([](const Tensor& right, std::size_t i) {
                  const bool wrong = (i * 5 + i / kColumns * 3) % 11 == 0;
                  return right.at(wrong ? i * 37 % kCount : i);
                }).finding_class);
}

// With few distinct numbers, any of them appears near every element.
TEST(Altered, NeighboursByChanceAreNotTold) {
  const Demo demo([](const Case&, const TensorSet&, const models::Machine&) {
    const Random random(kCase, "few");
    Tensor d = Tensor::zeros(kFp32, kCount);
    for (std::size_t i = 0; i < kCount; ++i) d.set(i, 0x3f800000u + (random.at(i) % 6 << 20));
    TensorSet out;
    out.emplace("d", std::move(d));
    return out;
  });
  const TensorSet in = inputs();
  const TensorSet expected = demo.Problem::expect(in).middle;
  TensorSet actual = expected;
  const Random random(kCase, "other");
  for (std::size_t i = 0; i < kCount; i += 7)
    actual.at("d").set(i, 0x3f800000u + (random.at(i) % 6 << 20));
  const Allowance allowed{expected};
  const Places wrong = compare(allowed, actual).wrong;
  EXPECT_TRUE(scattered_results({demo, in, allowed, actual, wrong}).empty());
}

TEST(Altered, ResultsWhoseExponentIsOffFromSomeSizeOn) {
  const auto doubled_from = [](Bits limit) {
    return diagnosed([limit](const Tensor& right, std::size_t i) {
      const Bits x = right.at(i);
      const bool large = formats::is_finite(kFp32, x) && formats::magnitude(kFp32, x) >= limit;
      return large ? soft::ldexp(kFp32, x, 1).bits : x;
    });
  };
  const Explanation e = doubled_from(0x3fc00000);
  EXPECT_EQ("general-d-exponent-off-by-1", e.hypothesis);
  EXPECT_EQ("decode", e.finding_class);
}

TEST(Altered, OperandsWhoseExponentIsOffFromSomeSizeOn) {
  const Explanation e = told_of_inputs([](TensorSet& in) {
    for (std::size_t i = 0; i < kCount; ++i) {
      const Bits x = in.at("b").at(i);
      if (formats::magnitude(kFp32, x) >= 0x3f000000)
        in.at("b").set(i, soft::ldexp(kFp32, x, -1).bits);
    }
  });
  EXPECT_EQ("general-b-halved-from-2^-1", e.hypothesis);
  EXPECT_EQ("decode", e.finding_class);
}

TEST(Altered, OperandsThatAreLimited) {
  const Explanation e = told_of_inputs([](TensorSet& in) {
    for (std::size_t i = 0; i < kCount; ++i) {
      const Bits x = in.at("b").at(i);
      if (formats::magnitude(kFp32, x) > 0x3f000000)
        in.at("b").set(i, 0x3f000000 | (x & kFp32.sign_mask()));
    }
  });
  EXPECT_EQ("general-b-limited-from-2^-1", e.hypothesis);
  EXPECT_EQ("range", e.finding_class);
}

// Numbers in the binades of [1, 4) are one encoding too large.
TEST(Altered, ResultsThatAreOneEncodingOffInSomeBinades) {
  const auto off_by = [](Bits steps, bool in_some) {
    return diagnosed([=](const Tensor& right, std::size_t i) {
      const Bits x = right.at(i);
      const Bits size = formats::magnitude(kFp32, x);
      const bool affected = in_some ? size >= 0x3f800000 && size < 0x40800000 : size > 1;
      return affected && formats::is_finite(kFp32, x) ? x + steps : x;
    });
  };
  const Explanation e = off_by(1, true);
  EXPECT_EQ("general-d-1-ulp-larger-in-binades-2^0-to-2^1", e.hypothesis);
  EXPECT_EQ("rounding", e.finding_class);
  EXPECT_EQ(
      "results in d are 1 ulp larger in magnitude, exactly those in the binades of 2^0 to 2^1",
      e.sentence);
  EXPECT_EQ("general-d-2-ulp-smaller-in-binades-2^0-to-2^1", off_by(Bits{0} - 2, true).hypothesis);
}

TEST(Altered, ResultsThatAreOneEncodingOffByChanceAreNotTold) {
  EXPECT_EQ("", diagnosed([](const Tensor& right, std::size_t i) {
                  const Bits x = right.at(i);
                  return i % 3 == 0 && formats::is_finite(kFp32, x) ? x + 1 : x;
                }).finding_class);
}

// The results do not show whether an operand is read as half or the formula lacks a factor of 2.
TEST(Altered, AFactorIsToldOfTheFormula) {
  const Explanation e = diagnosed(
      [](const Tensor& right, std::size_t i) { return soft::ldexp(kFp32, right.at(i), -1).bits; });
  EXPECT_EQ("general-factor", e.hypothesis);
  EXPECT_EQ("formula", e.finding_class);
}

TEST(Altered, AnOperandInThePlaceOfAnother) {
  const Explanation e = told_of_inputs([](TensorSet& in) { in.at("b") = in.at("a"); });
  EXPECT_EQ("general-b-is-a", e.hypothesis);
  EXPECT_EQ("layout", e.finding_class);
}

TEST(Altered, ResultsThatOverflowOnTheirWay) {
  const Demo demo([](const Case&, const TensorSet& in, const models::Machine&) {
    TensorSet out;
    out.emplace("d", fill(kFp32, kCount, "normal", Random(kCase, "d")));
    for (std::size_t i = 0; i < kCount; i += 5)
      out.at("d").set(i, 0x7e000000u + (in.at("a").at(i) & 0x017fffffu));
    return out;
  });
  const TensorSet in = inputs();
  const TensorSet expected = demo.Problem::expect(in).middle;
  TensorSet actual = expected;
  for (std::size_t i = 0; i < kCount; i += 5) {
    if (expected.at("d").at(i) >= 0x7f000000u) actual.at("d").set(i, formats::infinity(kFp32));
  }
  const auto found = diagnose(demo, in, {expected}, actual);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ("general-d-twice-overflows", found[0].hypothesis);
  EXPECT_EQ("overflow", found[0].finding_class);
}

TEST(Altered, ElementsOfAnOperandThatAreExchanged) {
  const Explanation e = told_of_inputs([](TensorSet& in) {
    const Tensor b = in.at("b");
    for (std::size_t i = 0; i < kCount; ++i) in.at("b").set(i, b.at(i ^ 4));
  });
  EXPECT_EQ("general-b-exchanged-by-4", e.hypothesis);
}

// The first explanation for a device that changes results which are what `right` gives.
Explanation diagnosed_on(Demo::Refer right, const std::function<Bits(Bits, std::size_t)>& change) {
  const Demo demo(right);
  const TensorSet in = inputs();
  const TensorSet expected = demo.Problem::expect(in).middle;
  TensorSet actual = expected;
  for (std::size_t i = 0; i < kCount; ++i) actual.at("d").set(i, change(expected.at("d").at(i), i));
  const auto found = diagnose(demo, in, {expected}, actual);
  return found.empty() || found[0].contradicted > 0 ? Explanation{} : found[0];
}

TEST(Altered, ResultsThatAreCutOffToAConstant) {
  const Explanation e = diagnosed([](const Tensor& right, std::size_t i) {
    const Bits size = formats::magnitude(kFp32, right.at(i));
    const bool is_far = size >= 0x3f000000 && size < 0x40000000;
    return is_far ? formats::encode(kFp32, formats::sign(kFp32, right.at(i)), 0x40000000)
                  : right.at(i);
  });
  EXPECT_EQ("general-saturated", e.hypothesis);
  EXPECT_EQ("ftz_const", e.finding_class);
}

Bits sum_at(const TensorSet& in, std::size_t i) {
  const Bits sum = soft::add(kFp32, in.at("a").at(i), in.at("b").at(i)).bits;
  return i % 3 == 0 ? soft::ldexp(kFp32, sum, -20).bits : sum;
}

Bits stored(Bits sum, const soft::Environment& how) {
  return soft::convert(kFp32, kFp16, sum, how).bits;
}

// Sums that are stored as fp16, every third one below the normal range.
TensorSet refer_stored(const Case&, const TensorSet& in, const models::Machine& machine) {
  TensorSet out{{"d", Tensor::zeros(kFp16, kCount)}};
  for (std::size_t i = 0; i < kCount; ++i)
    out.at("d").set(i, stored(sum_at(in, i), machine.convert));
  return out;
}

class OfLibrary : public Demo {
 public:
  using Demo::Demo;
  bool follows_machine() const override { return false; }
};

// The only explanation for a device that stores sums below the normal range in its own way.
Explanation diagnosed_stored(const Problem& problem, Bits (*below)(Bits sum), bool is_bounded) {
  const TensorSet in = inputs();
  const TensorSet expected = problem.expect(in).middle;
  TensorSet actual = expected;
  for (std::size_t i = 0; i < kCount; i += 3) actual.at("d").set(i, below(sum_at(in, i)));
  const Enclosure all{expected, expected};
  const auto found = diagnose(problem, in, {expected, 0, is_bounded ? &all : nullptr}, actual);
  return found.size() != 1 || found[0].contradicted > 0 ? Explanation{} : found[0];
}

Bits truncated(Bits sum) { return stored(sum, {.rounding = soft::Rounding::kTowardZero}); }

// Whatever is left behind the half counts as a tie.
Bits without_sticky_bit(Bits sum) {
  const Bits away = stored(sum, {.rounding = soft::Rounding::kNearAway});
  return away % 2 == 0 ? away : truncated(sum);
}

TEST(Altered, SubnormalResultsThatAreCut) {
  const Explanation e = diagnosed_stored(Demo(refer_stored), truncated, false);
  EXPECT_EQ("general-cut-subnormals", e.hypothesis);
  EXPECT_EQ("cvt_round", e.finding_class);
}

TEST(Altered, RightResultsTellALostStickyBitFromACut) {
  const Explanation e = diagnosed_stored(Demo(refer_stored), without_sticky_bit, false);
  EXPECT_EQ("general-subnormals-too-near-zero", e.hypothesis);
  EXPECT_EQ("unexplained", e.finding_class);
  EXPECT_EQ("some results below the normal range are one place too near zero", e.sentence);
}

TEST(Altered, SubnormalResultsOfABoundShowNoCut) {
  for (const auto below : {truncated, without_sticky_bit}) {
    const Explanation e = diagnosed_stored(OfLibrary(refer_stored), below, true);
    EXPECT_EQ("general-subnormals-too-near-zero", e.hypothesis);
    EXPECT_EQ("unexplained", e.finding_class);
  }
}

TEST(Altered, NeighboursOfResultsInOrderAreNoMixup) {
  // Eight results of each value, as of a conversion to fewer bits; the first half is one too large.
  const auto in_order = [](const Case&, const TensorSet&, const models::Machine&) {
    TensorSet out{{"d", Tensor::zeros(kFp32, kCount)}};
    for (std::size_t i = 0; i < kCount; ++i) out.at("d").set(i, 0x3f800000u + 64 * (i / 8));
    return out;
  };
  const Explanation e = diagnosed_on(in_order, [](Bits right, std::size_t i) {
    return i % 8 < 4 && i > 64 && i % 3 != 0 ? right + 64 : right;
  });
  EXPECT_EQ("", e.hypothesis);
}

TEST(Altered, FewGoodBitsAreToldWhereNearnessMeansSomething) {
  EXPECT_EQ("", diagnosed(off_a_little).finding_class);
  const DemoOfNearResults near;
  const Explanation e = diagnosed(off_a_little, near);
  EXPECT_EQ("low_precision", e.finding_class);
  EXPECT_EQ("results have 12 good bits and no more, by an arithmetic of no name", e.sentence);
}

// Off by up to a thousandth of the largest result, which is about 1000, so that signs change.
Bits off_by_part_of_largest(const Tensor& right, std::size_t i) {
  const Random random(kCase, "noise");
  const Bits noise = (random.at(i) & 0x807fffffu) | 0x3f000000u;  // 0.5 to 1
  return i % 5 == 0 ? right.at(i) : soft::add(kFp32, right.at(i), noise).bits;
}

TEST(Altered, DigitsThatCancelAreMeasuredByTheLargestResult) {
  EXPECT_EQ("", diagnosed(off_by_part_of_largest).finding_class);
  const DemoOfNearResults near;
  const Explanation e = diagnosed(off_by_part_of_largest, near);
  EXPECT_EQ("general-9-good-bits-of-largest", e.hypothesis);
  EXPECT_EQ("low_precision", e.finding_class);
}

TEST(Altered, SmallOperandsThatAreScaledAreNoLostDigits) {
  TensorSet halved = inputs();
  for (std::size_t i = 0; i < kCount; ++i)
    halved.at("b").set(i, soft::mul(kFp32, halved.at("b").at(i), 0x3f000000).bits);
  const Tensor d = refer(kCase, halved, {}).at("d");
  const DemoOfNearResults near;
  const Explanation e = diagnosed([&](const Tensor&, std::size_t i) { return d.at(i); }, near);
  EXPECT_EQ("general-b-halved", e.hypothesis);
}

TEST(Altered, AZeroForANumberHasLostMoreThanDigits) {
  const DemoOfNearResults near;
  const auto zero_at_11 = [](const Tensor& right, std::size_t i) {
    return i == 11 ? 0 : off_by_part_of_largest(right, i);
  };
  EXPECT_EQ("", diagnosed(zero_at_11, near).finding_class);
}

TEST(Altered, ResultsOfNoRuleAreNotExplained) {
  const Random random(kCase, "noise");
  const DemoOfNearResults near;
  EXPECT_EQ(
      "", diagnosed([&](const Tensor&, std::size_t i) { return random.at(i) & 0x7f7fffffu; }, near)
              .finding_class);
}

}  // namespace
}  // namespace halfmark::suites
