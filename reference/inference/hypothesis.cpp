// SPDX-License-Identifier: Apache-2.0
#include "reference/inference/hypothesis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "reference/fast/gemm.hpp"
#include "reference/formats/classify.hpp"
#include "reference/inference/orders.hpp"

namespace halfmark::inference {
namespace {

using formats::Use;
using models::Order;
using models::Step;
using models::Unit;

constexpr std::array kSteps{Step::kFma, Step::kMul};

bool takes(const Unit& unit, const Subject& subject) {
  const auto holds = [](models::FormatSet set, const Format& f) {
    return std::any_of(set.begin(), set.end(), [&](const Format* x) { return *x == f; });
  };
  return holds(unit.a, *subject.a) && holds(unit.b, *subject.b);
}

std::vector<const Format*> accumulators() {
  std::vector<const Format*> list;
  for (const Format& format : formats::all_formats()) {
    if (format.use == Use::kAccumulator) list.push_back(&format);
  }
  return list;
}

// The arithmetics of stage 0 that have an order: each order with each accumulator and step.
std::vector<Arithmetic> plain(const std::vector<Order>& orders) {
  std::vector<Arithmetic> list;
  for (const Order& order : orders) {
    for (const Format* format : accumulators()) {
      for (const Step step : kSteps) {
        list.push_back({.accumulator = format, .order = order, .step = step});
      }
    }
  }
  return list;
}

std::vector<Hypothesis> listed(const Subject& subject) {
  std::vector<Hypothesis> list;
  for (const models::NamedArithmetic& named : models::all_arithmetics()) {
    const Unit* unit = named.arithmetic.unit;
    if (unit == nullptr || takes(*unit, subject)) list.push_back({named.arithmetic, {}});
  }
  return list;
}

// Units with combined partial sums, where the tree has such sums.
std::vector<Arithmetic> units_in_parts(const Subject& subject, const SumTree& tree) {
  std::vector<Arithmetic> list;
  for (const Order& order : orders_of_parts(tree, tree.has_addend())) {
    for (const Unit& unit : models::all_units()) {
      if (unit.scale == nullptr && takes(unit, subject))
        list.push_back({.order = order, .unit = &unit});
    }
  }
  return list;
}

void add_environments(std::vector<Hypothesis>& list, const Arithmetic& base) {
  for (const auto& rounding : soft::kRoundings) {
    for (const auto& policy : soft::kSubnormalPolicies) {
      Arithmetic x = base;
      if (rounding.value != soft::Rounding::kNearEven) x.rounding = rounding.value;
      if (policy.value != soft::Subnormals::kKeep) x.subnormals = policy.value;
      if (x.rounding || x.subnormals) list.push_back({x, {}});
    }
  }
}

void add_options(std::vector<Hypothesis>& list, const Arithmetic& base) {
  const auto with = [&](const Format* Arithmetic::* member) {
    for (const Format* format : accumulators()) {
      Arithmetic x = base;
      x.*member = format;
      if (*format != models::sum_format(base)) list.push_back({x, {}});
    }
  };
  with(&Arithmetic::early);
  if (base.unit == nullptr && base.step == Step::kMul) with(&Arithmetic::product);
  if (!base.order.has_parts()) return;
  with(&Arithmetic::parts);
  with(&Arithmetic::total);
}

void add_zero_last(std::vector<Hypothesis>& list, Arithmetic x) {
  x.zero_last = true;
  list.push_back({std::move(x), {}});
}

void add_conversions(std::vector<Hypothesis>& list, const Arithmetic& base) {
  for (const auto& rounding : soft::kRoundings) {
    for (const auto& policy : soft::kSubnormalPolicies) {
      const soft::Environment env{.rounding = rounding.value, .subnormals = policy.value};
      if (env != soft::Environment{}) list.push_back({base, env});
    }
  }
}

// The possible block sizes of lossy or exact fused nodes: how many children are products.
std::set<int> fused_blocks(const SumTree& tree) {
  std::set<int> blocks;
  for (const Node& node : tree.nodes) {
    if (node.kind == NodeKind::kLeaf || node.kind == NodeKind::kPair) continue;
    const auto leaves =
        std::count_if(node.children.begin(), node.children.end(), [&](std::size_t child) {
          const Node& below = tree.nodes[child];
          return below.kind == NodeKind::kLeaf && below.leaf != tree.products;
        });
    if (leaves > 0) blocks.insert(static_cast<int>(leaves));
  }
  return blocks;
}

void add_fused(std::vector<Hypothesis>& list, Unit unit) {
  for (int bits = 8; bits <= 36; ++bits) {
    for (const soft::Rounding rounding : {soft::Rounding::kNearEven, soft::Rounding::kTowardZero}) {
      unit.fraction_bits = bits;
      unit.rounding = rounding;
      // Zero terms either set no lower limit for the other terms' exponents, or one as in the
      // unit table.
      for (const int floor : {-100000, -108 - bits, 3 - bits}) {
        unit.zero_exponent = floor;
        Hypothesis x;
        x.described = std::make_shared<const Unit>(unit);
        x.arithmetic.unit = x.described.get();
        list.push_back(std::move(x));
      }
    }
  }
}

std::vector<Hypothesis> described(const Subject& subject, const SumTree& tree) {
  std::vector<Hypothesis> list;
  for (const int block : fused_blocks(tree)) {
    for (const Format* output : accumulators()) {
      if (output->precision() > formats::kFp32.precision()) continue;
      for (const int kept : {output->fraction_bits, 13}) {
        if (kept > output->fraction_bits) continue;
        add_fused(list, {.name = "described",
                         .a = {&subject.a, 1},
                         .b = {&subject.b, 1},
                         .output = output,
                         .rule = models::Rule::kTruncated,
                         .block = block,
                         .fraction_bits = 0,
                         .kept_bits = kept,
                         .instruction_k = block});
      }
    }
  }
  return list;
}

// The precision of the sums; exact ones are the widest.
int width(const Hypothesis& h) {
  return h.arithmetic.is_exact() ? std::numeric_limits<int>::max()
                                 : models::sum_format(h.arithmetic).precision();
}

std::vector<Hypothesis> widest_first(std::vector<Hypothesis> list) {
  std::multimap<int, Hypothesis, std::greater<>> by_width;  // equal widths keep their order
  for (Hypothesis& x : list) by_width.emplace(width(x), std::move(x));
  list.clear();
  for (auto& [bits, x] : by_width) list.push_back(std::move(x));
  return list;
}

// The stages that have names.
std::vector<Hypothesis> named(const Subject& subject, const SumTree* tree, int stage) {
  std::vector<Order> orders{Order::kSequential, Order::kReversed, Order::kPairwise};
  if (tree != nullptr) orders = orders_with(*tree, tree->has_addend());
  std::vector<Hypothesis> list;
  std::vector<Arithmetic> in_parts;
  if (tree != nullptr && stage != 1) in_parts = units_in_parts(subject, *tree);
  if (stage == 0) {
    list = listed(subject);
    for (const Arithmetic& x : in_parts) list.push_back({x, {}});
  }
  for (const Arithmetic& x : plain(orders)) {
    const bool known = std::any_of(list.begin(), list.end(),
                                   [&](const Hypothesis& h) { return h.arithmetic == x; });
    if (stage == 0 && !known) list.push_back({x, {}});
    if (stage == 1) add_environments(list, x);
    if (stage == 2) {
      add_options(list, x);
      if (subject.c == nullptr) add_zero_last(list, x);
      add_conversions(list, x);
    }
  }
  if (stage != 2) return list;
  for (const Arithmetic& x : in_parts) add_options(list, x);
  for (const Hypothesis& x : listed(subject)) {
    const Unit* unit = x.arithmetic.unit;
    if (unit == nullptr && !x.arithmetic.is_exact()) continue;
    add_conversions(list, x.arithmetic);
    if (unit != nullptr && unit->scale == nullptr) add_options(list, x.arithmetic);
  }
  return list;
}

}  // namespace

std::string print(const Hypothesis& h) {
  std::string text = models::print(h.arithmetic);
  if (h.described) {
    const Unit& unit = *h.described;
    text = fmt::format(
        "fused sums of {} products and c in blocks, truncated {} bits below the largest exponent, "
        "rounded {} to {} with {} fraction bits",
        unit.block, unit.fraction_bits, soft::to_string(unit.rounding), unit.output->name,
        unit.kept_bits);
  }
  if (h.conversions == soft::Environment{}) return text;
  return fmt::format("{}, conversions {}, subnormals {}", text,
                     soft::to_string(h.conversions.rounding),
                     soft::to_string(h.conversions.subnormals));
}

Tensor predict(const Hypothesis& h, const Question& question) {
  GemmProblem problem = question.problem;
  Tensor a_scales, b_scales;
  const Unit* unit = h.arithmetic.unit;
  if (unit != nullptr && unit->scale != nullptr) {
    const auto block = static_cast<std::size_t>(unit->scale_block);
    const std::size_t rows = (problem.k + block - 1) / block;
    const Format& f = *unit->scale;
    const auto ones = [&](std::size_t count) {
      return Tensor::from_bits(
          f, std::vector<Bits>(count, static_cast<Bits>(f.bias) << f.fraction_bits));
    };
    a_scales = ones(problem.m * rows);
    b_scales = ones(rows * problem.n);
    problem.a_scales = &a_scales;
    problem.b_scales = &b_scales;
  }
  models::Machine machine;
  machine.convert = h.conversions;
  return fast::gemm(problem, question.a, question.b, question.addend(), h.arithmetic, machine);
}

Agreement& Agreement::operator+=(const Agreement& other) {
  outputs += other.outputs;
  equal_outputs += other.equal_outputs;
  bits += other.bits;
  equal_bits += other.equal_bits;
  return *this;
}

Agreement agreement(const Tensor& observed, const Tensor& predicted) {
  const Format& f = *observed.format;
  Agreement result;
  for (std::size_t i = 0; i < observed.count(); ++i) {
    const Bits x = observed.at(i);
    const Bits y = predicted.at(i);
    const bool both_nan = formats::is_nan(f, x) && formats::is_nan(f, y);
    const int differing = both_nan ? 0 : std::popcount(x ^ y);
    ++result.outputs;
    result.equal_outputs += differing == 0 ? 1 : 0;
    result.bits += static_cast<std::size_t>(f.bits);
    result.equal_bits += static_cast<std::size_t>(f.bits - differing);
  }
  return result;
}

std::vector<Hypothesis> hypotheses(const Subject& subject, const SumTree* tree, int stage) {
  if (stage < kStages - 1) return widest_first(named(subject, tree, stage));
  return tree == nullptr ? std::vector<Hypothesis>{} : widest_first(described(subject, *tree));
}

}  // namespace halfmark::inference
