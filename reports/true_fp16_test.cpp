// SPDX-License-Identifier: Apache-2.0
// Tests the judge by itself: what each piece of evidence refutes, and that it announces nothing
// that the evidence does not prove.
#include "reports/true_fp16.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

namespace halfmark::reports {
namespace {

using enum Fp16Kind;
using Kinds = Fp16Kinds;

constexpr Kinds kOfSums = Kinds::of(kNative, kEmulated, kBf16Substituted, kHalfAccumulation);
const std::vector<Fp16BitSeen> kRight = {{Fp16Bit::kEveryBit, "a case"}};
const std::vector<double> kWon(kDuelPairs, 1.9), kEven(kDuelPairs, 1.0);

Fp16Time at_rate(double rate, std::vector<double> duel) {
  return {.rate = rate,
          .sure_rate = rate,
          .wide_rate = 100,
          .wide_row = "an fp32 kernel",
          .duel_against = "an fp32 kernel",
          .duel = std::move(duel)};
}

Fp16Image image_with(const ImageCensus& counted, std::uint64_t unresolved = 0) {
  return {.asks_for_half = true,
          .counted = counted,
          .in_loops = true,
          .unresolved_calls = unresolved,
          .why_unread = ""};
}

const Fp16Image kHalfImage = image_with({.half = 8});
const Fp16Image kWideImage = image_with({.single = 8, .conversions = 16});

struct VerdictRow {
  const char* kind;
  Fp16Measured measured;
  const char* because;
};

const VerdictRow kVerdicts[] = {
    {"native", {.bits = kRight, .time = at_rate(190, kWon)}, "faster than fp32, and in turn"},
    {"native", {.bits = kRight, .image = kHalfImage}, "no other arithmetic in its loops"},
    {"native", {.bits = kRight, .time = at_rate(20, kEven), .image = kHalfImage}, "slow, and is"},
    {"emulated", {.bits = kRight, .image = kWideImage}, "no fp16 arithmetic in its loops"},
    {"emulated", {.bits = {{Fp16Bit::kRoundedTwice, "a case"}}}, "its bits are of fp32"},
    {"undecided", {.bits = kRight}, "bits alone"},
    {"undecided", {.bits = kRight, .time = at_rate(20, kEven)}, "slowness refutes nothing"},
    {"undecided", {.bits = kRight, .time = at_rate(0.01, kEven)}, "however slow"},
    {"undecided", {.bits = kRight, .time = at_rate(190, {})}, "no duel"},
    {"undecided", {.bits = kRight, .time = at_rate(190, kEven)}, "the duel says otherwise"},
    {"undecided", {.bits = kRight, .time = at_rate(105, kWon)}, "within the margin"},
    {"undecided", {.time = at_rate(190, kWon)}, "nobody looked at its bits"},
    {"undecided",
     {.possible = kOfSums, .bits = {{Fp16Bit::kBounded, "a case"}}, .time = at_rate(190, kWon)},
     "a bound refutes nothing"},
    {"undecided",
     {.possible = kOfSums,
      .bits = {{Fp16Bit::kKeepsOperand, "a case"}},
      .time = at_rate(190, kWon)},
     "sums may be fp16"},
    {"native",
     {.possible = kOfSums,
      .bits = {{Fp16Bit::kKeepsOperand, "a case"}, {Fp16Bit::kKeepsSum, "another"}},
      .time = at_rate(190, kWon)},
     "operands, sums and time"},
    {"bf16-substituted",
     {.bits = {{Fp16Bit::kBf16, "a case"}}, .time = at_rate(190, kWon)},
     "bits"},
    {"half-accumulation", {.possible = kOfSums, .bits = {{Fp16Bit::kNarrowSum, "a case"}}}, "bits"},
    {"storage-only",
     {.possible = Kinds::of(kStorageOnly), .time = at_rate(190, kWon)},
     "it says so"},
    {"disputed",
     {.bits = kRight, .time = at_rate(190, kWon), .image = kWideImage},
     "an image of fp32 in the time of fp16"},
    {"disputed",
     {.bits = {{Fp16Bit::kRoundedTwice, "a case"}}, .image = kHalfImage},
     "bits of fp32 from an image of fp16"},
    {"disputed", {.bits = {{Fp16Bit::kEveryBit, "a"}, {Fp16Bit::kBf16, "b"}}}, "both bits"},
};

TEST(JudgeFp16, AnnouncesWhatIsLeft) {
  for (const VerdictRow& row : kVerdicts) {
    const Fp16Verdict verdict = judge_fp16(row.measured);
    EXPECT_EQ(row.kind, verdict.kind) << row.because << ": " << verdict.sentence;
    EXPECT_EQ(3u, verdict.readings.size());
  }
}

TEST(JudgeFp16, NoEvidenceIsUndecidedBetweenAllThatIsPossible) {
  const Fp16Verdict verdict = judge_fp16({});
  EXPECT_EQ("undecided", verdict.kind);
  EXPECT_EQ(Fp16Measured{}.possible, verdict.open);
  EXPECT_TRUE(
      verdict.sentence.starts_with("undecided between native, emulated and bf16 substituted: "));
}

TEST(JudgeFp16, NamesTheMeasurementThatWouldDecide) {
  EXPECT_EQ(
      "undecided between native and emulated: the instructions of its image, or a rate above 1.1 x "
      "that of fp32 (110 Gflop/s) when timed alternately, would decide",
      judge_fp16({.bits = kRight, .time = at_rate(20, kEven)}).sentence);
  EXPECT_NE(std::string::npos,
            judge_fp16({.possible = kOfSums, .image = kHalfImage})
                .sentence.find("whose sums need every bit of fp32 would decide"));
}

TEST(JudgeFp16, NamesBothSidesOfADispute) {
  EXPECT_EQ(
      "disputed: bits refute bf16 substituted; time refutes emulated; "
      "instructions refute native",
      judge_fp16({.bits = kRight, .time = at_rate(190, kWon), .image = kWideImage}).sentence);
}

// Each limit in the reading of time, from both sides.
TEST(ReadTime, NeedsTheIntervalAndAllTurnsButOne) {
  const auto refutes = [](const Fp16Time& time) {
    return judge_fp16({.time = time}).readings.at(1).refutes == Kinds::of(kEmulated);
  };
  EXPECT_TRUE(refutes(at_rate(111, kWon)));
  EXPECT_FALSE(refutes(at_rate(109.9, kWon)));
  Fp16Time time = at_rate(190, kWon);
  time.sure_rate = 109.9;
  EXPECT_FALSE(refutes(time)) << "the slow end of the interval counts";
  time.sure_rate = 0;
  EXPECT_FALSE(refutes(time)) << "too few samples";
  time = at_rate(190, kWon);
  time.duel[3] = 1.0;
  EXPECT_TRUE(refutes(time));
  time.duel[9] = 1.1;
  EXPECT_FALSE(refutes(time)) << "two turns";
  time.duel.assign(kDuelPairs - 1, 1.9);
  EXPECT_FALSE(refutes(time)) << "too few turns to say so";
  time = at_rate(190, kWon);
  time.unrest = 1.72;
  EXPECT_TRUE(refutes(time));
  time.unrest = 1.73;
  EXPECT_FALSE(refutes(time)) << "190 and 1.9 are within 1.73 x 1.1";
  time.unrest = 1;
  time.memory_bound = true;
  EXPECT_FALSE(refutes(time));
  time.memory_bound = false;
  time.wide_rate = 0;
  EXPECT_FALSE(refutes(time)) << "nothing to hold it against";
}

struct CensusRow {
  ImageCensus counted;
  std::uint64_t unresolved;
  Kinds refutes;
};

TEST(ReadInstructions, ConcludesFromAnAbsenceOnlyWhereEveryCallWasFollowed) {
  const CensusRow rows[] = {
      {{.half = 1}, 0, Kinds::of(kEmulated)},
      {{.half = 1}, 1, Kinds::of()},
      {{.half = 1, .single = 1}, 0, Kinds::of()},
      {{.half = 1, .conversions = 1}, 0, Kinds::of()},
      {{.half = 1, .bf16 = 1}, 0, Kinds::of()},
      {{.single = 1}, 0, Kinds::of(kNative)},
      {{.conversions = 1}, 0, Kinds::of(kNative)},
      {{.single = 1, .conversions = 1}, 2, Kinds::of()},
      {{.bf16 = 1, .single = 1}, 0, Kinds::of(kNative, kEmulated)},
      {{.bf16 = 1}, 1, Kinds::of()},
      {{}, 0, Kinds::of()},
  };
  for (const CensusRow& row : rows) {
    Fp16Measured measured{.image = image_with(row.counted, row.unresolved)};
    EXPECT_EQ(row.refutes, judge_fp16(measured).readings.at(2).refutes)
        << row.counted.half << row.counted.bf16 << row.counted.single << row.counted.conversions;
    measured.image.asks_for_half = false;
    EXPECT_TRUE(judge_fp16(measured).readings.at(2).refutes.empty());
  }
  Fp16Measured unread;
  unread.image.why_unread = "no reader";
  EXPECT_EQ("not read: no reader", judge_fp16(unread).readings.at(2).statement);
}

// Random evidence: any bits, any time, any image.
class Evidences {
 public:
  explicit Evidences(std::uint64_t seed) : random_(seed) {}

  Fp16Measured draw() {
    Fp16Measured m;
    if (chance()) m.possible = kOfSums;
    for (const Fp16Bit bit :
         {Fp16Bit::kBounded, Fp16Bit::kModelled, Fp16Bit::kFewBits, Fp16Bit::kKeepsOperand,
          Fp16Bit::kKeepsSum, Fp16Bit::kEveryBit, Fp16Bit::kRoundedTwice, Fp16Bit::kBf16,
          Fp16Bit::kNarrowSum, Fp16Bit::kUnexplained}) {
      if (number(4) == 0) m.bits.push_back({bit, "a case"});
    }
    if (chance()) m.time = at_rate(3 * some(100), std::vector<double>(15, some(12) / 5));
    if (chance())
      m.image = image_with({.half = number(3) / 2,
                            .bf16 = number(5) / 4,
                            .single = number(2),
                            .conversions = number(2)},
                           number(3) / 2);
    return m;
  }

  // The same with one kind of evidence taken away.
  Fp16Measured less(Fp16Measured m) {
    switch (number(3)) {
      case 0:
        if (!m.bits.empty())
          m.bits.erase(m.bits.begin() + static_cast<std::ptrdiff_t>(number(m.bits.size())));
        return m;
      case 1:
        m.time = {};
        return m;
      default:
        m.image = {};
        return m;
    }
  }

 private:
  std::uint64_t number(std::uint64_t below) { return random_() % below; }
  double some(std::uint64_t below) { return static_cast<double>(1 + number(below)); }
  bool chance() { return number(2) == 0; }
  std::mt19937_64 random_;
};

TEST(JudgeFp16, MoreEvidenceNeverOpensAKind) {
  Evidences evidences(7);
  for (int i = 0; i < 50'000; ++i) {
    const Fp16Measured more = evidences.draw();
    const Kinds open = judge_fp16(more).open, before = judge_fp16(evidences.less(more)).open;
    EXPECT_EQ(open, open & before);
  }
}

// No reading refutes the announced kind, and some reading refutes every other possible kind.
TEST(JudgeFp16, WhatIsAnnouncedIsAllThatEveryReadingAllows) {
  Evidences evidences(11);
  std::size_t decided = 0;
  for (int i = 0; i < 50'000; ++i) {
    const Fp16Measured measured = evidences.draw();
    const Fp16Verdict verdict = judge_fp16(measured);
    Kinds allowed = measured.possible;
    for (const Fp16Reading& reading : verdict.readings) allowed = allowed.without(reading.refutes);
    EXPECT_EQ(allowed, verdict.open);
    for (const Fp16Kind kind : kAllFp16Kinds) {
      EXPECT_EQ(allowed == Kinds::of(kind), verdict.kind == name_of(kind));
      decided += verdict.kind == name_of(kind);
    }
    EXPECT_EQ(allowed.empty(), verdict.kind == "disputed");
  }
  EXPECT_GT(decided, 5'000u) << "draws that decide nothing test nothing";
}

TEST(Kinds, AreNamedInAFixedOrder) {
  EXPECT_EQ("native, emulated and fp16 accumulation",
            words_of(Kinds::of(kHalfAccumulation, kEmulated, kNative)));
  EXPECT_EQ("", words_of(Kinds::of()));
  for (const Fp16Kind kind : kAllFp16Kinds) {
    EXPECT_FALSE(name_of(kind).empty());
    EXPECT_FALSE(Kinds::all_but(kind).has(kind));
    EXPECT_EQ(Kinds::of(kind), Kinds::all_but().without(Kinds::all_but(kind)));
  }
}

}  // namespace
}  // namespace halfmark::reports
