// SPDX-License-Identifier: Apache-2.0
// How many bits a node keeps, and in which direction it rounds: a one, a power of two far below it,
// and the opposite of the one, at leaves that meet in that order.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/formats/classify.hpp"
#include "reference/inference/findings.hpp"

namespace halfmark::inference {
namespace {

// What survives of 2^-q added to one: how far down it shows, and what remains of it far below.
struct Ladder {
  int last_kept = -1;    // the largest q whose unit was returned unchanged; -1: none
  bool remains = false;  // a nonzero result from far below
};

struct Corner {
  std::size_t large, small, cancelling;
};

// The question of a ladder: +-1 at `large`, +-2^-q at `small`, and the opposite of the first
// at `cancelling`.
class LadderQuestion {
 public:
  LadderQuestion(Laboratory& laboratory, const Scale& scale, const Corner& corner)
      : laboratory_(laboratory), scale_(scale), corner_(corner) {
    for (const int b : {scale.large.b, scale.small.b}) {
      if (columns_.empty() || columns_.back() != b) columns_.push_back(b);
    }
  }

  // By the signs of the large and the small number: ++, +-, -+, --.
  std::array<Ladder, 4> ask() {
    const Subject& subject = laboratory_.subject();
    const int deepest = scale_.range();
    const auto steps = static_cast<std::size_t>(deepest) + 1;
    Question question = laboratory_.blank(4 * steps, columns_.size());
    for (std::size_t x = 0; x < subject.k; ++x) {
      for (std::size_t j = 0; j < columns_.size(); ++j) {
        const int b = x == corner_.small ? columns_[j] : scale_.large.b;
        question.b.set(x * columns_.size() + j, power_of_two(*subject.b, b));
      }
    }
    for (std::size_t row = 0; row < 4 * steps; ++row) set_row(question, row, row / 4, row % 4);
    const Tensor d = laboratory_.ask(question, true);
    std::array<Ladder, 4> ladders;
    for (std::size_t row = 0; row < 4 * steps; ++row) read(d, row, ladders[row % 4]);
    return ladders;
  }

 private:
  // The column that can represent 2^-q, and A's exponent there.
  [[nodiscard]] std::pair<std::size_t, int> placed(std::size_t q) const {
    const int exponent = scale_.large.product() - static_cast<int>(q);
    const int a = exponent - columns_[0];
    if (a >= laboratory_.subject().a->min_exponent()) return {0, a};
    return {columns_.size() - 1, exponent - columns_.back()};
  }
  void set_row(Question& question, std::size_t row, std::size_t q, std::size_t signs) const {
    const Subject& subject = laboratory_.subject();
    const bool negative = (signs & 2) != 0;
    const auto set = [&](std::size_t leaf, int a, bool minus) {
      question.a.set(row * subject.k + leaf, power_of_two(*subject.a, a, minus));
    };
    set(corner_.large, scale_.large.a, negative);
    set(corner_.cancelling, scale_.large.a, !negative);
    const Format& f = *subject.a;
    const int a = std::min(placed(q).second, f.max_exponent());
    set(corner_.small, a, (signs & 1) != 0);
  }
  void read(const Tensor& d, std::size_t row, Ladder& ladder) const {
    const Format& f = *d.format;
    const auto q = row / 4;
    const Bits seen = d.at(row * columns_.size() + placed(q).first);
    const int exponent = scale_.large.product() - static_cast<int>(q);
    if (seen == power_of_two(f, exponent, (row & 1) != 0)) ladder.last_kept = static_cast<int>(q);
    if (q == static_cast<std::size_t>(scale_.range())) ladder.remains = !formats::is_zero(f, seen);
  }

  Laboratory& laboratory_;
  const Scale& scale_;
  Corner corner_;
  std::vector<int> columns_;
};

std::string direction(const std::array<Ladder, 4>& l) {
  const std::array<bool, 4> remains{l[0].remains, l[1].remains, l[2].remains, l[3].remains};
  if (remains == std::array{false, false, false, false}) return "nothing remains";
  if (remains == std::array{false, true, true, false}) return "toward_zero";
  if (remains == std::array{false, true, false, true}) return "down";
  if (remains == std::array{true, false, true, false}) return "up";
  return "irregular";
}

std::optional<std::size_t> product_in(const Leaves& leaves, std::size_t products) {
  for (std::size_t leaf = 0; leaf < products; ++leaf) {
    if (leaves[leaf]) return leaf;
  }
  return std::nullopt;
}

// Three products that meet at one fused node.
std::optional<Corner> fused_corner(const SumTree& tree) {
  for (const Node& node : tree.nodes) {
    if (node.kind == NodeKind::kLeaf || node.kind == NodeKind::kPair) continue;
    std::vector<std::size_t> leaves;
    for (const std::size_t child : node.children) {
      const Node& below = tree.nodes[child];
      const bool product = below.kind == NodeKind::kLeaf && below.leaf != tree.products;
      if (product) leaves.push_back(below.leaf);
    }
    if (leaves.size() >= 3) return Corner{leaves[0], leaves[1], leaves[2]};
  }
  return std::nullopt;
}

// Two products that meet at a node of two, and a third that meets them later.
std::optional<Corner> addition_corner(const SumTree& tree) {
  const std::vector<Leaves> below = leaves_below(tree);
  for (std::size_t n = 0; n < tree.nodes.size(); ++n) {
    const Node& node = tree.nodes[n];
    if (node.kind != NodeKind::kPair) continue;
    const auto left = product_in(below[node.children[0]], tree.products);
    const auto right = product_in(below[node.children[1]], tree.products);
    Leaves others = below[n];
    others.flip();
    const auto later = product_in(others, tree.products);
    if (left && right && later) return Corner{*left, *right, *later};
  }
  return std::nullopt;
}

void add_ladder(std::vector<Finding>& findings, std::string_view name,
                const std::array<Ladder, 4>& ladders, int range) {
  if (ladders[0].last_kept == range) {
    findings.push_back({fmt::format("{}.kept_bits", name), fmt::format("at least {}", range),
                        "2^-q added to 1 survived for every q"});
    return;
  }
  const auto bits = [](const Ladder& l) { return fmt::format("{}", l.last_kept); };
  findings.push_back({fmt::format("{}.kept_bits", name), bits(ladders[0]),
                      "the largest q for which 2^-q added to 1 survives"});
  findings.push_back({fmt::format("{}.kept_bits_opposite", name), bits(ladders[1]),
                      "the same for -2^-q added to 1"});
  findings.push_back({fmt::format("{}.direction", name), direction(ladders),
                      "what remains of a number far below"});
}

}  // namespace

std::vector<Finding> rounding_findings(Laboratory& laboratory, const Structure& structure) {
  std::vector<Finding> findings;
  if (!structure.tree || !structure.scale) return findings;
  if (const auto corner = addition_corner(*structure.tree)) {
    add_ladder(findings, "addition", LadderQuestion(laboratory, *structure.scale, *corner).ask(),
               structure.scale->range());
  }
  if (const auto corner = fused_corner(*structure.tree)) {
    add_ladder(findings, "fused", LadderQuestion(laboratory, *structure.scale, *corner).ask(),
               structure.scale->range());
  }
  return findings;
}

}  // namespace halfmark::inference
