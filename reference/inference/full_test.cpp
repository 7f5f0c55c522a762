// SPDX-License-Identifier: Apache-2.0
// Every arithmetic name behind a black box.
#include <gtest/gtest.h>

#include "reference/inference/boxes.hpp"
#include "reference/inference/data.hpp"
#include "reference/inference/infer.hpp"
#include "reference/slow/effort.hpp"

namespace halfmark::inference {
namespace {

// Whether several thousand sums do not distinguish the two.
bool agree(const Hypothesis& x, const Hypothesis& y, const Subject& subject) {
  const Laboratory laboratory(subject);
  for (std::uint64_t seed = 1000; seed < 1020; ++seed) {
    const Question question = random_question(laboratory, 64, seed);
    if (!agreement(predict(x, question), predict(y, question)).whole()) return false;
  }
  return true;
}

// Expects its own name, or the name of an arithmetic that is the same over sums of this length.
void expect_named(const Arithmetic& arithmetic, const Subject& subject) {
  const Inference result = infer(subject);
  const std::string name = models::print(arithmetic);
  ASSERT_EQ(result.outcome, Outcome::kNamed)
      << name << " -> " << result.name << ' '
      << (result.structure.tree ? print(*result.structure.tree) : "without a tree");
  if (result.name == name) return;
  EXPECT_TRUE(agree(*result.hypothesis, {arithmetic, {}}, subject))
      << name << " -> " << result.name;
}

// ci/test checks every fifth combination with the formats; there are eight of each.
TEST(InferAll, ListedArithmetics) {
  const int every = slow::effort(1, 5);
  int number = 0;
  for (const models::NamedArithmetic& named : models::all_arithmetics()) {
    if (named.arithmetic.unit != nullptr) continue;
    for (const Format* in : {&formats::kFp16, &formats::kBf16, &formats::kFp32, &formats::kE5m2}) {
      for (const Format* out : {&formats::kFp32, &formats::kFp16}) {
        if (number++ % every != 0) continue;
        SCOPED_TRACE(std::string(in->name) + " to " + std::string(out->name));
        expect_named(named.arithmetic, box_of(named.arithmetic, *in, *out, 16, out));
      }
    }
  }
}

TEST(InferAll, Units) {
  for (const models::Unit& unit : models::all_units()) {
    for (const Format* b : unit.b) {
      if (b != unit.b[0] && !slow::long_run()) break;
      Subject subject = box_of({.unit = &unit}, *unit.a[0], *unit.output, 64, unit.output);
      subject.b = b;
      expect_named({.unit = &unit}, subject);
    }
  }
}

// Orders, roundings, subnormal policies and options, at random.
TEST(InferAll, RandomNames) {
  const char* orders[] = {
      "sequential",           "reversed",  "pairwise",           "strided-2", "strided-4-halves",
      "strided-3-sequential", "blocked-4", "blocked-5-pairwise", "splitk-2",  "splitk-5-halves"};
  const char* steps[] = {"fma", "mul"};
  const char* options[] = {"",           ".toward_zero", ".down",        ".up",
                           ".near_away", ".flush",       ".flush_in.up", ".early-fp16"};
  // ci/test checks every seventh; the lengths of the three lists are coprime to seven.
  const int every = slow::effort(1, 7);
  int number = 0;
  for (const char* order : orders) {
    for (const char* step : steps) {
      for (const char* option : options) {
        if (number++ % every != 0) continue;
        const std::string name = std::string("fp32.") + order + '.' + step + option;
        expect_named(*models::parse_arithmetic(name),
                     box_of(name, formats::kBf16, formats::kFp32, 16));
      }
    }
  }
}

}  // namespace
}  // namespace halfmark::inference
