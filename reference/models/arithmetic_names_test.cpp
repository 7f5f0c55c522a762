// SPDX-License-Identifier: Apache-2.0
// Every arithmetic parses back from its name, and errors in a bad name are reported with
// their position.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <variant>
#include <vector>

#include "reference/models/arithmetic.hpp"
#include "reference/models/testing/random_arithmetic.hpp"
#include "reference/slow/operands.hpp"
#include "reference/slow/slow.hpp"

namespace halfmark::models {
namespace {

using formats::kFp16;
using formats::kFp32;

TEST(Arithmetic, NamesParseBackAndDiffer) {
  std::set<std::string> names;
  for (const NamedArithmetic& row : all_arithmetics()) {
    EXPECT_EQ(print(row.arithmetic), row.name);
    EXPECT_EQ(parse_arithmetic(row.name), row.arithmetic);
    EXPECT_FALSE(row.description.empty());
    names.insert(row.name);
  }
  EXPECT_EQ(names.size(), all_arithmetics().size());
  EXPECT_TRUE(names.contains("exact"));
  EXPECT_TRUE(names.contains("fp32.sequential.fma"));
  EXPECT_TRUE(names.contains("bf16.pairwise.mul"));
  EXPECT_FALSE(parse_arithmetic("fp32.sequential"));
  EXPECT_FALSE(parse_arithmetic("fp32.sideways.fma"));
}

TEST(Arithmetic, EveryValueParsesBackFromItsName) {
  slow::Operands operands(3);
  RandomArithmetic random(operands);
  std::set<std::string> names;
  for (int i = 0; i < 20000; ++i) {
    const Arithmetic value = random(1 + operands.word() % 12);
    const std::string name = print(value);
    const auto read = read_arithmetic(name);
    ASSERT_TRUE(std::holds_alternative<Arithmetic>(read))
        << name << ": " << std::get<NameError>(read).message;
    ASSERT_EQ(value, std::get<Arithmetic>(read)) << name;
    ASSERT_EQ(name, print(std::get<Arithmetic>(read)));
    names.insert(name);
  }
  EXPECT_GT(names.size(), 10000U) << "the values hardly vary";
}

TEST(Arithmetic, TheGrammarsExamplesAreNames) {
  for (const GrammarLine& line : arithmetic_grammar()) {
    const auto value = parse_arithmetic(line.example);
    ASSERT_TRUE(value) << line.example;
    EXPECT_EQ(print(*value), line.example);
    EXPECT_FALSE(describe(*value).empty());
  }
}

TEST(Arithmetic, DeepTreesNeedNoRecursion) {
  constexpr std::uint32_t kDepth = 200000;
  Tree tree{{TreeToken::Kind::kProduct, 0}};
  for (std::uint32_t k = 1; k < kDepth; ++k) {
    tree.push_back({TreeToken::Kind::kProduct, k});
    tree.push_back({TreeToken::Kind::kJoin, 0});
  }
  const Arithmetic deep{.accumulator = &kFp32, .order = written_tree(tree)};
  ASSERT_EQ(parse_arithmetic(print(deep)), deep);
  const std::vector<Bits> ones(kDepth, 0x3c00);
  const Encoded d = dot(deep, {&kFp16, ones.data()}, {&kFp16, ones.data()}, kDepth, {}, kFp32);
  EXPECT_EQ(slow::from_int(kFp32, kDepth, {}).bits, d.bits);
}

TEST(Arithmetic, PlainChainsHaveNoOptions) {
  for (const char* plain : {"fp32.sequential.fma", "fp16.reversed.mul"}) {
    EXPECT_TRUE(is_plain_chain(*parse_arithmetic(plain))) << plain;
  }
  for (const char* other : {"exact", "fp32.pairwise.fma", "fp32.blocked-4.fma",
                            "fp32.sequential.fma.up", "fp32.sequential.fma.c_last",
                            "fp32.reversed.fma.early-fp16", "fp32.sequential.mul.product-bf16"}) {
    EXPECT_FALSE(is_plain_chain(*parse_arithmetic(other))) << other;
  }
}

struct BadName {
  std::string_view name;
  std::size_t position;
  std::string_view words;
};

TEST(Arithmetic, ErrorsSayWhatWasExpectedAndWhere) {
  const BadName bad[] = {
      {"", 0, "expected a format (fp16, "},
      {"fp17.sequential.fma", 0, "or exact, not 'fp17'"},
      {"exact.fma", 6, "the end of the name after exact, not 'fma'"},
      {"unit", 4, "expected GENERATION.INSTRUCTION.INPUT.OUTPUT of a matrix unit, but the name"},
      {"unit.hopper.mfma.fp16.fp32", 5, "of a matrix unit, not 'hopper.mfma.fp16.fp32'"},
      {"fp32", 4, "expected an order (sequential, "},
      {"fp32.sideways.fma", 5, "tree-((0+1)+2)), not 'sideways'"},
      {"fp32.sequential", 15, "expected a step (fma or mul), but the name ends"},
      {"fp32.sequential.add", 16, "expected a step (fma or mul), not 'add'"},
      {"fp32.sequential.fma.", 20, "expected an option"},
      {"fp32.sequential.fma.rz", 20, "expected an option (near_even, toward_zero, "},
      {"fp32.sequential.fma.down.up", 25, "no second option of this kind"},
      {"fp32.sequential.fma.c_first", 20, "no c_first: sequential has c first anyway"},
      {"fp32.pairwise.fma.c_first", 18, "no c_first: pairwise has c last anyway"},
      {"fp32.sequential.fma.product-bf16", 20, "no product: it belongs to the step mul"},
      {"fp32.pairwise.fma.parts-bf16", 18, "no parts: it belongs to the orders strided"},
      {"fp32.sequential.fma.early-fp33", 26, "expected a format (fp16, "},
      {"fp32.strided.fma", 12, "a size from 1 to 1073741824, as in strided-8"},
      {"fp32.strided-0.fma", 14, "a size from 1"},
      {"fp32.strided-08.fma", 13, "a size from 1"},
      {"fp32.blocked-9999999999.fma", 13, "a size from 1"},
      {"fp32.blocked-4-sideways.fma", 14, "-pairwise, -halves or -folded, not '-sideways'"},
      {"fp32.strided-4x.fma", 15, "a run from 2 to 1073741824, as in strided-4x32"},
      {"fp32.strided-4x1.fma", 16, "a run from 2"},
      {"fp32.blocked-4x2.fma", 14, "the end of the order, -sequential"},
      {"fp32.strided-64-halves1-pairwise.fma", 22, "how many sums that takes, as in -halves32"},
      {"fp32.strided-64-halves32.fma", 24, "how the rest is combined"},
      {"fp32.strided-64-halves32-up.fma", 24, "how the rest is combined"},
      {"fp32.vectors-8.fma", 14, "how the lanes are combined: -sequential"},
      {"fp32.vectors-8x4.fma", 16, "how the vectors are combined: -sequential"},
      {"fp32.vectors-8x4-folded.fma", 23, "or -folded, but the name ends"},
      {"fp32.vectors-8x1-folded.fma", 16, "a run from 2"},
      {"fp32.vectors-0-folded.fma", 14, "a size from 1"},
      {"fp32.vectors-8-folded-halves.fma", 21, "the end of the order, not '-halves'"},
      {"fp32.vectors-8-folded.fma.parts-fp16", 26, "no parts: it belongs to the orders strided"},
      {"fp32.sequential.fma.zero_last.zero_last", 30, "no second option of this kind"},
      {"unit.hopper.wgmma.fp16.fp32.zero_last", 28, "no zero_last: it belongs to sums in steps"},
      {"unit.hopper.wgmma.fp16.fp32.pairwise", 28, "an order that has partial sums"},
      {"unit.hopper.wgmma.fp16.fp32.blocked-0", 37, "a size from 1"},
      {"unit.hopper.wgmma.fp16.fp32.sideways", 28, "expected an option"},
      {"unit.hopper.wgmma.fp16.fp32.down", 28, "no down: a matrix unit has its own"},
      {"unit.hopper.wgmma.fp16.fp32.flush", 28, "no flush: a matrix unit has its own"},
      {"unit.hopper.wgmma.fp16.fp32.total-fp16", 28, "no total: it belongs to the orders"},
      {"unit.hopper.wgmma.fp16.fp32.blocked-8.product-fp16", 38, "no product: it belongs"},
      {"fp32.tree-.fma", 10, "the number of a product, 'c', '(' or '['"},
      {"fp32.tree-(0+1.fma", 14, "expected '+' or ')', but the name ends"},
      {"fp32.tree-(0+).fma", 13, "the number of a product, 'c', '(' or '[', not ')'"},
      {"fp32.tree-(0).fma", 12, "a node has at least two operands"},
      {"fp32.tree-(0+1+2).fma", 14, "a node of three operands is a fused one"},
      {"fp32.tree-(0+1)2.fma", 15, "the end of the tree, not '2'"},
      {"fp32.tree-(0+2).fma", 5, "each product from 0 to 1 once in the tree; 2 is beyond them"},
      {"fp32.tree-(0+0).fma", 5, "0 is there twice"},
      {"fp32.tree-((c+0)+c).fma", 5, "c at most once"},
      {"fp32.tree-c.fma", 5, "at least one product"},
  };
  for (const BadName& row : bad) {
    const auto read = read_arithmetic(row.name);
    ASSERT_TRUE(std::holds_alternative<NameError>(read)) << row.name;
    const auto& error = std::get<NameError>(read);
    EXPECT_EQ(error.position, row.position) << row.name << ": " << error.message;
    EXPECT_NE(error.message.find(row.words), std::string::npos)
        << row.name << ": " << error.message;
    EXPECT_TRUE(error.message.starts_with("at character " + std::to_string(row.position + 1)))
        << error.message;
  }
}

TEST(Arithmetic, UnitsWithOrdersParseBack) {
  for (const char* name :
       {"unit.hopper.wgmma.e4m3fn.fp32.blocked-128", "unit.ampere.mma.fp16.fp32.splitk-4",
        "unit.ampere.mma.fp16.fp32.strided-4x32-halves.parts-fp16.c_first",
        "unit.cdna3.mfma.fp16.fp32.splitk-8-pairwise.total-fp16.early-bf16",
        "unit.volta.mma.fp16.fp32.early-fp16"}) {
    const auto value = parse_arithmetic(name);
    ASSERT_TRUE(value) << name;
    EXPECT_EQ(name, print(*value));
    EXPECT_FALSE(value->is_chain_of_unit());
    EXPECT_FALSE(describe(*value).empty());
  }
  EXPECT_TRUE(parse_arithmetic("unit.volta.mma.fp16.fp32")->is_chain_of_unit());
}

}  // namespace
}  // namespace halfmark::models
