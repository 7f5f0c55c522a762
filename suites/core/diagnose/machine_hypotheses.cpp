// SPDX-License-Identifier: Apache-2.0
#include "suites/core/diagnose/machine_hypotheses.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

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
    {"add", "addition", &Machine::add},
    {"mul", "multiplication", &Machine::mul},
    {"fma", "fma", &Machine::fma},
    {"div", "division", &Machine::div},
    {"sqrt", "square root", &Machine::sqrt},
    {"scale", "ldexp", &Machine::scale},
    {"convert", "conversion", &Machine::convert},
};

struct Flush {
  std::string_view key;
  FindingClassName finding_class;
  std::string_view words;
  Subnormals subnormals;
};

constexpr Flush kFlushes[] = {
    {"inputs", "ftz_in", "flushes subnormal operands to zero", Subnormals::kFlushIn},
    {"results", "ftz_out", "flushes subnormal results to zero", Subnormals::kFlushOut},
    {"all", "ftz", "flushes subnormal operands and results to zero", Subnormals::kFlush},
};

struct Round {
  std::string_view key, words;
  Rounding rounding;
  const char* freedom;  // that operations take; null: none
};

constexpr Round kRoundings[] = {
    {"toward-zero", "rounds toward zero", Rounding::kTowardZero, "rounding_mode"},
    {"down", "rounds toward minus infinity", Rounding::kDown, nullptr},
    {"up", "rounds toward plus infinity", Rounding::kUp, nullptr},
    {"near-away", "rounds ties away from zero", Rounding::kNearAway, nullptr},
};

// Every direction of a conversion leads to a number next to its operand.
std::vector<std::string> freedoms_of(const Round& round, bool operates, bool converts) {
  std::vector<std::string> freedoms;
  if (operates && round.freedom == nullptr) return freedoms;
  if (operates) freedoms.emplace_back(round.freedom);
  if (converts) freedoms.emplace_back("faithful_rounding");
  return freedoms;
}

Hypothesis on_machine(const Problem& problem, std::string name, FindingClassName finding_class,
                      std::string sentence, const Machine& machine,
                      std::vector<std::string> freedoms = {}) {
  return {.name = std::move(name),
          .finding_class = finding_class,
          .sentence = std::move(sentence),
          .evaluate = [&problem, machine](
                          const Case&,
                          const TensorSet& inputs) { return problem.expect(inputs, machine); },
          .freedoms = std::move(freedoms)};
}

bool is_conversion(const Operation& op) { return op.environment == &Machine::convert; }

// Conversions are a freedom of their own, which loads and stores of kernels do not have: they keep
// subnormals on every API.
constexpr const char* kOperationsFreedom = "operation_subnormals";
constexpr const char* kConversionsFreedom = "conversion_subnormals";

void add_single_operations(std::vector<Hypothesis>& all, const Problem& problem) {
  for (const Operation& op : kOperations) {
    for (const Flush& flush : kFlushes) {
      Machine machine;
      (machine.*op.environment).subnormals = flush.subnormals;
      all.push_back(on_machine(problem, fmt::format("{}-flushes-{}", op.key, flush.key),
                               flush.finding_class, fmt::format("{} {}", op.words, flush.words),
                               machine,
                               {is_conversion(op) ? kConversionsFreedom : kOperationsFreedom}));
    }
    for (const Round& round : kRoundings) {
      Machine machine;
      (machine.*op.environment).rounding = round.rounding;
      all.push_back(on_machine(
          problem, fmt::format("{}-rounds-{}", op.key, round.key),
          is_conversion(op) ? FindingClassName("cvt_round") : FindingClassName("rounding"),
          fmt::format("{} {}", op.words, round.words), machine,
          freedoms_of(round, !is_conversion(op), is_conversion(op))));
    }
  }
}

// Software fused multiply-adds that skip a zero addend: by itself, and combined with each way to
// flush subnormals.
void add_skipped_addends(std::vector<Hypothesis>& all, const Problem& problem) {
  Machine machine;
  machine.fma.emulated_fma = true;
  const std::string skips =
      "fma(a, b, 0) is a * b, so that a zero result keeps the sign of the product";
  all.push_back(
      on_machine(problem, "fma-skips-zero-addend", "signed_zero", skips, machine, {"signed_zero"}));
  for (const Flush& flush : kFlushes) {
    machine.fma.subnormals = flush.subnormals;
    all.push_back(on_machine(problem,
                             fmt::format("fma-flushes-{}-and-skips-zero-addend", flush.key),
                             flush.finding_class, fmt::format("fma {}, and {}", flush.words, skips),
                             machine, {"operation_subnormals", "signed_zero"}));
  }
}

void add_all_operations(std::vector<Hypothesis>& all, const Problem& problem) {
  for (const bool conversions_too : {false, true}) {
    const std::string_view which =
        conversions_too ? "every operation and conversion" : "every operation";
    const std::string_view key = conversions_too ? "everything" : "every-operation";
    for (const Flush& flush : kFlushes) {
      Machine machine = models::uniform_machine({.subnormals = flush.subnormals});
      std::vector<std::string> freedoms{kOperationsFreedom};
      if (!conversions_too) machine.convert = {};
      if (conversions_too) freedoms.emplace_back(kConversionsFreedom);
      all.push_back(on_machine(problem, fmt::format("{}-flushes-{}", key, flush.key),
                               flush.finding_class, fmt::format("{} {}", which, flush.words),
                               machine, std::move(freedoms)));
    }
    for (const Round& round : kRoundings) {
      Machine machine = models::uniform_machine({.rounding = round.rounding});
      if (!conversions_too) machine.convert = {};
      all.push_back(on_machine(problem, fmt::format("{}-rounds-{}", key, round.key), "rounding",
                               fmt::format("{} {}", which, round.words), machine,
                               freedoms_of(round, true, conversions_too)));
    }
  }
}

// What flushes everything flushes results, too; what every operation does, each of them does.
void add_weaker_claims(std::vector<Hypothesis>& all) {
  constexpr std::string_view kEvery = "every-operation", kEverything = "everything";
  for (Hypothesis& h : all) {
    const std::string_view name = h.name;
    const std::string_view key = name.substr(0, name.find("-flushes-"));
    const std::string_view who = key.substr(0, key.find("-rounds-"));
    if (who == name) continue;
    const bool flushes_all = name.ends_with("-flushes-all");
    for (const Operation& op : kOperations) {
      const bool is_one = who == op.key;
      const bool is_of_all = who == kEverything || (who == kEvery && !is_conversion(op));
      if (!is_one && !is_of_all) continue;
      if (is_of_all) h.implies.push_back(fmt::format("{}{}", op.key, name.substr(who.size())));
      if (flushes_all) {
        h.implies.push_back(fmt::format("{}-flushes-inputs", op.key));
        h.implies.push_back(fmt::format("{}-flushes-results", op.key));
      }
    }
    if (who != kEvery && who != kEverything) continue;
    if (who == kEverything)
      h.implies.push_back(fmt::format("{}{}", kEvery, name.substr(who.size())));
    for (const Flush& flush : kFlushes) {
      if (flushes_all && flush.key != "all")
        h.implies.push_back(fmt::format("{}-flushes-{}", who, flush.key));
    }
  }
}

}  // namespace

std::vector<Hypothesis> machine_hypotheses(const Problem& problem) {
  std::vector<Hypothesis> all;
  add_single_operations(all, problem);
  add_skipped_addends(all, problem);
  add_all_operations(all, problem);
  add_weaker_claims(all);
  return all;
}

}  // namespace halfmark::suites
