// SPDX-License-Identifier: Apache-2.0
// Recovers trees from answers only, whatever the nodes round to.
#include "reference/inference/structure.hpp"

#include <gtest/gtest.h>

#include "reference/inference/boxes.hpp"

namespace halfmark::inference {
namespace {

using formats::kBf16;
using formats::kE4m3fn;
using formats::kFp16;
using formats::kFp32;

std::string found(Subject subject) {
  Laboratory laboratory(std::move(subject));
  const Structure structure = find_structure(laboratory);
  return structure.tree ? print(*structure.tree) : "no tree";
}

TEST(Structure, OrdersInEveryRoundingDirection) {
  for (const char* order :
       {"sequential", "reversed", "pairwise", "strided-4", "blocked-3", "splitk-2",
        "strided-4-halves", "tree-((3+(c+5))+((0+7)+((1+2)+(4+6))))"}) {
    const std::string expected = print(tree_of(*models::read_order(order).order, 8, true));
    for (const char* rest : {".fma", ".mul", ".fma.toward_zero", ".fma.down", ".fma.up",
                             ".mul.near_away", ".fma.flush"}) {
      for (const char* format : {"fp32.", "fp16.", "bf16."}) {
        const std::string name = std::string(format) + order + rest;
        EXPECT_EQ(expected, found(box_of(name, kFp16, kFp32, 8))) << name;
      }
    }
  }
}

TEST(Structure, FusedNodesThatLoseNothingAreNoPairs) {
  for (const char* tree : {"[c+0+1+2+3+4+5+6+7]", "[[c+0+1+2+3]+4+5+6+7]",
                           "(c+([0+1+2]+[3+4+5+6+7]))", "[(c+0)+(1+2)+((3+4)+5)+6+7]"}) {
    const std::string name = std::string("fp32.tree-") + tree + ".fma";
    EXPECT_EQ(tree, found(box_of(name, kBf16, kFp32, 8))) << name;
    EXPECT_EQ(tree, found(box_of(name, kFp16, kFp32, 8))) << name;
  }
}

TEST(Structure, AWiderScaleTellsAWideSumFromAnExactOne) {
  // Over 29 bits an fp64 sum loses nothing; over 100 it does.
  EXPECT_EQ("((((c+0)+1)+2)+3)", found(box_of("fp64.sequential.fma", kBf16, kFp32, 4)));
}

TEST(Structure, MatrixUnits) {
  const auto unit = [&](const char* name, const Format& in, std::size_t k,
                        const Format& out = kFp32) {
    return found(box_of(name, in, out, k, &out));
  };
  EXPECT_EQ("{{c+0+1+2+3}+4+5+6+7}", unit("unit.volta.mma.fp16.fp32", kFp16, 8));
  EXPECT_EQ("{{c+0+1+2+3}+4+5+6+7}", unit("unit.volta.mma.fp16.fp16", kFp16, 8, kFp16));
  EXPECT_EQ("{{c+0+1+2+3+4+5+6+7}+8+9}", unit("unit.ampere.mma.bf16.fp32", kBf16, 10));
  EXPECT_EQ("[[c+0+1+2+3]+4+5+6+7]", unit("unit.cdna1.mfma.fp16.fp32", kFp16, 8));
  EXPECT_EQ("((c+((0+1)+(2+3)))+((4+5)+(6+7)))", unit("unit.cdna2.mfma.fp16.fp32", kFp16, 8));
  EXPECT_EQ("{c+0+1+2+3+4+5}", unit("unit.hopper.wgmma.e4m3fn.fp32", kE4m3fn, 6));
}

TEST(Structure, ARangeTooSmallIsNotLookedAt) {
  Laboratory laboratory(box_of("fp32.sequential.fma", formats::kE2m1, kFp32, 8));
  const Structure structure = find_structure(laboratory);
  EXPECT_FALSE(structure.scale);
  EXPECT_FALSE(structure.tree);
  EXPECT_EQ(laboratory.calls(), 0U);
}

TEST(Structure, AnOrderThatDependsOnTheDataIsNoTree) {
  // Forwards or backwards, depending on whether the first element is zero.
  Subject subject = box_of("fp32.sequential.fma", kFp16, kFp32, 6, nullptr);
  subject.gemm = [](const GemmProblem& p, const Tensor& a, const Tensor& b, const Tensor*) {
    const auto product = [&](const char* name) {
      return operators::gemm(p, a, b, nullptr, *models::parse_arithmetic(name), {});
    };
    Tensor d = product("fp32.sequential.fma");
    const Tensor backwards = product("fp32.reversed.fma");
    for (std::size_t i = 0; i < d.count(); ++i) {
      if (a.at((i / p.n) * p.k) == 0) d.set(i, backwards.at(i));
    }
    return d;
  };
  Laboratory laboratory(subject);
  EXPECT_FALSE(find_structure(laboratory).tree);
}

TEST(Structure, TreesAndMeetingSetsBelongTogether) {
  for (const char* order :
       {"sequential", "pairwise", "tree-[c+0+1+2+3+4+5]", "tree-(([0+1+2]+c)+[3+4+5])"}) {
    const SumTree tree = tree_of(*models::read_order(order).order, 6, true);
    EXPECT_EQ(tree_from(sets_of(tree, true), 6), tree) << order;
  }
}

}  // namespace
}  // namespace halfmark::inference
