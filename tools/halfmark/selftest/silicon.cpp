// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/selftest/silicon.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <ostream>

#include "backends/cpu/unit_instructions.hpp"
#include "reports/exit_codes.hpp"
#include "tools/halfmark/selftest/silicon_comparison.hpp"

namespace halfmark::tools {
namespace {

using formats::kFp32;
using models::Unit;

std::uint64_t neighbours_left(const SiliconReport& report) {
  return static_cast<std::uint64_t>(std::ranges::count(report.contradicted, 0U));
}

bool passes(const SiliconReport& report) {
  return report.failures == 0 && neighbours_left(report) == 0;
}

std::string title(const SiliconUnit& unit) {
  return fmt::format("{} {} {}", unit.library, unit.name, unit.shape);
}

void print(std::ostream& out, const SiliconUnit& unit, const SiliconReport& report) {
  out << fmt::format("{:<5}{}: {} results, {} of corners, against {}\n",
                     passes(report) ? "ok" : "FAIL", title(unit), report.compared, report.corners,
                     unit.model->name);
  if (report.failures != 0) {
    out << fmt::format("     {} differ; the first: {}\n", report.failures, report.first_failure);
  }
  for (std::size_t i = 0; i < report.neighbours.size(); ++i) {
    if (report.contradicted[i] == 0) {
      out << fmt::format("     not told apart from: {}\n", report.neighbours[i].name);
    } else {
      out << fmt::format("     not: {} (result {})\n", report.neighbours[i].name,
                         report.contradicted[i]);
    }
  }
  out.flush();
}

nlohmann::json to_json(const SiliconUnit& unit) {
  return {{"library", unit.library}, {"name", unit.name}, {"shape", unit.shape}};
}

nlohmann::json to_json(const SiliconUnit& unit, const SiliconReport& report) {
  nlohmann::json row = to_json(unit);
  row["model"] = unit.model->name;
  row["compared"] = report.compared;
  row["corners"] = report.corners;
  row["failures"] = report.failures;
  if (report.failures != 0) row["first_failure"] = report.first_failure;
  row["neighbours"] = nlohmann::json::array();
  for (std::size_t i = 0; i < report.neighbours.size(); ++i) {
    row["neighbours"].push_back(
        {{"name", report.neighbours[i].name}, {"contradicted_after", report.contradicted[i]}});
  }
  return row;
}

// An instruction that is a chain like any other, under no name of its own.
constexpr std::array kHalf{&formats::kFp16};
constexpr Unit kPlainChain{.name = "fp32.sequential.fma",
                           .a = kHalf,
                           .b = kHalf,
                           .output = &kFp32,
                           .rule = models::Rule::kFmaChain,
                           .block = 1,
                           .fraction_bits = 0,
                           .kept_bits = kFp32.fraction_bits,
                           .instruction_k = 1};

const Unit* model_of(const backends::cpu::UnitInstruction& row) {
  if (std::string_view(row.name) == "fmlal.fp16.fp32") return &kPlainChain;
  return models::find_unit(fmt::format("unit.{}.{}", row.generation, row.name));
}

}  // namespace

std::vector<SiliconUnit> units_of_this_processor() {
  std::vector<SiliconUnit> all;
  for (const backends::cpu::UnitInstruction& row : backends::cpu::unit_instructions()) {
    all.push_back({.library = row.library,
                   .name = row.name,
                   .shape = shape_of(row),
                   .missing = row.missing(),
                   .model = model_of(row),
                   .m = row.m,
                   .n = row.n,
                   .k = row.k,
                   .beside = row.beside,
                   .chain = row.chain});
  }
  return all;
}

int selftest_silicon(std::ostream& out, const SiliconOptions& options,
                     const std::vector<SiliconUnit>& units) {
  nlohmann::json rows = nlohmann::json::array();
  std::size_t tried = 0, failed = 0;
  for (const SiliconUnit& unit : units) {
    if (!unit.missing.empty() || unit.model == nullptr) {
      const std::string reason = unit.missing.empty() ? "no model of it is known" : unit.missing;
      rows.push_back(to_json(unit));
      rows.back()["missing"] = reason;
      if (!options.json) out << fmt::format("none {}: {}\n", title(unit), reason);
      continue;
    }
    const SiliconReport report = compare_silicon(unit, options);
    ++tried;
    if (!passes(report)) ++failed;
    rows.push_back(to_json(unit, report));
    if (!options.json) print(out, unit, report);
  }
  const bool passed = tried != 0 && failed == 0;
  if (options.json) {
    out << nlohmann::json{{"seed", options.seed}, {"passed", passed}, {"units", rows}}.dump(2)
        << '\n';
  } else {
    out << (tried == 0
                ? "no matrix unit whose results this could compare\n"
                : fmt::format("{}: {} of {} matrix units of this processor, seed {}\n",
                              passed ? "passed" : "FAILED", tried - failed, tried, options.seed));
  }
  out.flush();
  if (tried == 0) return reports::kExitNoAnswer;
  return failed == 0 ? reports::kExitConforms : reports::kExitDoesNotConform;
}

}  // namespace halfmark::tools
