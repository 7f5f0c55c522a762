// SPDX-License-Identifier: Apache-2.0
#include "reference/inference/findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "reference/formats/classify.hpp"
#include "reference/formats/text.hpp"
#include "reference/inference/hypothesis.hpp"

namespace halfmark::inference {
namespace {

// One row of the special question: elements 0 and 1 of A, the other elements, and c; columns of B
// are ones and zeros.
struct Situation {
  Bits first = 0, second = 0, others = 0, c = 0;
};

enum Row : std::size_t {
  kQuietNan,
  kPayloadNan,
  kInfinity,
  kMinusInfinity,
  kOpposite,
  kMinusZeros,
  kMinusZerosPlusC,
  kCancelled,
  kSubnormalOperand,
  kSubnormalAddend,
  kNanAddend,
  kInfiniteAddend,
  kPlusOverflow,
  kMinusOverflow,
  kRows
};

bool has_nan(const Format& f) { return f.non_finite != formats::NonFinite::kNone; }

// A negative NaN with every fraction bit set, where NaNs have a payload.
Bits payload_nan(const Format& f) { return f.has_infinity() ? f.mask() : formats::quiet_nan(f); }

std::string payload_asked(const Format& f) {
  if (payload_nan(f) != formats::quiet_nan(f)) return "a negative NaN with all fraction bits in A";
  return fmt::format("{} in A again, since its NaNs have no payload",
                     formats::hex(f, formats::quiet_nan(f)));
}

std::array<Situation, kRows> situations(const Subject& s) {
  const Format& a = *s.a;
  const Format& c = s.c == nullptr ? *s.d : *s.c;
  const Bits minus_one = formats::one(a) | a.sign_mask();
  const Bits minus_zero = formats::zero(a, true);
  std::array<Situation, kRows> rows{};
  if (has_nan(a)) {
    rows[kQuietNan] = {.first = formats::quiet_nan(a)};
    rows[kPayloadNan] = {.first = payload_nan(a)};
  }
  if (a.has_infinity()) {
    rows[kInfinity] = {.first = formats::infinity(a)};
    rows[kMinusInfinity] = {.first = formats::infinity(a, true)};
    rows[kOpposite] = {.first = formats::infinity(a), .second = formats::infinity(a, true)};
  }
  rows[kMinusZeros] = {minus_zero, minus_zero, minus_zero, formats::zero(c, true)};
  rows[kMinusZerosPlusC] = {minus_zero, minus_zero, minus_zero, 0};
  rows[kCancelled] = {formats::one(a), minus_one, minus_zero, formats::zero(c, true)};
  rows[kSubnormalOperand] = {.first = a.fraction_bits == 0 ? formats::one(a) : Bits{1}};
  rows[kSubnormalAddend] = {.c = Bits{1}};
  rows[kNanAddend] = {.c = payload_nan(c)};
  rows[kInfiniteAddend] = {.c = c.has_infinity() ? formats::infinity(c) : formats::one(c)};
  const Bits most = formats::max_finite(a);
  rows[kPlusOverflow] = {most, most, most, formats::max_finite(c)};
  rows[kMinusOverflow] = {most | a.sign_mask(), most | a.sign_mask(), most | a.sign_mask(),
                          formats::max_finite(c, true)};
  return rows;
}

Question special_question(const Laboratory& laboratory) {
  const Subject& subject = laboratory.subject();
  Question question = laboratory.blank(kRows, 2);
  const std::array<Situation, kRows> rows = situations(subject);
  for (std::size_t row = 0; row < kRows; ++row) {
    for (std::size_t x = 0; x < subject.k; ++x) {
      const Bits bits = x == 0 ? rows[row].first : x == 1 ? rows[row].second : rows[row].others;
      question.a.set(row * subject.k + x, bits);
    }
    if (subject.c == nullptr) continue;
    for (std::size_t j = 0; j < 2; ++j) question.c.set(row * 2 + j, rows[row].c);
  }
  for (std::size_t x = 0; x < subject.k; ++x) question.b.set(x * 2, formats::one(*subject.b));
  return question;
}

std::string kept_or_lost(const Format& f, Bits bits) {
  return formats::is_zero(f, bits) ? "lost" : "kept";
}

// Whether the largest operands can overflow D at all: products of fp16 cannot overflow fp32.
bool overflows(const Laboratory& laboratory) {
  const Format& d = *laboratory.subject().d;
  const Hypothesis exact{};
  return d.has_infinity() &&
         formats::is_infinity(d,
                              predict(exact, special_question(laboratory)).at(kPlusOverflow * 2));
}

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

std::vector<Finding> special_findings(Laboratory& laboratory) {
  const Subject& subject = laboratory.subject();
  const Tensor d = laboratory.ask(special_question(laboratory), true);
  const Format& f = *d.format;
  std::vector<Finding> findings;
  const auto ones = [&](Row row) { return d.at(row * 2); };
  const auto zeros = [&](Row row) { return d.at(row * 2 + 1); };
  const auto word = [&](std::string name, Bits bits, std::string detail) {
    findings.push_back({std::move(name), formats::hex(f, bits), std::move(detail)});
  };
  if (has_nan(*subject.a)) {
    word("nan.operand", ones(kQuietNan), "a quiet NaN in A");
    word("nan.payload", ones(kPayloadNan), payload_asked(*subject.a));
  }
  if (subject.c != nullptr && has_nan(*subject.c)) {
    word("nan.addend", ones(kNanAddend), "a NaN in C");
  }
  if (subject.a->has_infinity()) {
    word("infinity", ones(kInfinity), "an infinity in A");
    word("infinity.times_zero", zeros(kInfinity), "infinity times zero");
    word("infinity.opposite", ones(kOpposite), "infinities of both signs");
  }
  word("zero.negative", ones(kMinusZeros), "all terms -0");
  word("zero.mixed", ones(kMinusZerosPlusC), "all products -0, c +0");
  word("zero.cancelled", ones(kCancelled), "1 - 1, other terms -0");
  if (overflows(laboratory)) {
    word("overflow", ones(kPlusOverflow), "all operands the largest number");
    word("overflow.negative", ones(kMinusOverflow), "the same, negative");
  }
  const bool visible = subject.a->min_place() >= f.min_place();
  if (subject.a->fraction_bits > 0 && visible) {
    findings.push_back({"subnormal.operand", kept_or_lost(f, ones(kSubnormalOperand)),
                        "the smallest number of A times one"});
  }
  if (subject.c != nullptr && subject.c->min_place() >= f.min_place()) {
    findings.push_back({"subnormal.addend", kept_or_lost(f, ones(kSubnormalAddend)),
                        "only the smallest number of C"});
  }
  return findings;
}

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
