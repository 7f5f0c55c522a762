// SPDX-License-Identifier: Apache-2.0
#include "reference/models/order.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "reference/models/order_walk.hpp"

namespace halfmark::models {
namespace {

struct KindRow {
  Order::Kind kind;
  std::string_view name;
  bool sized;
};
constexpr std::array kKinds{
    KindRow{Order::kSequential, "sequential", false}, KindRow{Order::kReversed, "reversed", false},
    KindRow{Order::kPairwise, "pairwise", false},     KindRow{Order::kStrided, "strided", true},
    KindRow{Order::kBlocked, "blocked", true},        KindRow{Order::kSplitK, "splitk", true},
    KindRow{Order::kUnrolled, "unrolled", true},      KindRow{Order::kVectors, "vectors", true},
};
constexpr std::string_view kTree = "tree";
// Whose size may be two numbers, as in strided-4x32.
constexpr bool has_run(Order::Kind kind) {
  return kind == Order::kStrided || kind == Order::kUnrolled || kind == Order::kVectors;
}

struct CombineRow {
  Combine combine;
  std::string_view name;
};
constexpr std::array kCombines{
    CombineRow{Combine::kSequential, "sequential"},
    CombineRow{Combine::kPairwise, "pairwise"},
    CombineRow{Combine::kHalves, "halves"},
    CombineRow{Combine::kFolded, "folded"},
};
constexpr std::string_view kCombineWords = "-sequential, -pairwise, -halves or -folded";

constexpr std::uint32_t kLargest = 1U << 30;

Order sized(Order::Kind kind, std::uint32_t size, Combine combine, std::uint32_t run = 1) {
  Order order(kind);
  order.size = size;
  order.run = run;
  order.combine = combine;
  order.addend = usual_addend(order);
  return order;
}

Combine usual_combine(Order::Kind kind) {
  return kind == Order::kStrided || kind == Order::kUnrolled ? Combine::kPairwise
                                                             : Combine::kSequential;
}

std::string_view name_of(Combine combine) {
  return std::find_if(kCombines.begin(), kCombines.end(),
                      [&](const CombineRow& row) { return row.combine == combine; })
      ->name;
}

OrderText failure(std::size_t position, std::string expected) {
  return {std::nullopt, position, std::move(expected)};
}

// Reads an integer without sign or leading zeros; moves `at` past it.
std::optional<std::uint32_t> read_number(std::string_view text, std::size_t& at) {
  std::uint32_t number = 0;
  const char* first = text.data() + at;
  const char* last = text.data() + text.size();
  const auto [end, error] = std::from_chars(first, last, number);
  if (error != std::errc{} || number > kLargest) return std::nullopt;
  if (*first == '0' && end != first + 1) return std::nullopt;
  at += static_cast<std::size_t>(end - first);
  return number;
}

// Reads a tree with a stack of open nodes instead of recursion.
class TreeReader {
 public:
  explicit TreeReader(std::string_view text, std::size_t at) : text_(text), at_(at) {}

  OrderText read() {
    do {
      if (!read_operand()) return failure(at_, expected_);
    } while (!open_.empty());
    if (at_ < text_.size()) return failure(at_, "the end of the tree");
    return checked();
  }

 private:
  struct Node {
    char close;
    std::uint32_t operands;
  };

  bool fail(std::string expected) {
    expected_ = std::move(expected);
    return false;
  }

  // Reads opening brackets, one product or c, then the signs and brackets that may follow it.
  bool read_operand() {
    while (at_ < text_.size() && (text_[at_] == '(' || text_[at_] == '[')) {
      open_.push_back({text_[at_++] == '(' ? ')' : ']', 0});
    }
    if (at_ < text_.size() && text_[at_] == 'c') {
      ++at_;
      tree_.push_back({TreeToken::Kind::kAddend, 0});
    } else if (const auto number = read_number(text_, at_)) {
      tree_.push_back({TreeToken::Kind::kProduct, *number});
    } else {
      return fail("the number of a product, 'c', '(' or '['");
    }
    return read_closings();
  }

  bool read_closings() {
    while (!open_.empty()) {
      Node& node = open_.back();
      ++node.operands;
      if (at_ < text_.size() && text_[at_] == '+') {
        if (node.close == ')' && node.operands == 2) {
          return fail("')': a node of three operands is a fused one, [x+y+z]");
        }
        ++at_;
        return true;
      }
      if (at_ == text_.size() || text_[at_] != node.close) {
        return fail(fmt::format("'+' or '{}'", node.close));
      }
      if (node.operands < 2) return fail("'+': a node has at least two operands");
      ++at_;
      tree_.push_back(node.close == ')' ? TreeToken{TreeToken::Kind::kJoin, 0}
                                        : TreeToken{TreeToken::Kind::kFuse, node.operands});
      open_.pop_back();
    }
    return true;
  }

  // Checks that every product from 0 to n - 1 occurs once, and c at most once.
  OrderText checked() {
    const std::size_t count = products_of(tree_);
    std::vector<bool> seen(count);
    std::size_t addends = 0;
    for (const TreeToken& token : tree_) {
      addends += token.kind == TreeToken::Kind::kAddend ? 1 : 0;
      if (token.kind != TreeToken::Kind::kProduct) continue;
      if (token.number >= count || seen[token.number]) {
        return failure(
            0, fmt::format("each product from 0 to {} once in the tree; {} is {}", count - 1,
                           token.number, token.number < count ? "there twice" : "beyond them"));
      }
      seen[token.number] = true;
    }
    if (count == 0) return failure(0, "at least one product in the tree");
    if (addends > 1) return failure(0, "c at most once in the tree");
    return {written_tree(std::move(tree_)), 0, {}};
  }

  std::string_view text_;
  std::size_t at_;
  std::string expected_;
  std::vector<Node> open_;
  Tree tree_;
};

// Reads "sequential", "pairwise", "halves" or "folded" at `at`; moves it past the word.
std::optional<Combine> read_combine(std::string_view text, std::size_t& at) {
  for (const CombineRow& row : kCombines) {
    if (!text.substr(std::min(at, text.size())).starts_with(row.name)) continue;
    at += row.name.size();
    return row.combine;
  }
  return std::nullopt;
}

// Reads what may follow the sizes: -COMBINE, or -WITHIN GROUP -COMBINE.
OrderText read_combines(Order order, std::string_view text, std::size_t at) {
  const std::size_t begin = at;
  const auto end = [&](Order read) -> OrderText {
    read.addend = usual_addend(read);
    return {std::move(read), 0, {}};
  };
  if (at == text.size()) return end(std::move(order));
  const auto first = text[at] == '-' ? read_combine(text, ++at) : std::nullopt;
  if (!first) return failure(begin, fmt::format("the end of the order, {}", kCombineWords));
  order.combine = *first;
  if (at == text.size()) return end(std::move(order));
  const std::size_t number_at = at;
  const auto group = read_number(text, at);
  if (!group || *group < 2) {
    return failure(number_at, "the end of the order, or how many sums that takes, as in -halves32");
  }
  const std::size_t across_at = at;
  const auto across = at < text.size() && text[at] == '-' ? read_combine(text, ++at) : std::nullopt;
  if (!across || at != text.size())
    return failure(across_at, fmt::format("how the rest is combined: {}", kCombineWords));
  order.group = *group;
  order.within = *first;
  order.combine = *across;
  return end(std::move(order));
}

// Reads how the vectors, if there are several, and then the lanes are combined.
OrderText read_vectors(std::uint32_t lanes, std::uint32_t unroll, std::string_view text,
                       std::size_t at) {
  Combine across = Combine::kHalves, along = Combine::kHalves;
  for (Combine* how : {&across, &along}) {
    if (how == &across && unroll == 1) continue;
    const std::size_t begin = at;
    const auto read = at < text.size() && text[at] == '-' ? read_combine(text, ++at) : std::nullopt;
    if (!read) {
      return failure(begin, fmt::format("how the {} are combined: {}",
                                        how == &along ? "lanes" : "vectors", kCombineWords));
    }
    *how = *read;
  }
  if (at != text.size()) return failure(at, "the end of the order");
  return {vectors(lanes, along, unroll, across), 0, {}};
}

OrderText read_sized(const KindRow& row, std::string_view text) {
  std::size_t at = row.name.size();
  const auto number = at < text.size() && text[at] == '-' ? read_number(text, ++at) : std::nullopt;
  if (!number || *number == 0) {
    return failure(at, fmt::format("a size from 1 to {}, as in {}-8", kLargest, row.name));
  }
  std::uint32_t run = 1;
  if (has_run(row.kind) && at < text.size() && text[at] == 'x') {
    const auto length = read_number(text, ++at);
    if (!length || *length < 2) {
      return failure(at, fmt::format("a run from 2 to {}, as in {}-4x32", kLargest, row.name));
    }
    run = *length;
  }
  if (row.kind == Order::kVectors) return read_vectors(*number, run, text, at);
  return read_combines(sized(row.kind, *number, usual_combine(row.kind), run), text, at);
}

}  // namespace

Order strided(std::uint32_t width, Combine combine, std::uint32_t run) {
  return sized(Order::kStrided, width, combine, run);
}
Order blocked(std::uint32_t block, Combine combine) {
  return sized(Order::kBlocked, block, combine);
}
Order split_k(std::uint32_t parts, Combine combine) {
  return sized(Order::kSplitK, parts, combine);
}

Order unrolled(std::uint32_t width, std::uint32_t run, Combine combine) {
  return sized(Order::kUnrolled, width, combine, run);
}

Order vectors(std::uint32_t lanes, Combine combine, std::uint32_t unroll, Combine across) {
  Order order = sized(Order::kVectors, lanes, combine, unroll);
  if (unroll > 1) order.within = across;
  return order;
}

Order written_tree(Tree tree) {
  Order order(Order::kTree);
  order.addend = Addend::kLast;
  order.tree = std::move(tree);
  return order;
}

Addend usual_addend(const Order& order) {
  const bool one_by_one = order.combine == Combine::kSequential && order.group == 0;
  const bool first = order.kind == Order::kSequential || order.kind == Order::kReversed ||
                     (order.kind == Order::kBlocked && one_by_one);
  return first ? Addend::kFirst : Addend::kLast;
}

bool addend_can_move(const Order& order) {
  return usual_addend(order) == Addend::kFirst || order.kind == Order::kStrided ||
         order.kind == Order::kSplitK;
}

std::size_t products_of(const Tree& tree) {
  return static_cast<std::size_t>(std::count_if(tree.begin(), tree.end(), [](const TreeToken& t) {
    return t.kind == TreeToken::Kind::kProduct;
  }));
}

std::string print(const Tree& tree) {
  // Postfix to infix: the first operand of a node is known only from the node's end, so brackets
  // are counted in a backward pass and written in a forward pass.
  std::vector<std::string> opening(tree.size());
  std::vector<char> closing(tree.size(), 0);
  std::vector<std::size_t> wanted;  // operands missing from open nodes, outermost first
  std::vector<std::size_t> node;
  for (std::size_t i = tree.size(); i-- > 0;) {
    const TreeToken& token = tree[i];
    const bool is_node =
        token.kind == TreeToken::Kind::kJoin || token.kind == TreeToken::Kind::kFuse;
    if (is_node) {
      closing[i] = token.kind == TreeToken::Kind::kJoin ? ')' : ']';
      wanted.push_back(token.kind == TreeToken::Kind::kJoin ? 2 : token.number);
      node.push_back(i);
      continue;
    }
    // A leaf completes every node whose last missing operand it is.
    while (!wanted.empty() && --wanted.back() == 0) {
      opening[i].insert(opening[i].begin(), closing[node.back()] == ')' ? '(' : '[');
      wanted.pop_back();
      node.pop_back();
    }
  }
  std::string text;
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const TreeToken& token = tree[i];
    if (closing[i] != 0) {
      text += closing[i];
      continue;
    }
    if (!text.empty()) text += '+';
    text += opening[i];
    text += token.kind == TreeToken::Kind::kAddend ? "c" : fmt::format("{}", token.number);
  }
  return text;
}

std::string print(const Order& order) {
  if (order.kind == Order::kTree) return fmt::format("{}-{}", kTree, print(order.tree));
  const auto& row = *std::find_if(kKinds.begin(), kKinds.end(),
                                  [&](const KindRow& r) { return r.kind == order.kind; });
  if (!row.sized) return std::string(row.name);
  std::string text = fmt::format("{}-{}", row.name, order.size);
  if (order.run > 1) text += fmt::format("x{}", order.run);
  if (order.kind == Order::kVectors) {
    if (order.run > 1) text += fmt::format("-{}", name_of(order.within));
    return fmt::format("{}-{}", text, name_of(order.combine));
  }
  if (order.group != 0) text += fmt::format("-{}{}", name_of(order.within), order.group);
  if (order.group == 0 && order.combine == usual_combine(order.kind)) return text;
  return fmt::format("{}-{}", text, name_of(order.combine));
}

OrderText read_order(std::string_view text) {
  if (text.starts_with(kTree) && text.substr(kTree.size()).starts_with('-')) {
    return TreeReader(text, kTree.size() + 1).read();
  }
  for (const KindRow& row : kKinds) {
    if (!row.sized && text == row.name) return {Order(row.kind), 0, {}};
    if (row.sized && text.starts_with(row.name)) return read_sized(row, text);
  }
  return failure(0,
                 "an order (sequential, reversed, pairwise, strided-W, strided-WxR, blocked-B, "
                 "splitk-S, unrolled-WxR, vectors-L-COMBINE or tree-((0+1)+2))");
}

namespace detail {

std::size_t part_count(const Order& order, std::size_t count) {
  const std::size_t size = std::max(order.size, 1U);
  const std::size_t run = std::max(order.run, 1U);
  if (order.kind == Order::kStrided) return std::min(size, (count + run - 1) / run);
  const std::size_t length = order.kind == Order::kBlocked ? size : (count + size - 1) / size;
  return (count + length - 1) / length;
}

Part part_of(const Order& order, std::size_t count, std::size_t index) {
  const std::size_t size = std::max(order.size, 1U);
  const std::size_t run = std::max(order.run, 1U);
  if (order.kind == Order::kStrided && run > 1) return {index * run, 1, run, size * run};
  if (order.kind == Order::kStrided) return {index, size, (count - index + size - 1) / size, 0};
  const std::size_t length = order.kind == Order::kBlocked ? size : (count + size - 1) / size;
  return {index * length, 1, length, 0};
}

}  // namespace detail
}  // namespace halfmark::models
