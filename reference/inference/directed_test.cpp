// SPDX-License-Identifier: Apache-2.0
// Boxes of narrow formats, which have no tree to be measured: what tells their arithmetics apart.
#include "reference/inference/directed.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "reference/formats/classify.hpp"
#include "reference/inference/boxes.hpp"
#include "reference/inference/data.hpp"
#include "reference/inference/infer.hpp"
#include "reference/slow/effort.hpp"

namespace halfmark::inference {
namespace {

using formats::kBf16;
using formats::kE2m1;
using formats::kE2m3;
using formats::kE4m3fn;
using formats::kFp32;

bool tells_apart(const std::vector<Question>& questions, const char* x, const char* y) {
  const Hypothesis first{*models::parse_arithmetic(x), {}};
  const Hypothesis second{*models::parse_arithmetic(y), {}};
  return std::ranges::any_of(questions, [&](const Question& question) {
    return !agreement(predict(first, question), predict(second, question)).whole();
  });
}

TEST(Directed, TellsApartWhatRandomNumbersDoNot) {
  struct Pair {
    const Format &in, &out;
    std::size_t k;
    const char *x, *y;
  };
  for (const Pair& pair :
       {Pair{kE4m3fn, kE4m3fn, 32, "fp32.sequential.fma", "fp32.reversed.fma"},
        Pair{kE4m3fn, kE4m3fn, 8, "fp32.pairwise.fma", "fp64.pairwise.fma"},
        Pair{kE2m1, kBf16, 32, "fp16.sequential.fma", "fp32.sequential.fma"},
        Pair{kE2m1, kE4m3fn, 8, "bf16.sequential.fma", "bf16.reversed.fma"},
        Pair{kE2m1, kFp32, 32, "fp32.sequential.fma", "unit.blackwell.tcgen05.e2m1.fp16"}}) {
    SCOPED_TRACE(std::string(pair.x) + " and " + pair.y);
    const Laboratory laboratory(box_of(pair.x, pair.in, pair.out, pair.k, nullptr));
    EXPECT_TRUE(tells_apart(directed_questions(laboratory), pair.x, pair.y));
    std::vector<Question> random;
    for (std::uint64_t seed = 1; seed <= 20; ++seed)
      random.push_back(random_question(laboratory, 96, seed));
    EXPECT_FALSE(tells_apart(random, pair.x, pair.y)) << "random numbers suffice";
  }
}

TEST(Directed, AsksFiniteNumbersOfEveryFormat) {
  for (const Format& f : formats::all_formats()) {
    if (!f.has_sign) continue;
    for (const std::size_t k : {kShortest, std::size_t{5}, kLongest}) {
      const Laboratory laboratory(box_of("exact", f, f, k, &f));
      const std::vector<Question> questions = directed_questions(laboratory);
      EXPECT_GT(questions.size(), 4U) << f.name;
      for (const Question& question : questions) {
        for (const Tensor* tensor : {&question.a, &question.b, &question.c}) {
          for (std::size_t i = 0; i < tensor->count(); ++i)
            ASSERT_TRUE(formats::is_finite(f, tensor->at(i))) << f.name;
        }
      }
    }
  }
}

// Sums of few numbers, among them the largest and the smallest, in runs that often cancel.
Question uneven_question(const Laboratory& laboratory, std::uint64_t seed) {
  Random random(seed);
  Question question = laboratory.blank(64, 8);
  const auto fill = [&](Tensor& tensor, std::size_t sums, std::size_t stride, std::size_t step) {
    const Format& f = *tensor.format;
    for (std::size_t i = 0; i < sums; ++i) {
      const std::array numbers{formats::zero(f), formats::max_finite(f), formats::min_subnormal(f),
                               formats::one(f), random.word() & (f.magnitude_mask() >> 1)};
      const std::size_t run = 1 + random.below(question.problem.k);
      Bits bits = 0;
      for (std::size_t x = 0; x < question.problem.k; ++x) {
        if (x % run == 0 || random.one_in(6)) bits = numbers[random.below(numbers.size())];
        tensor.set(i * stride + x * step, formats::encode(f, random.one_in(2), bits));
      }
    }
  };
  fill(question.a, 64, question.problem.k, 1);
  fill(question.b, 8, 1, 8);
  return question;
}

// ci/test takes every seventh box; the lengths of the three lists are coprime to seven.
TEST(InferNarrow, TheNameIsTheBoxOrAgreesWithIt) {
  struct Formats {
    const Format &in, &out;
  };
  const int every = slow::effort(1, 7);
  int number = 0;
  for (const Formats& formats : {Formats{kE2m1, kBf16}, {kE4m3fn, kE4m3fn}, {kE2m3, kE4m3fn}}) {
    for (const models::NamedArithmetic& named : models::all_arithmetics()) {
      for (const std::size_t k : {8U, 32U}) {
        if (named.arithmetic.unit != nullptr || number++ % every != 0) continue;
        const Subject box = box_of(named.arithmetic, formats.in, formats.out, k, nullptr);
        const Inference result = infer(box);
        SCOPED_TRACE(named.name + " -> " + result.name);
        ASSERT_EQ(Outcome::kNamed, result.outcome);
        ASSERT_FALSE(result.structure.tree);
        if (result.name == named.name) continue;
        for (std::uint64_t seed = 1; seed <= 8; ++seed) {
          const Question question = uneven_question(Laboratory(box), seed);
          EXPECT_TRUE(agreement(predict({named.arithmetic, {}}, question),
                                predict(*result.hypothesis, question))
                          .whole());
        }
      }
    }
  }
}

}  // namespace
}  // namespace halfmark::inference
