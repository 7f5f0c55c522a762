// SPDX-License-Identifier: Apache-2.0
#include "suites/rates/mistakes.hpp"

#include "reference/formats/format.hpp"
#include "suites/rates/binding.hpp"

namespace halfmark::suites::rates {
namespace {

struct ChainMistakeRow {
  std::string_view name;
  FindingClassName finding_class;
  std::string_view sentence;
  Mistake mistake;
  bool (*applies)(const Binding&);
};

constexpr ChainMistakeRow kMistakes[] = {
    {"steps-fused",
     "contraction",
     "the product and the sum of a step are one fused operation",
     {.fuses = true},
     [](const Binding& b) { return b.row->operation == Operation::kMuladd; }},
    {"fma-as-two-operations",
     "contraction",
     "a fused step is a product and a sum, each rounded",
     {.splits = true},
     [](const Binding& b) { return b.row->operation == Operation::kFma; }},
    {"registers-hold-fp32",
     "excess_precision",
     "values stay in fp32 from step to step, and are rounded when they are stored",
     {.is_wide = true},
     [](const Binding& b) {
       return b.format->precision() < formats::kFp32.precision() &&
              b.row->operation != Operation::kConvert;
     }},
    {"one-round-missing",
     "missing_steps",
     "one round of the chain is missing",
     {.skips_a_round = true},
     [](const Binding&) { return true; }},
    {"half-of-the-rounds-missing",
     "missing_steps",
     "the second half of the chain is missing",
     {.skips_half = true},
     [](const Binding& b) { return b.rounds > 2; }},
};

}  // namespace

std::vector<Hypothesis> hypotheses(const Case& c) {
  std::vector<Hypothesis> list;
  const Binding bound = bind(c);
  if (!bound.row->is_chain) return list;
  for (const ChainMistakeRow& row : kMistakes) {
    if (!row.applies(bound)) continue;
    list.push_back(
        {.name = std::string(row.name),
         .finding_class = row.finding_class,
         .sentence = std::string(row.sentence),
         .evaluate = [mistake = row.mistake](const Case& which, const TensorSet& inputs) {
           return evaluate(bind(which), inputs, models::Machine{}, mistake);
         }});
  }
  return list;
}

}  // namespace halfmark::suites::rates
