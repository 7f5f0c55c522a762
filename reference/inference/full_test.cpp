// SPDX-License-Identifier: Apache-2.0
// Every name that there is, behind a black box.
#include <gtest/gtest.h>

#include <algorithm>

#include "reference/inference/boxes.hpp"
#include "reference/inference/infer.hpp"

namespace halfmark::inference {
namespace {

// Under its own name, or as one of what no data tells apart from it.
void expect_named(const Inference& result, const std::string& name) {
  const bool equivalent = std::any_of(result.equivalents.begin(), result.equivalents.end(),
                                      [&](const Equivalent& e) { return e.name == name; });
  EXPECT_TRUE(result.outcome == Outcome::kNamed && (result.name == name || equivalent))
      << name << " -> " << to_string(result.outcome) << ' ' << result.name << ' '
      << (result.structure.tree ? print(*result.structure.tree) : "without a tree");
}

TEST(InferAll, ListedArithmetics) {
  for (const models::NamedArithmetic& named : models::all_arithmetics()) {
    if (named.arithmetic.unit != nullptr) continue;
    for (const Format* in : {&formats::kFp16, &formats::kBf16, &formats::kFp32, &formats::kE5m2}) {
      for (const Format* out : {&formats::kFp32, &formats::kFp16}) {
        SCOPED_TRACE(std::string(in->name) + " to " + std::string(out->name));
        expect_named(infer(box_of(named.arithmetic, *in, *out, 16, out)), named.name);
      }
    }
  }
}

TEST(InferAll, Units) {
  for (const models::Unit& unit : models::all_units()) {
    for (const Format* b : unit.b) {
      Subject subject = box_of({.unit = &unit}, *unit.a[0], *unit.output, 64, unit.output);
      subject.b = b;
      expect_named(infer(subject), std::string(unit.name));
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
  for (const char* order : orders) {
    for (const char* step : steps) {
      for (const char* option : options) {
        const std::string name = std::string("fp32.") + order + '.' + step + option;
        expect_named(infer(box_of(name, formats::kBf16, formats::kFp32, 16)), name);
      }
    }
  }
}

}  // namespace
}  // namespace halfmark::inference
