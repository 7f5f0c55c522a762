// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/selftest/silicon_neighbours.hpp"

#include <algorithm>

#include "reference/soft/soft.hpp"

namespace halfmark::tools {
namespace {

using models::Rule;
using models::Unit;
using soft::Environment;

struct RuleRow {
  std::string_view name;
  Rule rule;
  int block;  // 0: all products of an instruction
};

constexpr RuleRow kRules[] = {
    {"one fma per product in increasing k, nothing flushed", Rule::kFmaChain, 1},
    {"one fma per product in increasing k, flushed", Rule::kFlushedChain, 1},
    {"one fma per product, the odd one of a pair first, flushed", Rule::kFlushedChain, 2},
    {"the exact sum of an instruction, rounded once", Rule::kExact, 0},
    {"the exact sum of a pair and c, rounded once", Rule::kExact, 2},
    {"products in pairs, then c", Rule::kFlushedPairs, 2},
    {"products with odd rounding in pairs, then c", Rule::kOddPairs, 2},
    {"chains over even and over odd k, then c", Rule::kEvenOdd, 1},
};

// The chain of a kFlushedChain, with one thing changed.
struct ChainRow {
  std::string_view name;
  Environment environment;
};

constexpr ChainRow kChains[] = {
    {"keeps subnormals", {}},
    {"flushes operands only", {.subnormals = soft::Subnormals::kFlushIn}},
    {"flushes results only", {.subnormals = soft::Subnormals::kFlushOut}},
    {"rounds toward zero",
     {.rounding = soft::Rounding::kTowardZero, .subnormals = soft::Subnormals::kFlush}},
};

formats::Bits chain(const Unit& model, const Environment& environment, const UnitSum& sum) {
  const auto block = static_cast<std::size_t>(model.block);
  formats::Bits c = sum.c;
  for (std::size_t first = 0; first < sum.a.size(); first += block) {
    for (std::size_t k = std::min(first + block, sum.a.size()); k-- > first;) {
      c = soft::fma(*model.a[0], sum.a[k], *model.b[0], sum.b[k], *model.output, c, environment)
              .bits;
    }
  }
  return c;
}

}  // namespace

formats::Bits evaluate(const Unit& model, const UnitSum& sum) {
  return models::unit_dot(model, {model.a[0], sum.a.data()}, {model.b[0], sum.b.data()},
                          sum.a.size(), models::Encoded{model.output, sum.c})
      .bits;
}

std::vector<SiliconNeighbour> silicon_neighbours(const Unit& model) {
  std::vector<SiliconNeighbour> all;
  for (const RuleRow& row : kRules) {
    Unit unit = model;
    unit.rule = row.rule;
    unit.block = row.block == 0 ? model.instruction_k : row.block;
    const bool is_own = unit.rule == model.rule && unit.step() == model.step();
    const bool is_again = row.block == 0 && unit.block <= 2;
    if (is_own || is_again) continue;
    all.push_back({row.name, [unit](const UnitSum& sum) { return evaluate(unit, sum); }});
  }
  if (model.rule != Rule::kFlushedChain) return all;
  for (const ChainRow& row : kChains) {
    all.push_back({row.name, [&model, &row](const UnitSum& sum) {
                     return chain(model, row.environment, sum);
                   }});
  }
  return all;
}

}  // namespace halfmark::tools
