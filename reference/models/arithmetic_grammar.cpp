// SPDX-License-Identifier: Apache-2.0
// The grammar of arithmetics' names, for people. arithmetic_names.cpp reads and prints it.
#include <array>

#include "reference/models/arithmetic.hpp"

namespace halfmark::models {
namespace {

constexpr std::array kGrammar{
    GrammarLine{"exact", "the sum without error, rounded once to the result format", "exact"},
    GrammarLine{"F.sequential.fma", "k ascending, fused multiply-adds rounded to F",
                "fp32.sequential.fma"},
    GrammarLine{"F.ORDER.mul", "products rounded to F before they are added",
                "fp16.sequential.mul"},
    GrammarLine{"reversed", "k descending", "fp32.reversed.fma"},
    GrammarLine{"pairwise", "a tree split at powers of two", "fp32.pairwise.fma"},
    GrammarLine{"strided-W", "W partial sums, k mod W; combined pairwise", "fp32.strided-8.fma"},
    GrammarLine{"strided-WxR", "the same by runs of R products", "fp32.strided-4x32.fma"},
    GrammarLine{"blocked-B", "partial sums over blocks of B, added one by one",
                "fp32.blocked-64.fma"},
    GrammarLine{"splitk-S", "S partial sums over ceil(K/S) each, added one by one",
                "fp32.splitk-4.fma"},
    GrammarLine{"unrolled-WxR",
                "W partial sums, k mod W, in turns of W R products; the rest into the first",
                "fp32.unrolled-2x4.fma"},
    GrammarLine{"vectors-L-COMBINE", "L lanes; the products of no whole vector stepped in last",
                "fp32.vectors-8-halves.fma"},
    GrammarLine{"vectors-LxU-COMBINE-COMBINE", "the same, U vectors a turn, which combine first",
                "fp32.vectors-8x4-sequential-folded.fma"},
    GrammarLine{"-sequential -pairwise -halves -folded", "how partial sums are combined",
                "fp32.strided-8-halves.fma"},
    GrammarLine{"-COMBINE G-COMBINE", "each G of them first, then the rest",
                "fp32.strided-256-halves32-sequential.fma"},
    GrammarLine{"tree-T", "(x+y) one step, [x+y+z] summed exactly and rounded once, c the addend",
                "fp32.tree-([0+1+2+3]+(c+4)).fma"},
    GrammarLine{"near_even toward_zero down up near_away", "the rounding of every step",
                "fp32.sequential.fma.toward_zero"},
    GrammarLine{"keep flush_in flush_out flush", "the steps' subnormals",
                "fp32.sequential.fma.flush"},
    GrammarLine{"product-P", "products rounded to P first", "fp32.sequential.mul.product-bf16"},
    GrammarLine{"parts-P", "partial sums rounded to P", "fp32.splitk-4.fma.parts-fp16"},
    GrammarLine{"total-T", "partial sums combined in T", "fp16.blocked-32.fma.total-fp32"},
    GrammarLine{"c_first c_last", "c enters elsewhere", "fp32.sequential.fma.c_last"},
    GrammarLine{"zero_last", "+0 added last where there is no c: -0 becomes +0",
                "fp32.sequential.fma.zero_last"},
    GrammarLine{"early-P", "the sum rounded to P before it is scaled or stored",
                "fp32.sequential.fma.early-fp16"},
    GrammarLine{"unit.GENERATION.INSTRUCTION.INPUT.OUTPUT", "what a matrix unit computes",
                "unit.hopper.wgmma.fp16.fp32"},
    GrammarLine{"unit. ... .ORDER", "partial sums by a matrix unit: strided, blocked or splitk",
                "unit.hopper.wgmma.e4m3fn.fp32.blocked-128"},
};

}  // namespace

std::span<const GrammarLine> arithmetic_grammar() { return kGrammar; }

}  // namespace halfmark::models
