// SPDX-License-Identifier: Apache-2.0
// Random values of the grammar of arithmetics, for tests.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "reference/models/arithmetic.hpp"
#include "reference/slow/operands.hpp"

namespace halfmark::models {

/// An arithmetic for `count` products, with any of the options that have a meaning.
class RandomArithmetic {
 public:
  explicit RandomArithmetic(slow::Operands& operands) : operands_(operands) {}

  Arithmetic operator()(std::size_t count) {
    Arithmetic x{.accumulator = &format(), .order = order(count)};
    x.step = one_in(2) ? Step::kFma : Step::kMul;
    if (one_in(4)) x.rounding = soft::kRoundings[below(soft::kRoundings.size())].value;
    if (one_in(4)) {
      x.subnormals = soft::kSubnormalPolicies[below(soft::kSubnormalPolicies.size())].value;
    }
    if (x.step == Step::kMul && one_in(3)) x.product = &format();
    if (x.order.has_parts() && one_in(3)) x.parts = &format();
    if (x.order.has_parts() && one_in(3)) x.total = &format();
    if (one_in(4)) x.early = &format();
    x.zero_last = one_in(4);
    if (addend_can_move(x.order) && one_in(2)) {
      x.order.addend = x.order.addend == Addend::kFirst ? Addend::kLast : Addend::kFirst;
    }
    return x;
  }

 private:
  bool one_in(std::uint64_t n) { return operands_.word() % n == 0; }
  std::size_t below(std::size_t n) { return operands_.word() % n; }
  const Format& format() {
    const Format* row = nullptr;
    do {
      row = &formats::all_formats()[below(formats::all_formats().size())];
    } while (row->use < formats::Use::kArithmetic);
    return *row;
  }
  Order order(std::size_t count) {
    const auto size = static_cast<std::uint32_t>(1 + below(9));
    const auto combine = static_cast<Combine>(below(4));
    Order made = sized(size, combine, count);
    if (made.has_parts() && one_in(3)) {
      made.group = static_cast<std::uint32_t>(2 + below(4));
      made.within = static_cast<Combine>(below(4));
      made.addend = usual_addend(made);
    }
    return made;
  }
  Order sized(std::uint32_t size, Combine combine, std::size_t count) {
    switch (below(count == 0 ? 8 : 9)) {
      case 0:
        return Order::kSequential;
      case 1:
        return Order::kReversed;
      case 2:
        return Order::kPairwise;
      case 3:
        return strided(size, combine, static_cast<std::uint32_t>(1 + below(4)));
      case 4:
        return blocked(size, combine);
      case 5:
        return split_k(size, combine);
      case 6:
        return unrolled(size, static_cast<std::uint32_t>(1 + below(4)), combine);
      case 7:
        return vectors(size, combine, static_cast<std::uint32_t>(1 + below(4)),
                       static_cast<Combine>(below(4)));
      default:
        return written_tree(tree(count));
    }
  }
  // Joins random neighbours until one node is left; half of all trees have c among the leaves.
  Tree tree(std::size_t count) {
    std::vector<Tree> nodes;
    for (std::uint32_t k = 0; k < count; ++k) {
      nodes.push_back({{TreeToken::Kind::kProduct, k}});
    }
    for (std::size_t i = nodes.size(); i > 1; --i) std::swap(nodes[i - 1], nodes[below(i)]);
    if (one_in(2)) nodes.insert(nodes.begin(), {{TreeToken::Kind::kAddend, 0}});
    while (nodes.size() > 1) {
      const std::size_t joined =
          one_in(2) ? 2 : 2 + below(std::min<std::size_t>(4, nodes.size() - 1));
      const std::size_t first = below(nodes.size() - joined + 1);
      const bool fused = joined > 2 || one_in(4);
      for (std::size_t i = 1; i < joined; ++i) {
        nodes[first].insert(nodes[first].end(), nodes[first + 1].begin(), nodes[first + 1].end());
        nodes.erase(nodes.begin() + static_cast<std::ptrdiff_t>(first) + 1);
      }
      nodes[first].push_back(
          fused ? TreeToken{TreeToken::Kind::kFuse, static_cast<std::uint32_t>(joined)}
                : TreeToken{TreeToken::Kind::kJoin, 0});
    }
    return nodes[0];
  }

  slow::Operands& operands_;
};

}  // namespace halfmark::models
