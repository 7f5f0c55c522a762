// SPDX-License-Identifier: Apache-2.0
//
// The matrix unit as libraries of kind "unit", one for each form of its instructions: the operator
// gemm is a chain of one instruction, named by the call's `compute`. A vendor's folder has the
// instructions as rows (units.hpp) and the layout of their operands (units.h, ...). Decides which
// row a call means, and what is refused.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backends/driver.hpp"

namespace halfmark::backends::shim {

struct DeviceFacts;

// One instruction. Offered from a capability on (`least`, when it is not 0), or by the
// architectures named, with blanks between them.
struct Unit {
  const char* name;    // as in the models of the reference, without the generation
  const char* input;   // the format of a and b
  const char* output;  // of c and d
  int m, n, k;
  int least;
  const char* architectures;
  const char* definitions;  // before the form's text
};

// Instructions whose operands lie in the same way. Each form is a library of its own.
struct UnitForm {
  const char* library;
  std::span<const Unit> rows;
  const std::string_view* text;  // units.h
  int lanes;                     // that one instruction is executed by
  const char* feature;           // after the name of the architecture, for the compiler
};

struct Units {
  std::span<const UnitForm> forms;
  const char* none;  // why there are no forms; null: there are
};

[[nodiscard]] std::string shape_of(const Unit& unit);  // "m16n8k16"
[[nodiscard]] bool offers(const DeviceFacts& facts, const Unit& unit);
[[nodiscard]] std::string program_of(const UnitForm& form, const Unit& unit);

[[nodiscard]] std::vector<backends::Library> unit_libraries(const Units& units,
                                                            const DeviceFacts& facts,
                                                            const std::string& stand_in);
// Null: the library is none of them.
[[nodiscard]] const UnitForm* unit_form(const Units& units, std::string_view library);

// Of one device. `build` takes a program's text, and the feature that the compiler must be told.
using BuildUnit =
    std::function<std::unique_ptr<DriverProgram>(const std::string& text, const char* feature)>;
using UnitPrograms = std::map<const Unit*, std::unique_ptr<DriverProgram>>;
[[nodiscard]] OperatorOutcome run_unit(const UnitForm& form, const DeviceFacts& facts,
                                       const BuildUnit& build, UnitPrograms& programs,
                                       const DriverOperatorCall& call);

}  // namespace halfmark::backends::shim
