// SPDX-License-Identifier: Apache-2.0
#include "reference/inference/structure.hpp"

#include <algorithm>
#include <iterator>
#include <set>

namespace halfmark::inference {
namespace {

constexpr std::size_t kMostRows = std::size_t{1} << 16;
// The number of one-column questions kept as evidence.
constexpr std::size_t kRecordedColumns = 8;

struct Triple {
  std::size_t plus, minus, unit;
};

// The rows of one call: the triples to measure, all over the same column of B.
Question rows_of(const Laboratory& laboratory, const Scale& scale, std::span<const Triple> triples,
                 std::optional<std::size_t> small_column) {
  const Subject& subject = laboratory.subject();
  const std::size_t k = subject.k;
  Question question = laboratory.blank(triples.size(), 1);
  for (std::size_t x = 0; x < k; ++x) {
    const bool small = x == small_column;
    question.b.set(x, power_of_two(*subject.b, small ? scale.small.b : scale.large.b));
  }
  const auto place = [&](std::size_t row, std::size_t leaf, const Factors& size, bool negative) {
    if (leaf == k) {
      question.c.set(row, power_of_two(*subject.c, size.product(), negative));
    } else {
      question.a.set(row * k + leaf, power_of_two(*subject.a, size.a, negative));
    }
  };
  for (std::size_t row = 0; row < triples.size(); ++row) {
    place(row, triples[row].plus, scale.large, false);
    place(row, triples[row].minus, scale.large, true);
    place(row, triples[row].unit, scale.small, false);
  }
  return question;
}

void ask_rows(Laboratory& laboratory, const Scale& scale, std::span<const Triple> triples,
              std::optional<std::size_t> small_column, MeetingSets& sets) {
  const Tensor d = laboratory.ask(rows_of(laboratory, scale, triples, small_column), false);
  const Bits unit = power_of_two(*laboratory.subject().d, scale.small.product());
  for (std::size_t row = 0; row < triples.size(); ++row) {
    const Triple& t = triples[row];
    sets.at(t.plus, t.minus)[t.unit] = d.at(row) != unit;
  }
}

std::vector<Triple> triples_with(std::size_t leaves, std::optional<std::size_t> unit) {
  std::vector<Triple> triples;
  for (std::size_t i = 0; i < leaves; ++i) {
    for (std::size_t j = i + 1; j < leaves; ++j) {
      for (std::size_t x = 0; x < leaves; ++x) {
        if (x != i && x != j && (!unit || x == *unit)) triples.push_back({i, j, x});
      }
    }
  }
  return triples;
}

bool contains(const Leaves& outer, const Leaves& inner) {
  for (std::size_t i = 0; i < outer.size(); ++i) {
    if (inner[i] && !outer[i]) return false;
  }
  return true;
}

std::vector<std::size_t> members(const Leaves& leaves) {
  std::vector<std::size_t> list;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    if (leaves[i]) list.push_back(i);
  }
  return list;
}

// The children of the node over `all`. Two leaves are in the same child if the largest sets of its
// pairs do not distinguish them. At a lossy node the only largest set is `all`, and leaves are in
// the same child if they do not meet there.
std::vector<Leaves> children_of(const MeetingSets& sets, const Leaves& all) {
  const std::vector<std::size_t> list = members(all);
  std::set<Leaves> candidates;
  for (const std::size_t i : list) {
    for (const std::size_t j : list) {
      if (i < j) candidates.insert(sets.at(i, j));
    }
  }
  std::vector<Leaves> largest;
  for (const Leaves& set : candidates) {
    const bool covered =
        std::any_of(candidates.begin(), candidates.end(),
                    [&](const Leaves& other) { return other != set && contains(other, set); });
    if (!covered) largest.push_back(set);
  }
  const bool whole = largest.size() == 1;
  const auto together = [&](std::size_t i, std::size_t j) {
    if (whole) return sets.at(i, j) != all;
    return std::all_of(largest.begin(), largest.end(),
                       [&](const Leaves& set) { return set[i] == set[j]; });
  };
  std::vector<Leaves> children;
  Leaves left = all;
  for (const std::size_t i : list) {
    if (!left[i]) continue;
    Leaves child(all.size(), false);
    for (const std::size_t j : list) child[j] = left[j] && (i == j || together(i, j));
    for (const std::size_t j : list) left[j] = left[j] && !child[j];
    children.push_back(std::move(child));
  }
  return children;
}

NodeKind kind_of(const MeetingSets& sets, const Leaves& all, const std::vector<Leaves>& children) {
  if (children.size() == 2) return NodeKind::kPair;
  const std::size_t i = members(children[0])[0];
  const std::size_t j = members(children[1])[0];
  return sets.at(i, j) == all ? NodeKind::kLossy : NodeKind::kExact;
}

// For each node: two leaves that meet there, with one that joins next above it, and, if there is
// one, with one more below it. These determine its place in the tree.
std::vector<Triple> telling_triples(const SumTree& tree) {
  const std::vector<Leaves> below = leaves_below(tree);
  std::vector<Triple> triples;
  for (std::size_t n = 0; n < tree.nodes.size(); ++n) {
    const Node& node = tree.nodes[n];
    if (node.children.size() < 2) continue;
    const std::size_t plus = members(below[node.children[0]]).back();
    const std::size_t minus = members(below[node.children[1]]).back();
    for (const std::size_t leaf : members(below[n])) {
      if (leaf == plus || leaf == minus) continue;
      triples.push_back({plus, minus, leaf});
      break;
    }
    for (const Node& above : tree.nodes) {
      if (!std::ranges::count(above.children, n)) continue;
      for (const std::size_t child : above.children) {
        if (child != n) triples.push_back({plus, minus, members(below[child])[0]});
      }
    }
  }
  return triples;
}

}  // namespace

MeetingSets measure(Laboratory& laboratory, const Scale& scale, bool addend) {
  const std::size_t k = laboratory.subject().k;
  const std::size_t leaves = k + (addend ? 1 : 0);
  MeetingSets sets(leaves);
  for (std::size_t i = 0; i < leaves; ++i) {
    for (std::size_t j = i + 1; j < leaves; ++j) sets.at(i, j)[i] = sets.at(i, j)[j] = true;
  }
  if (scale.needs_columns()) {
    for (std::size_t unit = 0; unit < leaves; ++unit) {
      const std::optional<std::size_t> column = unit < k ? std::optional(unit) : std::nullopt;
      ask_rows(laboratory, scale, triples_with(leaves, unit), column, sets);
    }
    return sets;
  }
  const std::vector<Triple> all = triples_with(leaves, std::nullopt);
  for (std::size_t first = 0; first < all.size(); first += kMostRows) {
    const std::size_t count = std::min(kMostRows, all.size() - first);
    ask_rows(laboratory, scale, std::span(all).subspan(first, count), std::nullopt, sets);
  }
  return sets;
}

MeetingSets sets_of(const SumTree& tree, bool addend) {
  const std::size_t leaves = tree.products + (addend ? 1 : 0);
  MeetingSets sets(leaves);
  const std::vector<Leaves> below = leaves_below(tree);
  for (std::size_t n = 0; n < tree.nodes.size(); ++n) {
    const Node& node = tree.nodes[n];
    for (std::size_t x = 0; x < node.children.size(); ++x) {
      for (std::size_t y = x + 1; y < node.children.size(); ++y) {
        const Leaves& left = below[node.children[x]];
        const Leaves& right = below[node.children[y]];
        Leaves meet = below[n];
        for (std::size_t leaf = 0; leaf < meet.size(); ++leaf) {
          if (node.kind == NodeKind::kExact) meet[leaf] = left[leaf] || right[leaf];
        }
        meet.resize(leaves);
        for (const std::size_t i : members(left)) {
          for (const std::size_t j : members(right)) sets.at(i, j) = meet;
        }
      }
    }
  }
  return sets;
}

std::optional<SumTree> tree_from(const MeetingSets& sets, std::size_t products) {
  SumTree tree{products, {{}}};
  struct Task {
    std::size_t node;
    Leaves leaves;
  };
  std::vector<Task> tasks{{0, Leaves(sets.leaves(), true)}};
  while (!tasks.empty()) {
    const Task task = std::move(tasks.back());
    tasks.pop_back();
    const std::vector<std::size_t> list = members(task.leaves);
    if (list.size() == 1) {
      tree.nodes[task.node] = {NodeKind::kLeaf, list[0], {}};
      continue;
    }
    std::vector<Leaves> children = children_of(sets, task.leaves);
    if (children.size() < 2) return std::nullopt;
    tree.nodes[task.node].kind = kind_of(sets, task.leaves, children);
    for (Leaves& child : children) {
      tree.nodes[task.node].children.push_back(tree.nodes.size());
      tasks.push_back({tree.nodes.size(), std::move(child)});
      tree.nodes.emplace_back();
    }
  }
  tree = normalised(tree, 0);
  const MeetingSets implied = sets_of(tree, sets.leaves() > products);
  for (std::size_t i = 0; i < sets.leaves(); ++i) {
    for (std::size_t j = i + 1; j < sets.leaves(); ++j) {
      if (implied.at(i, j) != sets.at(i, j)) return std::nullopt;
    }
  }
  return tree;
}

void record_structure(Laboratory& laboratory, const Structure& structure) {
  if (!structure.scale || !structure.tree) return;
  const Scale& scale = *structure.scale;
  const std::vector<Triple> all = telling_triples(*structure.tree);
  if (!scale.needs_columns()) {
    if (!all.empty()) laboratory.ask(rows_of(laboratory, scale, all, std::nullopt), true);
    return;
  }
  // If small products need their own column, each question has one.
  const std::size_t k = laboratory.subject().k;
  for (std::size_t unit = 0; unit < k; unit += std::max<std::size_t>(1, k / kRecordedColumns)) {
    std::vector<Triple> some;
    std::ranges::copy_if(all, std::back_inserter(some),
                         [&](const Triple& triple) { return triple.unit == unit; });
    if (!some.empty()) laboratory.ask(rows_of(laboratory, scale, some, unit), true);
  }
}

Structure find_structure(Laboratory& laboratory) {
  Structure best;
  for (const Scale& scale : scales_for(laboratory.subject())) {
    const bool addend = addend_fits(laboratory.subject(), scale);
    if (best.tree && best.tree->has_addend() && !addend) break;  // would lose sight of c
    const auto tree = tree_from(measure(laboratory, scale, addend), laboratory.subject().k);
    // A wider scale may overflow a narrow accumulator, so its result counts only if it is a tree.
    if (tree || !best.scale) best = {scale, tree ? tree : best.tree};
    if (best.tree && !best.tree->has(NodeKind::kExact)) break;
  }
  return best;
}

}  // namespace halfmark::inference
