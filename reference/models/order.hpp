// SPDX-License-Identifier: Apache-2.0
// The order in which a sum of products is evaluated, as a value; order_walk.hpp has the program
// that each order stands for. arithmetic.hpp decides what a step rounds to.
//
// With n products and a starting value c or +0:
//
//   sequential      s = c; then product k is stepped into s for k ascending
//   reversed        the same with k descending
//   pairwise        a tree: for n = 1 the product itself; for n > 1 the sum of the tree of the
//                   first h products and the tree of the rest, h being the largest power of two
//                   below n; in a pair, the second product is stepped into the first. Then c is
//                   added to the root
//   strided-W       partial sum w < min(W, n) takes k = w, w + W, w + 2W, ... ascending, from +0.
//                   They are combined pairwise, then c is added
//   strided-WxR     the same by runs of R products: partial sum w takes the runs w, w + W, ...
//   blocked-B       partial sum j takes k = jB .. jB + B - 1 ascending, from +0. They are added one
//                   by one, ascending, to a total that starts as c
//   splitk-S        with P = ceil(n / S), partial sum j takes k = jP .. jP + P - 1 ascending, from
//                   +0; there may be fewer than S. They are added one by one, ascending, starting
//                   from the first; then c is added
//   unrolled-WxR    while W R products are left, partial sum w < W takes R of them, W apart, from
//   +0;
//                   those left at the end are stepped into the first partial sum, ascending. They
//                   are combined pairwise, then c is added
//   vectors-L       lane sum l < L takes product l of every L products while L are left, from +0;
//                   the lanes are combined, then the products that are left are stepped in one by
//                   one, ascending; then c is added
//   vectors-LxU     the same by a loop over U vectors of L lanes: while U L products are left,
//                   each vector takes its L; the vectors are combined lane by lane; whole vectors
//                   that are left are stepped into the result one by one; the rest as above
//   tree-T          T written out, over exactly the products that it names:
//                     7        product 7
//                     c        the addend, +0 if none is given; at most once
//                     (x+y)    one operation: a product on either side is stepped into a sum; of
//                              two products the first is rounded and the second stepped into it;
//                              two sums are added
//                     [x+y+z]  a fused node: two or more operands summed without error and rounded
//                              once, in the arithmetic's format; products under `fma` are exact
//                   If a tree does not name c, c is added to its root
//
// A suffix may say how partial sums are combined: strided-8-sequential, blocked-64-pairwise,
//   -sequential     one by one, ascending
//   -pairwise       the tree of `pairwise` over the partial sums
//   -halves         the upper half onto the lower: with h the largest power of two below their
//                   number, sum w takes sum w + h where there is one; repeated with half of h
//   -folded         by halves until four are left, these pairwise: halves of vectors, and then two
//                   horizontal additions
//
// `vectors` states the vectors' way first, if there are several, and then the lanes':
// vectors-8x4-sequential-folded, vectors-16-halves.
//
// The other orders may combine in two levels, like the lanes of a wave and then the waves of a
// block: strided-256-halves32-sequential combines each 32 consecutive sums by halves, and the
// results one by one.
//
// Where there is a choice, `addend` changes where c enters: sequential and reversed may start from
// +0 and add c last, and so may the one-by-one total of blocked; in strided and splitk the first
// partial sum may start from c. Without c, "c is added" does nothing. Without products every order
// gives c, else +0.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace halfmark::models {

enum class Combine : std::uint8_t { kSequential, kPairwise, kHalves, kFolded };
enum class Addend : std::uint8_t { kFirst, kLast };

// A written tree in postfix notation, so that neither reading nor evaluation needs recursion.
struct TreeToken {
  enum class Kind : std::uint8_t { kProduct, kAddend, kJoin, kFuse };
  Kind kind;
  std::uint32_t number;  // the product's index, or the number of operands of a fused node

  [[nodiscard]] constexpr bool operator==(const TreeToken&) const = default;
};
using Tree = std::vector<TreeToken>;

struct Order {
  enum Kind : std::uint8_t {
    kSequential,
    kReversed,
    kPairwise,
    kStrided,
    kBlocked,
    kSplitK,
    kUnrolled,
    kVectors,
    kTree
  };

  Kind kind = kSequential;
  std::uint32_t size = 0;  // W, B, S or L; 0 counts as 1
  std::uint32_t run = 1;   // R, U of vectors; 0 counts as 1
  Combine combine = Combine::kSequential;
  std::uint32_t group = 0;  // 0: one level; else `within` first combines each `group` consecutive
  Combine within = Combine::kSequential;  // sums, then `combine` the results; of vectors: how
                                          // the U vectors are combined
  Addend addend = Addend::kFirst;
  Tree tree;

  constexpr Order() = default;
  // An order without parameters converts from its name.
  constexpr Order(Kind plain)  // NOLINT(google-explicit-constructor)
      : kind(plain), addend(plain == kPairwise ? Addend::kLast : Addend::kFirst) {}

  [[nodiscard]] constexpr bool operator==(const Order&) const = default;
  [[nodiscard]] constexpr bool has_parts() const {
    return kind == kStrided || kind == kBlocked || kind == kSplitK;
  }
};

[[nodiscard]] Order strided(std::uint32_t width, Combine combine = Combine::kPairwise,
                            std::uint32_t run = 1);
[[nodiscard]] Order blocked(std::uint32_t block, Combine combine = Combine::kSequential);
[[nodiscard]] Order split_k(std::uint32_t parts, Combine combine = Combine::kSequential);
[[nodiscard]] Order unrolled(std::uint32_t width, std::uint32_t run,
                             Combine combine = Combine::kPairwise);
/// `across`: how the `unroll` vectors are combined; without meaning for one.
[[nodiscard]] Order vectors(std::uint32_t lanes, Combine combine, std::uint32_t unroll = 1,
                            Combine across = Combine::kHalves);
[[nodiscard]] Order written_tree(Tree tree);

// Where c enters by default, and whether the order allows another place.
[[nodiscard]] Addend usual_addend(const Order& order);
[[nodiscard]] bool addend_can_move(const Order& order);

// The number of products of a written tree.
[[nodiscard]] std::size_t products_of(const Tree& tree);

// "sequential", "strided-8", "strided-4x32-halves", "tree-((0+1)+2)": all but the addend.
[[nodiscard]] std::string print(const Order& order);
[[nodiscard]] std::string print(const Tree& tree);

struct OrderText {
  std::optional<Order> order;
  std::size_t position = 0;  // the offset of the error in the text
  std::string expected;      // what was expected there
};
[[nodiscard]] OrderText read_order(std::string_view text);

}  // namespace halfmark::models
