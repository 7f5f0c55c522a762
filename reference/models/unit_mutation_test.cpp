// SPDX-License-Identifier: Apache-2.0
// Mutation test of the twin test: the problems that the twin test draws must distinguish every row
// from its wrong neighbours (mutants); if the hardware vectors are present, the mutants' wrong
// answers on them are counted too. A mutant that cannot differ is listed with the reason, and must
// not differ.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "reference/formats/classify.hpp"
#include "reference/models/unit.hpp"
#include "reference/slow/unit_problems.hpp"
#include "reference/slow/unit_vectors.hpp"

namespace halfmark::models {
namespace {

using slow::Variation;
using soft::Rounding;

struct Mutant {
  std::string name;
  Unit unit;
  Variation variation = Variation::kNone;
  std::string_view equivalent = {};  // why it cannot differ; empty: it must differ
};

// What the operands of a row can produce.
struct Reach {
  int least = 0;  // place of the smallest bit of a product
  int most = 0;   // largest exponent of a product
  bool infinite = false;
  bool wide = false;  // operands of more precision than bf16
};

Reach reach_of(const Unit& unit) {
  Reach reach;
  int least[2] = {0, 0}, most[2] = {-1000, -1000};
  for (const int side : {0, 1}) {
    for (const Format* f : side == 0 ? unit.a : unit.b) {
      least[side] = std::min(least[side], f->min_place());
      most[side] = std::max(most[side], f->max_exponent());
      reach.infinite = reach.infinite || f->has_infinity();
      reach.wide = reach.wide || f->precision() > formats::kBf16.precision();
    }
  }
  reach.least = least[0] + least[1];
  reach.most = most[0] + most[1] + 1;
  if (unit.scale != nullptr) {
    reach.least += 2 * unit.scale->min_place();
    reach.most += 2 * unit.scale->max_exponent();
  }
  return reach;
}

bool is(const Unit& unit, std::initializer_list<Rule> rules) {
  return std::find(rules.begin(), rules.end(), unit.rule) != rules.end();
}
bool truncates(const Unit& unit) {
  return is(unit,
            {Rule::kTruncated, Rule::kScaledTruncated, Rule::kGroupScaled, Rule::kThroughHalf});
}
bool floors(const Unit& unit) { return is(unit, {Rule::kFloored, Rule::kFlooredSplit}); }
bool flushes(const Unit& unit) {
  return is(unit, {Rule::kFlushedPairs, Rule::kEvenOdd, Rule::kFlushedChain, Rule::kOddPairs});
}

class Mutants {
 public:
  explicit Mutants(const Unit& unit) : unit_(unit), reach_(reach_of(unit)) {
    change_numbers();
    change_roundings();
    change_exponents();
    change_order();
    change_subnormals();
    change_specials();
  }
  [[nodiscard]] const std::vector<Mutant>& list() const { return list_; }

 private:
  static constexpr std::string_view kNothingThere = "no operand reaches so far down";
  static constexpr std::string_view kNothingLarge = "no product reaches the range's end";

  template <typename Value>
  void number(const std::string& name, Value Unit::* member, Value value,
              std::string_view equivalent = {}) {
    Mutant mutant{name, unit_, Variation::kNone, equivalent};
    mutant.unit.*member = value;
    list_.push_back(mutant);
  }
  void rule(const char* name, Variation variation, std::string_view equivalent = {}) {
    list_.push_back({name, unit_, variation, equivalent});
  }

  void change_numbers() {
    if (unit_.fraction_bits != 0) {
      number("F-1", &Unit::fraction_bits, unit_.fraction_bits - 1);
      number("F+1", &Unit::fraction_bits, unit_.fraction_bits + 1);
    }
    if (unit_.kept_bits != unit_.output->fraction_bits) {
      number("kept-1", &Unit::kept_bits, unit_.kept_bits - 1);
      number("kept+1", &Unit::kept_bits, unit_.kept_bits + 1);
    }
    if (truncates(unit_)) {
      const int grid = unit_.zero_exponent - unit_.fraction_bits;
      number("zero-1", &Unit::zero_exponent, unit_.zero_exponent - 1,
             reach_.least >= grid ? kNothingThere : "");
      number("zero+1", &Unit::zero_exponent, unit_.zero_exponent + 1,
             reach_.least > grid ? kNothingThere : "");
    }
    const bool whole = is(unit_, {Rule::kThroughHalf, Rule::kEvenOdd});
    const auto length = whole ? &Unit::instruction_k : &Unit::block;
    if (unit_.*length > 1) {
      number("L/2", length, unit_.*length / 2);
      number("L*2", length, unit_.*length * 2);
    }
  }

  void change_roundings() {
    const std::pair<const char*, Rounding> roundings[] = {
        {"RNE", Rounding::kNearEven}, {"RZ", Rounding::kTowardZero}, {"RD", Rounding::kDown}};
    for (const auto& [name, rounding] : roundings) {
      if (rounding != unit_.rounding) number(name, &Unit::rounding, rounding);
    }
    if (truncates(unit_) || floors(unit_)) {
      rule("align RNE", Variation::kAlignedNearest);
      rule("align RD", Variation::kAlignedDown);
    }
    if (floors(unit_)) {
      rule("join RZ", Variation::kTruncatedJoin);
      rule("join RNE", Variation::kJoinNearest);
      rule("no floor", Variation::kNoFinalFloor);
    }
  }

  void change_exponents() {
    if (unit_.rule == Rule::kGroupScaled) {
      rule("cancelled", Variation::kGroupExponents);
      if (unit_.scale->has_sign) rule("scale sign", Variation::kSignedScales);
    } else if (truncates(unit_) || floors(unit_)) {
      rule("normalised", Variation::kNormalisedProducts);
      rule("true exp", Variation::kTrueExponents, subnormals_matter() ? "" : kNothingThere);
    }
  }

  // e4m3 numbers are normal in fp16. A subnormal e5m2 number among them is never the largest term
  // of a grid that truncates anything.
  [[nodiscard]] bool subnormals_matter() const {
    if (unit_.rule != Rule::kThroughHalf) return true;
    const int normal = formats::kFp16.min_exponent();
    const int largest =
        unit_.a[0]->min_place() < normal ? unit_.b[1]->max_exponent() : unit_.a[0]->max_exponent();
    return largest + normal - unit_.fraction_bits > reach_.least;
  }

  void change_order() {
    rule("reversed", Variation::kReversed);
    if (is(unit_, {Rule::kTruncated, Rule::kScaledTruncated, Rule::kGroupScaled, Rule::kExact}) ||
        floors(unit_)) {
      rule("late c", Variation::kLateC);
    }
    if (is(unit_, {Rule::kThroughHalf, Rule::kEvenOdd})) rule("early c", Variation::kEarlyC);
    if (unit_.rule == Rule::kThroughHalf) {
      rule("halves", Variation::kHalves);
      rule("even, odd", Variation::kEvenThenOdd);
    }
    if (unit_.rule == Rule::kFlushedPairs) {
      rule("c first", Variation::kFirstC);
      if (unit_.block > 2) rule("in order", Variation::kSequentialPairs);
    }
    if (unit_.rule == Rule::kFlooredSplit) {
      rule("one sum", Variation::kNoSplit);
      rule("small c", Variation::kKeepC);
    }
    if (unit_.rule == Rule::kFmaChain) rule("unfused", Variation::kUnfused);
  }

  void change_subnormals() {
    if (flushes(unit_)) rule("no flush", Variation::kUnflushed);
    const bool reads_them =
        !flushes(unit_) || (*unit_.a[0] == formats::kFp16 && unit_.rule == Rule::kEvenOdd);
    if (reads_them) rule("DAZ", Variation::kFlushedInputs);
    if (!flushes(unit_)) rule("FTZ", Variation::kFlushedResult);
    if (reach_.wide) rule("as bf16", Variation::kBrainOperands);
  }

  void change_specials() {
    if (unit_.nan_word != 0) {
      const bool is_default = unit_.nan_word == formats::quiet_nan(*unit_.output);
      number<Bits>("NaN word", &Unit::nan_word, 0, is_default ? "it is the default quiet NaN" : "");
    }
    const bool sums_infinities = truncates(unit_) || floors(unit_) || unit_.rule == Rule::kExact;
    if (sums_infinities && reach_.infinite) rule("inf-inf", Variation::kOpposites);
    const int end = unit_.output->max_exponent();
    if (truncates(unit_) || floors(unit_)) {
      const bool near_end = reach_.most > end - unit_.fraction_bits - 8;
      const bool added_after = unit_.rule == Rule::kThroughHalf && *unit_.output == formats::kFp32;
      rule("saturated", Variation::kSaturated, near_end && !added_after ? "" : kNothingLarge);
    }
    if (is(unit_, {Rule::kTruncated, Rule::kScaledTruncated, Rule::kExact}) &&
        *unit_.output == formats::kFp32) {
      rule("inf products", Variation::kInfiniteProducts, reach_.most > end ? "" : kNothingLarge);
    }
    if (floors(unit_)) {
      rule("no inf products", Variation::kFiniteProducts, reach_.most > end ? "" : kNothingLarge);
    }
    const bool from_zero = unit_.rule == Rule::kThroughHalf && *unit_.output == formats::kFp32;
    const bool never_tiny = flushes(unit_) && *unit_.a[0] == formats::kFp16;
    if (unit_.zero_is_positive) number("-0", &Unit::zero_is_positive, false);
    rule("+0", Variation::kPositiveZero,
         unit_.zero_is_positive && *unit_.a[0] == formats::kFp16 && *unit_.output == formats::kFp32
             ? "every zero sum is +0 already, and no sum of fp16 products rounds to zero"
         : from_zero  ? "a sum begins at +0 and is never -0"
         : never_tiny ? "c or the sum begins at +0, and no sum of fp16 products is flushed"
                      : "");
  }

  const Unit& unit_;
  Reach reach_;
  std::vector<Mutant> list_;
};

// Units that are the same function need only one test.
std::string function_of(const Unit& unit) {
  std::string text =
      fmt::format("{} {} {} {} {} {} {} {} {}", to_string(unit.rule), unit.block,
                  unit.fraction_bits, unit.kept_bits, unit.zero_exponent, unit.output->name,
                  unit.scale_block, unit.instruction_k, unit.zero_is_positive);
  for (const FormatSet set : {unit.a, unit.b}) {
    for (const Format* f : set) text.append(" ").append(f->name);
  }
  return text;
}

// The number of problems needed to distinguish the mutant from the model; `most` + 1 if none does.
int problems_until_told(const Unit& unit, const Mutant& mutant, int most) {
  slow::UnitProblems problems(unit, 7);
  for (int i = 1; i <= most; ++i) {
    const slow::UnitProblem p = problems.next();
    if (slow::unit_dot(mutant.unit, p, mutant.variation) != slow::fast_unit_dot(unit, p)) return i;
  }
  return most + 1;
}

TEST(UnitMutation, WrongNeighboursAreToldApart) {
  constexpr int kMost = 20000;
  constexpr int kEquivalent = 300;
  std::set<std::string> seen;
  std::size_t distinguished = 0, equivalents = 0;
  for (const Unit& unit : all_units()) {
    if (!seen.insert(function_of(unit)).second) continue;
    std::string line = fmt::format("{:<42}", unit.name);
    const Mutants mutants(unit);
    for (const Mutant& mutant : mutants.list()) {
      const bool alike = !mutant.equivalent.empty();
      const int most = alike ? kEquivalent : kMost;
      const int problems = problems_until_told(unit, mutant, most);
      if (alike) {
        EXPECT_EQ(most + 1, problems) << unit.name << ' ' << mutant.name << ": differs after all, "
                                      << "though " << mutant.equivalent;
        line += fmt::format(" {}:=", mutant.name);
        ++equivalents;
      } else {
        EXPECT_LE(problems, most) << unit.name << " survives: " << mutant.name;
        line += fmt::format(" {}:{}", mutant.name, problems);
        ++distinguished;
      }
    }
    fmt::print("{}\n", line);
  }
  fmt::print(
      "{} units that differ; {} wrong neighbours told apart (after so many problems), "
      "{} that are none (=)\n",
      seen.size(), distinguished, equivalents);
}

// Whether published inputs can reveal a mutant: they are ordinary numbers, K is one instruction,
// and an fp16 result hides what happens 20 bits below it.
bool shown(const slow::VectorFile& file, const Mutant& mutant) {
  const Unit& unit = *file.unit;
  const std::string& name = mutant.name;
  if (name == "late c" || name == "early c") return file.problems[0].c.has_value();
  if (*unit.output == formats::kFp16) return name == "RZ";
  const std::set<std::string> numbers{"F-1", "F+1",       "kept-1",    "kept+1",
                                      "RNE", "align RNE", "normalised"};
  return unit.rule == Rule::kTruncated && numbers.contains(name);
}

TEST(UnitMutation, TheHardwareContradictsWrongNeighbours) {
  const std::vector<slow::VectorFile> files = slow::read_vectors();
  if (files.empty()) {
    GTEST_SKIP() << "no hardware vectors at " << slow::vectors_folder() << "; set HALFMARK_VECTORS";
  }
  std::set<std::string> seen;
  for (const slow::VectorFile& file : files) {
    if (!seen.insert(function_of(*file.unit)).second) continue;
    std::string line = fmt::format("{:<18}", file.name);
    const Mutants mutants(*file.unit);
    for (const Mutant& mutant : mutants.list()) {
      if (!mutant.equivalent.empty()) continue;
      constexpr std::size_t kLines = 100;
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < kLines; ++i) {
        const Bits answer = slow::unit_dot(mutant.unit, file.problems[i], mutant.variation);
        if (answer != file.answers[i]) ++wrong;
      }
      line += fmt::format(" {}:{}", mutant.name, wrong);
      if (shown(file, mutant)) {
        EXPECT_GT(wrong, 0U) << file.name << " does not contradict " << mutant.name;
      }
    }
    fmt::print("{} wrong answers of 100\n", line);
  }
}

}  // namespace
}  // namespace halfmark::models
