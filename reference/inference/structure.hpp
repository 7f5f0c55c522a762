// SPDX-License-Identifier: Apache-2.0
// Finds the summation tree of a black box from its answers only, after FPRev (arXiv:2411.00442) but
// with a different measurement.
//
// For leaves i, j, k (the products, and c as one more) one sum has +M at i, -M at j, a unit u far
// below the last place of M at k, and zeros elsewhere. If u meets the sum after M and -M have
// cancelled, the answer is u; if it meets one of them before that, it is swamped, or rounds to a
// value other than u. So "the answer is u" says whether k lies outside the node where i and j meet,
// in every rounding direction. All triples are rows of one matrix product.
//
// Let S(i,j) be the leaves that are not outside:
//   - at a node that rounds or truncates, S(i,j) is all leaves below it;
//   - at a fused node that loses nothing, u survives together with M and -M, so S(i,j) is only
//     what lies below the two children that contain i and j. FPRev, which counts leaves, takes
//     such nodes for pairs; here the sets of three children cross each other, which no tree of
//     pairs does.
//
// This file does not decide what a node rounds to (findings.hpp) or which arithmetic it is
// (infer.hpp). A node that is exact over this scale's range may lose bits over a wider one.
#pragma once

#include "reference/inference/scale.hpp"
#include "reference/inference/tree.hpp"

namespace halfmark::inference {

// S(i,j) for all pairs of leaves i < j.
class MeetingSets {
 public:
  explicit MeetingSets(std::size_t leaves)
      : leaves_(leaves), sets_(leaves * leaves, Leaves(leaves, false)) {}

  [[nodiscard]] std::size_t leaves() const { return leaves_; }
  [[nodiscard]] const Leaves& at(std::size_t i, std::size_t j) const {
    return sets_[std::min(i, j) * leaves_ + std::max(i, j)];
  }
  [[nodiscard]] Leaves& at(std::size_t i, std::size_t j) {
    return sets_[std::min(i, j) * leaves_ + std::max(i, j)];
  }

 private:
  std::size_t leaves_;
  std::vector<Leaves> sets_;
};

// Asks about all triples. `addend`: c is a leaf.
[[nodiscard]] MeetingSets measure(Laboratory& laboratory, const Scale& scale, bool addend);

// The sets that a tree implies, and the tree that implies the sets, if there is one. `products` is
// the number of products; a leaf with that number or above is c.
[[nodiscard]] MeetingSets sets_of(const SumTree& tree, bool addend);
[[nodiscard]] std::optional<SumTree> tree_from(const MeetingSets& sets, std::size_t products);

struct Structure {
  std::optional<Scale> scale;   // none: the operands' range is too small to measure
  std::optional<SumTree> tree;  // none: no tree explains the measurements
};
[[nodiscard]] Structure find_structure(Laboratory& laboratory);

// Records the questions that determine each node's place as evidence, because random data may not
// show that a hypothesis has another tree (for example, fp32 sums of a few products and a fused sum
// of them, both rounded to fp16).
void record_structure(Laboratory& laboratory, const Structure& structure);

}  // namespace halfmark::inference
