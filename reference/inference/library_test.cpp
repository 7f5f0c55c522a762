// SPDX-License-Identifier: Apache-2.0
// The arithmetics known from libraries: each is found behind a box under its name, and a box that
// differs from it in one step is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>

#include "reference/inference/boxes.hpp"
#include "reference/inference/infer.hpp"
#include "reference/slow/effort.hpp"
#include "reference/soft/soft.hpp"

namespace halfmark::inference {
namespace {

using formats::kBf16;
using formats::kE4m3fn;
using formats::kFp16;
using formats::kFp32;

struct Known {
  const char* name;
  const Format& in;
  const Format& out;
  std::size_t k;     // with a tail if there are blocks
  const char* used;  // by which library, or for what
};

const Known kKnown[] = {
    {"fp16.sequential.fma", kFp16, kFp16, 19, "hgemm with half precision multiply-adds"},
    {"fp16.sequential.mul", kFp16, kFp16, 19, "the same without fused steps"},
    {"fp16.strided-2.fma", kFp16, kFp16, 19, "multiply-adds of two halves at a time"},
    {"fp16.pairwise.fma", kFp16, kFp16, 19, "a tree in half precision"},
    {"bf16.sequential.fma", kBf16, kBf16, 19, "bf16 sums"},
    {"fp16.blocked-4.fma.total-fp32", kFp16, kFp32, 18, "half precision sums of 4, added in fp32"},
    {"fp32.blocked-4.fma.total-fp16", kFp16, kFp16, 18, "fp32 within a tile, half across tiles"},
    {"fp32.sequential.mul.product-fp16", kFp16, kFp32, 18, "products in half precision"},
    {"fp32.strided-8.fma", kFp16, kFp16, 36, "lanes, whose few products a unit could have fused"},
    {"fp32.splitk-3.fma", kFp16, kFp32, 20, "k split, added in fp32"},
    {"fp32.splitk-3.fma.parts-fp16", kFp16, kFp32, 20, "k split, a workspace in half precision"},
    {"fp32.splitk-3.fma.total-fp16", kFp16, kFp16, 20, "k split, added in half precision"},
    {"fp32.strided-2x4.fma", kFp16, kFp32, 21, "k split by tiles in turn (Tensile, GSUSARR)"},
    {"fp32.strided-2x4-sequential.mul", kFp32, kFp32, 21, "the same, products rounded"},
    {"fp32.sequential.fma.early-fp16", kFp16, kFp32, 18, "the sum rounded before it is scaled"},
    {"unit.hopper.mma.fp16.fp32.splitk-2", kFp16, kFp32, 36, "k split on a matrix unit"},
    {"unit.ampere.mma.fp16.fp32.strided-2x8", kFp16, kFp32, 36, "the same, tiles in turn"},
    {"unit.ampere.mma.fp16.fp32.splitk-2.parts-fp16", kFp16, kFp32, 35, "a narrow workspace"},
    {"unit.ampere.mma.fp16.fp32.blocked-16", kFp16, kFp32, 35, "two levels of sums"},
    {"unit.hopper.wgmma.e4m3fn.fp32.blocked-32", kE4m3fn, kFp32, 40,
     "promotion, every 128 in DeepSeek-V3 (arXiv:2412.19437, 3.3.2)"},
    {"unit.volta.mma.fp16.fp16.blocked-8.total-fp32", kFp16, kFp32, 20, "the same for fp16 sums"},
    {"unit.cdna3.mfma.fp16.fp32.splitk-4-pairwise", kFp16, kFp32, 36, "k split, added in pairs"},
};

bool is_named(const Inference& result, const std::string& name) {
  return result.outcome == Outcome::kNamed &&
         (result.name == name ||
          std::ranges::any_of(result.equivalents,
                              [&](const Equivalent& other) { return other.name == name; }));
}

std::string said(const Inference& result) {
  return std::string(to_string(result.outcome)) + ' ' + result.name + ' ' +
         (result.structure.tree ? print(*result.structure.tree) : "without a tree");
}

Subject box(const Known& known) {
  return box_of(known.name, known.in, known.out, known.k, &known.out);
}

// A box that evaluates `known` with the last product replaced by zero, and then steps the real last
// product into the result with a single rounding toward zero.
Subject one_step_off(const Known& known) {
  Subject subject = box(known);
  const Gemm whole = subject.gemm;
  subject.gemm = [whole, known](const GemmProblem& p, const Tensor& a, const Tensor& b,
                                const Tensor* c) {
    Tensor shorter = a;
    for (std::size_t i = 0; i < p.m; ++i) shorter.set(i * p.k + p.k - 1, 0);
    Tensor d = whole(p, shorter, b, c);
    for (std::size_t i = 0; i < d.count(); ++i) {
      const Bits last_a = a.at(i / p.n * p.k + p.k - 1);
      const Bits last_b = b.at((p.k - 1) * p.n + i % p.n);
      d.set(i, soft::fma(known.in, last_a, known.in, last_b, known.out, d.at(i),
                         {.rounding = soft::Rounding::kTowardZero})
                   .bits);
    }
    return d;
  };
  return subject;
}

// ci/test takes every seventh.
std::vector<Known> asked(std::size_t first) {
  std::vector<Known> list;
  const auto every = static_cast<std::size_t>(slow::effort(1, 7));
  for (std::size_t i = first % every; i < std::size(kKnown); i += every) list.push_back(kKnown[i]);
  return list;
}

TEST(LibraryArithmetics, EachIsNamed) {
  for (const Known& known : asked(0)) {
    const Inference result = infer(box(known));
    EXPECT_TRUE(is_named(result, known.name)) << known.name << " -> " << said(result);
  }
}

// Four or five fp32 steps and a fused sum of them, rounded to fp16, differ on no random data; their
// trees do.
TEST(LibraryArithmetics, AUnitIsNotNamedAgainstTheTree) {
  const Inference lanes = infer(box_of("fp32.strided-8.fma", kFp16, kFp16, 36, nullptr));
  EXPECT_EQ(lanes.name, "fp32.strided-8.fma") << said(lanes);
  for (const Equivalent& other : lanes.equivalents)
    EXPECT_EQ(other.name, "fp32.strided-8.mul") << other.reason;
  const Inference unit =
      infer(box_of("unit.turing.mma.fp16.fp32.strided-8", kFp16, kFp16, 36, nullptr));
  EXPECT_TRUE(is_named(unit, "unit.turing.mma.fp16.fp32.strided-8")) << said(unit);
  EXPECT_FALSE(is_named(unit, "fp32.strided-8.fma"));
}

TEST(LibraryArithmetics, OneStepOffIsRefused) {
  for (const Known& known : asked(1)) {
    const Inference result = infer(one_step_off(known));
    EXPECT_EQ(result.outcome, Outcome::kUnexplained) << known.name << " -> " << said(result);
  }
}

// A block or a run of another size, another unit, or sums combined in another format gives
// another name.
TEST(LibraryArithmetics, OneParameterIsAnotherName) {
  struct Pair {
    const char *planted, *other;
  };
  for (const Pair& pair :
       {Pair{"unit.ampere.mma.fp16.fp32.blocked-16", "unit.ampere.mma.fp16.fp32.blocked-8"},
        Pair{"unit.hopper.mma.fp16.fp32.splitk-2", "unit.ampere.mma.fp16.fp32.splitk-2"},
        Pair{"fp32.strided-2x4.fma", "fp32.strided-2x5.fma"},
        Pair{"fp32.splitk-3.fma.parts-fp16", "fp32.splitk-3.fma.total-fp16"}}) {
    const Inference result = infer(box_of(pair.planted, kFp16, kFp32, 20));
    EXPECT_TRUE(is_named(result, pair.planted)) << said(result);
    EXPECT_FALSE(is_named(result, pair.other)) << pair.planted;
  }
}

// Over fewer products than a block has, a block has no effect: the shorter name is given, and
// nothing is claimed about blocks. With one product more, the result lists the names that none
// of the data tried distinguishes.
TEST(LibraryArithmetics, ShortSumsClaimNoBlocks) {
  const Inference below = infer(box_of("fp32.blocked-16.fma", kBf16, kFp32, 12));
  EXPECT_EQ(below.name, "fp32.sequential.fma.c_last") << said(below);
  EXPECT_TRUE(below.equivalents.size() < 2) << "and the products may be rounded";
  const Inference unit =
      infer(box_of("unit.ampere.mma.fp16.fp32.splitk-2", kFp16, kFp32, 32, nullptr));
  EXPECT_TRUE(is_named(unit, "unit.ampere.mma.fp16.fp32.splitk-2")) << said(unit);
  EXPECT_TRUE(is_named(unit, "unit.ampere.mma.fp16.fp32.blocked-16")) << said(unit);
  EXPECT_FALSE(is_named(unit, "unit.ampere.mma.fp16.fp32.splitk-2.c_first"))
      << "there is no c to tell of";
}

}  // namespace
}  // namespace halfmark::inference
