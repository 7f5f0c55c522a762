// SPDX-License-Identifier: Apache-2.0
// The program that an order stands for. Evaluators, error bounds and printers all visit it; nothing
// else decides what an order means. order.hpp states the meaning in words.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "reference/models/order.hpp"

namespace halfmark::models {

// The program of an order over `count` products: the visitor's functions are the instructions of a
// machine with a stack of sums. A written tree must have exactly `count` products.
//
//   start()                      push c, or +0
//   start_total()                the same, as the total that partial sums are added to
//   zero()                       push +0
//   product(k)                   push product k
//   steps(first, stride, count)  step products first, first + stride, ... into the top
//   part()                       the top is a finished partial sum
//   add()                        pop y and x, push x + y
//   fuse(products, sums, addend) pop `sums` sums, push their fused sum with the products, and with
//                                c or +0 if `addend`
//   add_addend()                 add c to the top, if there is one
//
// Only a written tree can need more than 2 + log2(count) sums on the stack.
template <typename Visitor>
void walk(const Order& order, std::size_t count, Visitor&& visitor);

namespace detail {

// Merges sums that arrive in the order of the leaves of a perfect binary tree, some of them absent:
// it adds two neighbours as soon as both are there, like a binary counter.
template <typename Visitor>
class Merge {
 public:
  explicit Merge(Visitor& visitor) : visitor_(visitor) {}

  // Call after pushing a leaf, or with present = false for an absent one.
  void leaf(bool present) {
    std::size_t carry = leaves_++;
    unsigned level = 0;
    for (; (carry & 1) != 0; carry >>= 1, ++level) {
      const bool left = (present_ >> level & 1) != 0;
      if (left && present) visitor_.add();
      present = left || present;
    }
    const std::uint64_t bit = std::uint64_t{1} << level;
    present_ = present ? present_ | bit : present_ & ~bit;
  }

 private:
  Visitor& visitor_;
  std::size_t leaves_ = 0;
  std::uint64_t present_ = 0;  // at level l: the left sum of 2^l leaves waits
};

// The low `width` bits of `index` in reverse order.
[[nodiscard]] constexpr std::size_t reversed_bits(std::size_t index, int width) {
  std::size_t result = 0;
  for (int i = 0; i < width; ++i) result |= (index >> i & 1) << (width - 1 - i);
  return result;
}

// The sum that is leaf number `leaf` of a tree of 2^`levels` leaves.
[[nodiscard]] constexpr std::size_t leaf_of(Combine how, std::size_t leaf, int levels) {
  if (how == Combine::kPairwise) return leaf;
  const std::size_t index = reversed_bits(leaf, levels);
  if (how == Combine::kHalves || levels < 2) return index;
  // The last four are pairs of neighbours.
  return (index & ~std::size_t{3}) | (index & 1) << 1 | (index >> 1 & 1);
}

template <typename Visitor>
void walk_pairwise(std::size_t count, Visitor& visitor) {
  const std::size_t pairs = (count + 1) / 2;
  Merge<Visitor> merge(visitor);
  for (std::size_t pair = 0; pair < std::bit_ceil(pairs); ++pair) {
    if (pair < pairs) {
      visitor.product(2 * pair);
      if (2 * pair + 1 < count) visitor.steps(2 * pair + 1, 1, 1);
    }
    merge.leaf(pair < pairs);
  }
}

// The runs of products of a partial sum: `count` products from `first` on, `stride` apart, then the
// same again `every` further on, up to the end.
struct Part {
  std::size_t first, stride, count, every;
};

[[nodiscard]] std::size_t part_count(const Order& order, std::size_t count);
[[nodiscard]] Part part_of(const Order& order, std::size_t count, std::size_t index);

template <typename Visitor>
void walk_part(const Order& order, std::size_t count, std::size_t index, Visitor& visitor) {
  const Part part = part_of(order, count, index);
  const bool takes_c = order.addend == Addend::kFirst && order.kind != Order::kBlocked;
  if (takes_c && index == 0) {
    visitor.start();
  } else {
    visitor.zero();
  }
  std::size_t first = part.first;
  do {
    visitor.steps(first, part.stride, std::min(part.count, count - first));
    first += part.every;
  } while (part.every != 0 && first < count);
  visitor.part();
}

// Pushes the sum of `count` sums; `push` pushes sum i.
template <typename Visitor, typename Push>
void combine(Combine how, std::size_t count, Visitor& visitor, const Push& push) {
  if (how == Combine::kSequential) {
    for (std::size_t i = 0; i < count; ++i) {
      push(i);
      if (i > 0) visitor.add();
    }
    return;
  }
  const std::size_t leaves = std::bit_ceil(count);
  Merge<Visitor> merge(visitor);
  for (std::size_t i = 0; i < leaves; ++i) {
    const std::size_t index = leaf_of(how, i, std::countr_zero(leaves));
    if (index < count) push(index);
    merge.leaf(index < count);
  }
}

// Whether partial sums are added to a total that starts as c.
[[nodiscard]] inline bool starts_total(const Order& order) {
  return order.kind == Order::kBlocked && order.combine == Combine::kSequential &&
         order.group == 0 && order.addend == Addend::kFirst;
}

template <typename Visitor>
void walk_parts(const Order& order, std::size_t count, Visitor& visitor) {
  const std::size_t parts = part_count(order, count);
  const auto part = [&](std::size_t index) { walk_part(order, count, index, visitor); };
  const std::size_t group = order.group == 0 ? 1 : order.group;
  const auto sum = [&](std::size_t index) {
    const std::size_t first = index * group;
    combine(order.within, std::min(group, parts - first), visitor,
            [&](std::size_t i) { part(first + i); });
  };
  if (starts_total(order)) {
    visitor.start_total();
    for (std::size_t index = 0; index < parts; ++index) {
      part(index);
      visitor.add();
    }
  } else {
    combine(order.combine, (parts + group - 1) / group, visitor, sum);
  }
  if (order.addend == Addend::kLast) visitor.add_addend();
}

template <typename Visitor>
void walk_unrolled(const Order& order, std::size_t count, Visitor& visitor) {
  const std::size_t width = std::max(order.size, 1U);
  const std::size_t turns = count / (width * std::max(order.run, 1U));
  const std::size_t inside = turns * width * std::max(order.run, 1U);
  combine(order.combine, turns == 0 ? 1 : width, visitor, [&](std::size_t w) {
    visitor.zero();
    if (turns > 0) visitor.steps(w, width, inside / width);
    if (w == 0 && count > inside) visitor.steps(inside, 1, count - inside);
  });
  visitor.add_addend();
}

template <typename Visitor>
void walk_vectors(const Order& order, std::size_t count, Visitor& visitor) {
  const std::size_t lanes = std::max(order.size, 1U);
  const std::size_t unroll = std::max(order.run, 1U);
  const std::size_t loop = lanes * unroll;
  const std::size_t turns = count / loop;
  const std::size_t whole = count / lanes;
  const auto lane = [&](std::size_t l) {
    combine(order.within, turns == 0 ? 1 : unroll, visitor, [&](std::size_t u) {
      visitor.zero();
      if (turns > 0) visitor.steps(u * lanes + l, loop, turns);
    });
    if (whole > turns * unroll) visitor.steps(turns * loop + l, lanes, whole - turns * unroll);
  };
  if (whole == 0) {
    visitor.zero();
  } else {
    combine(order.combine, lanes, visitor, lane);
  }
  if (count > whole * lanes) visitor.steps(whole * lanes, 1, count - whole * lanes);
  visitor.add_addend();
}

// Operands of a written tree that are not evaluated yet, because a fused node may need them exact.
class Pending {
 public:
  // An operand is a sum on the visitor's stack, c, or product number operand - kFirstProduct.
  enum : std::size_t { kSum, kAddend, kFirstProduct };

  explicit Pending(std::size_t depth) { operands_.reserve(depth); }
  void push(std::size_t operand) { operands_.push_back(operand); }
  [[nodiscard]] std::size_t pop() {
    const std::size_t last = operands_.back();
    operands_.pop_back();
    return last;
  }

  // Turns c or a product into a sum on top of the visitor's stack.
  template <typename Visitor>
  void evaluate(std::size_t operand, Visitor& visitor) {
    if (operand == kAddend) visitor.start();
    if (operand >= kFirstProduct) visitor.product(operand - kFirstProduct);
  }

  template <typename Visitor>
  void join(Visitor& visitor) {
    const std::size_t right = pop();
    const std::size_t left = pop();
    if (right >= kFirstProduct) {
      evaluate(left, visitor);
      visitor.steps(right - kFirstProduct, 1, 1);
    } else if (left >= kFirstProduct) {
      evaluate(right, visitor);
      visitor.steps(left - kFirstProduct, 1, 1);
    } else {
      // x + y equals y + x: a c on the left may be pushed after the sum on the right.
      evaluate(left, visitor);
      evaluate(right, visitor);
      visitor.add();
    }
    push(kSum);
  }

  template <typename Visitor>
  void fuse(std::size_t count, Visitor& visitor) {
    products_.clear();
    std::size_t sums = 0;
    bool addend = false;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t operand = pop();
      sums += operand == kSum ? 1 : 0;
      addend = addend || operand == kAddend;
      if (operand >= kFirstProduct) products_.push_back(operand - kFirstProduct);
    }
    visitor.fuse(std::span<const std::size_t>(products_), sums, addend);
    push(kSum);
  }

 private:
  std::vector<std::size_t> operands_;
  std::vector<std::size_t> products_;
};

template <typename Visitor>
void walk_tree(const Tree& tree, Visitor& visitor) {
  Pending pending(tree.size());
  bool names_addend = false;
  for (const TreeToken& token : tree) {
    switch (token.kind) {
      case TreeToken::Kind::kProduct:
        pending.push(Pending::kFirstProduct + token.number);
        break;
      case TreeToken::Kind::kAddend:
        names_addend = true;
        pending.push(Pending::kAddend);
        break;
      case TreeToken::Kind::kJoin:
        pending.join(visitor);
        break;
      case TreeToken::Kind::kFuse:
        pending.fuse(token.number, visitor);
        break;
    }
  }
  pending.evaluate(pending.pop(), visitor);
  if (!names_addend) visitor.add_addend();
}

}  // namespace detail

template <typename Visitor>
void walk(const Order& order, std::size_t count, Visitor&& visitor) {
  if (count == 0) return visitor.start_total();
  switch (order.kind) {
    case Order::kSequential:
    case Order::kReversed: {
      const bool reversed = order.kind == Order::kReversed;
      if (order.addend == Addend::kFirst) {
        visitor.start();
      } else {
        visitor.zero();
      }
      visitor.steps(reversed ? count - 1 : 0, reversed ? std::size_t(-1) : 1, count);
      if (order.addend == Addend::kLast) visitor.add_addend();
      return;
    }
    case Order::kPairwise:
      detail::walk_pairwise(count, visitor);
      return visitor.add_addend();
    case Order::kStrided:
    case Order::kBlocked:
    case Order::kSplitK:
      return detail::walk_parts(order, count, visitor);
    case Order::kUnrolled:
      return detail::walk_unrolled(order, count, visitor);
    case Order::kVectors:
      return detail::walk_vectors(order, count, visitor);
    case Order::kTree:
      return detail::walk_tree(order.tree, visitor);
  }
}

}  // namespace halfmark::models
