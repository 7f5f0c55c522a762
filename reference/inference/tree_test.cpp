// SPDX-License-Identifier: Apache-2.0
#include "reference/inference/tree.hpp"

#include <gtest/gtest.h>

#include "reference/models/arithmetic.hpp"

namespace halfmark::inference {
namespace {

std::string tree_text(std::string_view order, std::size_t count, bool addend) {
  const auto read = models::read_order(order);
  return print(tree_of(*read.order, count, addend));
}

TEST(SumTree, OrdersHaveTheirTrees) {
  EXPECT_EQ(tree_text("sequential", 4, true), "((((c+0)+1)+2)+3)");
  EXPECT_EQ(tree_text("sequential", 4, false), "(((0+1)+2)+3)");
  EXPECT_EQ(tree_text("reversed", 3, true), "(((c+2)+1)+0)") << "c comes first";
  EXPECT_EQ(tree_text("pairwise", 5, true), "(c+(((0+1)+(2+3))+4))");
  EXPECT_EQ(tree_text("strided-2", 5, false), "(((0+2)+4)+(1+3))");
  EXPECT_EQ(tree_text("strided-4-halves", 8, false), "(((0+4)+(2+6))+((1+5)+(3+7)))");
  EXPECT_EQ(tree_text("strided-2x3", 11, false), "((((((0+1)+2)+6)+7)+8)+((((3+4)+5)+9)+10))");
  EXPECT_EQ(tree_text("strided-8-halves4-sequential", 8, false), "(((0+2)+(1+3))+((4+6)+(5+7)))");
  EXPECT_EQ(tree_text("strided-7-pairwise4-sequential", 7, false), "(((0+1)+(2+3))+((4+5)+6))");
  EXPECT_EQ(tree_text("blocked-2", 4, true), "((c+(0+1))+(2+3))");
  EXPECT_EQ(tree_text("blocked-2-sequential2-sequential", 8, true),
            "(c+(((0+1)+(2+3))+((4+5)+(6+7))))");
  EXPECT_EQ(tree_text("splitk-2", 5, true), "(c+(((0+1)+2)+(3+4)))");
  EXPECT_EQ(tree_text("tree-[c+0+[1+2+3]]", 4, true), "[c+0+[1+2+3]]");
  EXPECT_EQ(tree_text("tree-[c+0+[1+2+3]]", 4, false), "(0+[1+2+3])");
}

TEST(SumTree, AWrittenTreeIsItsOrderAgain) {
  for (const char* order : {"sequential", "reversed", "pairwise", "strided-3", "blocked-4-pairwise",
                            "tree-(([2+0+1]+(c+4))+[3+5+6])"}) {
    const SumTree tree = tree_of(*models::read_order(order).order, 7, true);
    EXPECT_EQ(tree_of(order_of(tree), 7, true), tree) << order;
  }
}

TEST(SumTree, ChainsNeedNoRecursion) {
  const SumTree chain = tree_of(models::Order::kSequential, 20000, false);
  EXPECT_EQ(chain.nodes.size(), 39999U);
  EXPECT_TRUE(print(chain).ends_with("+19998)+19999)"));
}

}  // namespace
}  // namespace halfmark::inference
