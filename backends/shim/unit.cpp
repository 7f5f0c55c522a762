// SPDX-License-Identifier: Apache-2.0
#include "backends/shim/unit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "backends/gemm_problem.hpp"
#include "backends/shim/embedded.hpp"
#include "backends/shim/vendor.hpp"

namespace halfmark::backends::shim {
namespace {

int as_int(std::int64_t value) {
  if (value < 0 || value > std::numeric_limits<int>::max())
    throw NotOffered(fmt::format("the kernel counts in 31 bits, not to {}", value));
  return static_cast<int>(value);
}

std::uint32_t groups(int items, int each) {
  return static_cast<std::uint32_t>((items + each - 1) / each);
}

struct Matrix {
  DriverBuffer* buffer = nullptr;
  int batch = 1, rows = 0, columns = 0;
  int at = 0, row = 0, column = 0, step = 0;  // offset and strides in elements
};

Matrix matrix_of(const DriverOperatorCall& call, std::string_view role, std::string_view format) {
  const UnitMatrix found = unit_matrix(call, role, format);
  return {.buffer = found.buffer,
          .batch = as_int(found.batch),
          .rows = as_int(found.rows),
          .columns = as_int(found.columns),
          .at = as_int(static_cast<std::int64_t>(found.offset_bytes / element_bytes(format))),
          .row = as_int(found.row_step),
          .column = as_int(found.column_step),
          .step = as_int(found.batch_step)};
}

const Unit& unit_of(const UnitForm& form, const DeviceFacts& facts,
                    const DriverOperatorCall& call) {
  const std::string shape = unit_shape(call);
  // A format selects the first instruction that takes such operands and accumulates in that format.
  const std::string& operands = unit_operand(call, "a").format;
  for (const Unit& unit : form.rows) {
    const bool meant =
        call.compute == unit.name || (call.compute == unit.output && operands == unit.input);
    if (meant && (shape.empty() || shape == shape_of(unit)) && offers(facts, unit)) return unit;
  }
  throw NotOffered(
      fmt::format("{} has no instruction {} {}", facts.architecture, call.compute, shape));
}

void push(std::vector<DriverArgument>& arguments, const Matrix& matrix) {
  for (const int number : {matrix.at, matrix.row, matrix.column, matrix.step})
    arguments.emplace_back(std::int32_t{number});
}

OperatorOutcome launch(const UnitForm& form, const Unit& unit, const BuildUnit& build,
                       UnitPrograms& programs, const DriverOperatorCall& call) {
  const Matrix a = matrix_of(call, "a", unit.input);
  const Matrix b = matrix_of(call, "b", unit.input);
  const Matrix d = matrix_of(call, "d", unit.output);
  const bool has_c = call.scalar("beta", 0) == 1;
  const Matrix c = has_c ? matrix_of(call, "c", unit.output) : d;
  std::unique_ptr<DriverProgram>& program = programs[&unit];
  if (!program) program = build(program_of(form, unit), form.feature);
  std::vector<DriverArgument> arguments{a.buffer, b.buffer, c.buffer, d.buffer};
  for (const int number : {has_c ? 1 : 0, d.rows, d.columns, a.columns})
    arguments.emplace_back(std::int32_t{number});
  for (const Matrix& matrix : {a, b, c, d}) push(arguments, matrix);
  const Grid grid{.groups = {groups(d.columns, unit.n), groups(d.rows, unit.m),
                             static_cast<std::uint32_t>(d.batch)},
                  .items = {static_cast<std::uint32_t>(form.lanes), 1, 1}};
  OperatorOutcome outcome;
  if (d.rows != 0 && d.columns != 0 && d.batch != 0)
    outcome.elapsed_ns = program->launch("hm_unit", grid, arguments);
  return outcome;
}

}  // namespace

std::string shape_of(const Unit& unit) { return fmt::format("m{}n{}k{}", unit.m, unit.n, unit.k); }

bool offers(const DeviceFacts& facts, const Unit& unit) {
  if (unit.least != 0) return facts.capability >= unit.least;
  const std::string name = facts.architecture.substr(0, facts.architecture.find(':'));
  return fmt::format(" {} ", unit.architectures).find(fmt::format(" {} ", name)) !=
         std::string::npos;
}

std::string program_of(const UnitForm& form, const Unit& unit) {
  return fmt::format("{}{}{}", unit.definitions, *form.text, unit_kernel_h);
}

std::vector<backends::Library> unit_libraries(const Units& units, const DeviceFacts& facts,
                                              const std::string& stand_in) {
  std::vector<backends::Library> libraries;
  const auto add = [&](const char* name, const std::string& offered, const std::string& reason) {
    libraries.push_back({.name = name,
                         .version = offered.empty() ? "" : facts.architecture,
                         .kind = "unit",
                         .operators = {"gemm"},
                         .usable = !offered.empty(),
                         .evidence = offered.empty() ? reason : offered});
  };
  if (units.none != nullptr) add("unit", "", units.none);
  for (const UnitForm& form : units.forms) {
    std::string names;
    for (const Unit& unit : form.rows) {
      if (offers(facts, unit))
        names += fmt::format("{}{} {}", names.empty() ? "" : ", ", unit.name, shape_of(unit));
    }
    if (stand_in.empty()) {
      add(form.library, names,
          fmt::format("{} has none of these instructions", facts.architecture));
    } else {
      add(form.library, "", "the software device has no matrix unit");
    }
  }
  return libraries;
}

const UnitForm* unit_form(const Units& units, std::string_view library) {
  const auto form = std::ranges::find(units.forms, library, &UnitForm::library);
  return form == units.forms.end() ? nullptr : &*form;
}

OperatorOutcome run_unit(const UnitForm& form, const DeviceFacts& facts, const BuildUnit& build,
                         UnitPrograms& programs, const DriverOperatorCall& call) {
  try {
    refuse_what_units_lack(call);
    return launch(form, unit_of(form, facts, call), build, programs, call);
  } catch (const NotOffered& answer) {
    return {.supported = false, .answer = answer.what(), .elapsed_ns = 0};
  }
}

}  // namespace halfmark::backends::shim
