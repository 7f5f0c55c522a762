// SPDX-License-Identifier: Apache-2.0
#include "suites/core/diagnose.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "suites/core/judge.hpp"

namespace halfmark::suites {
namespace {

using models::Machine;
using soft::Environment;
using soft::Rounding;
using soft::Subnormals;

struct Operation {
  std::string_view key, words;
  Environment Machine::* environment;
};

constexpr Operation kOperations[] = {
    {"add", "addition", &Machine::add},          {"mul", "multiplication", &Machine::mul},
    {"fma", "fma", &Machine::fma},               {"div", "division", &Machine::div},
    {"sqrt", "square root", &Machine::sqrt},     {"scale", "ldexp", &Machine::scale},
    {"convert", "conversion", &Machine::convert},
};

struct Flush {
  std::string_view key, words;
  Subnormals subnormals;
};

constexpr Flush kFlushes[] = {
    {"inputs", "flushes subnormal operands to zero", Subnormals::kFlushIn},
    {"results", "flushes subnormal results to zero", Subnormals::kFlushOut},
    {"all", "flushes subnormal operands and results to zero", Subnormals::kFlush},
};

struct Round {
  std::string_view key, words;
  Rounding rounding;
};

constexpr Round kRoundings[] = {
    {"toward-zero", "rounds toward zero", Rounding::kTowardZero},
    {"down", "rounds toward minus infinity", Rounding::kDown},
    {"up", "rounds toward plus infinity", Rounding::kUp},
    {"near-away", "rounds ties away from zero", Rounding::kNearAway},
};

Machine every_operation(Environment environment) {
  Machine machine;
  for (const Operation& op : kOperations) machine.*op.environment = environment;
  return machine;
}

Hypothesis on_machine(const Suite& suite, std::string name, std::string_view finding_class, std::string sentence,
                      const Machine& machine, std::vector<std::string> freedoms = {}) {
  return {.name = std::move(name),
          .finding_class = std::string(finding_class),
          .sentence = std::move(sentence),
          .evaluate = [refer = suite.refer, machine](const Case& c, const TensorSet& inputs) {
            return refer(c, inputs, machine);
          },
          .freedoms = std::move(freedoms)};
}

Explanation weigh(const Hypothesis& hypothesis, const TensorSet& outcome, const TensorSet& expected,
                  const TensorSet& actual, std::uint64_t bound_ulps) {
  Explanation e{.hypothesis = hypothesis.name,
                .finding_class = hypothesis.finding_class,
                .sentence = hypothesis.sentence,
                .freedoms = hypothesis.freedoms,
                .explained = 0,
                .contradicted = 0};
  for (const auto& [name, tensor] : expected) {
    const formats::Tensor& got = actual.at(name);
    const formats::Tensor& would = outcome.at(name);
    for (std::size_t i = 0; i < tensor.count(); ++i) {
      const bool reproduced = agrees(*tensor.format, would.at(i), got.at(i), 0);
      const bool wrong = !agrees(*tensor.format, tensor.at(i), got.at(i), bound_ulps);
      if (reproduced && wrong) ++e.explained;
      if (!reproduced) ++e.contradicted;
    }
  }
  return e;
}

bool better(const Explanation& a, const Explanation& b) {
  if ((a.contradicted == 0) != (b.contradicted == 0)) return a.contradicted == 0;
  if (a.explained != b.explained) return a.explained > b.explained;
  return a.contradicted < b.contradicted;
}

// Fused operations built in software skip a zero addend: alone, and together with each way to flush.
void add_skipped_addends(std::vector<Hypothesis>& all, const Suite& suite) {
  Machine machine;
  machine.fma.emulated_fma = true;
  const std::string skips = "fma(a, b, 0) is a * b, so that a zero result keeps the sign of the product";
  all.push_back(on_machine(suite, "fma-skips-zero-addend", "signed_zero", skips, machine, {"signed_zero"}));
  for (const Flush& flush : kFlushes) {
    machine.fma.subnormals = flush.subnormals;
    all.push_back(on_machine(suite, fmt::format("fma-flushes-{}-and-skips-zero-addend", flush.key), "ftz",
                             fmt::format("fma {}, and {}", flush.words, skips), machine,
                             {"operation_subnormals", "signed_zero"}));
  }
}

}  // namespace

std::vector<Hypothesis> machine_hypotheses(const Suite& suite) {
  std::vector<Hypothesis> all;
  for (const Operation& op : kOperations) {
    for (const Flush& flush : kFlushes) {
      Machine machine;
      (machine.*op.environment).subnormals = flush.subnormals;
      std::vector<std::string> freedoms;
      if (op.environment != &Machine::convert) freedoms = {"operation_subnormals"};
      all.push_back(on_machine(suite, fmt::format("{}-flushes-{}", op.key, flush.key), "ftz",
                               fmt::format("{} {}", op.words, flush.words), machine, freedoms));
    }
    for (const Round& round : kRoundings) {
      Machine machine;
      (machine.*op.environment).rounding = round.rounding;
      const bool conversion = op.environment == &Machine::convert;
      all.push_back(on_machine(suite, fmt::format("{}-rounds-{}", op.key, round.key),
                               conversion ? "cvt_round" : "rounding", fmt::format("{} {}", op.words, round.words),
                               machine));
    }
  }
  add_skipped_addends(all, suite);
  for (const Flush& flush : kFlushes) {
    all.push_back(on_machine(suite, fmt::format("every-operation-flushes-{}", flush.key), "ftz",
                             fmt::format("every operation {}", flush.words),
                             every_operation({.subnormals = flush.subnormals})));
  }
  for (const Round& round : kRoundings) {
    all.push_back(on_machine(suite, fmt::format("every-operation-rounds-{}", round.key), "rounding",
                             fmt::format("every operation {}", round.words),
                             every_operation({.rounding = round.rounding, .subnormals = Subnormals::kKeep})));
  }
  return all;
}

std::vector<Explanation> diagnose(const Suite& suite, const Case& c, const TensorSet& inputs,
                                  const TensorSet& expected, const TensorSet& actual, std::uint64_t bound_ulps) {
  std::vector<Hypothesis> hypotheses = machine_hypotheses(suite);
  if (suite.hypotheses != nullptr) {
    std::vector<Hypothesis> own = suite.hypotheses(c);
    hypotheses.insert(hypotheses.end(), std::make_move_iterator(own.begin()), std::make_move_iterator(own.end()));
  }
  std::vector<Explanation> found;
  for (const Hypothesis& hypothesis : hypotheses) {
    Explanation e = weigh(hypothesis, hypothesis.evaluate(c, inputs), expected, actual, bound_ulps);
    if (e.explained > 0) found.push_back(std::move(e));
  }
  std::stable_sort(found.begin(), found.end(), better);
  const auto exact_end = std::find_if(found.begin(), found.end(), [](const Explanation& e) { return e.contradicted > 0; });
  const auto exact = static_cast<std::size_t>(exact_end - found.begin());
  found.resize(std::min<std::size_t>(found.size(), exact > 0 ? exact : 3));
  return found;
}

}  // namespace halfmark::suites
