// SPDX-License-Identifier: Apache-2.0
//
// The matrix unit as libraries of kind "unit", one for each form of its instructions: the operator
// gemm is a chain of one instruction, named by the call's `compute`. A vendor's folder lists the
// instructions as rows (units.hpp) and defines the layout of their operands (units.h, ...). Decides
// which row a call selects, and what is refused.
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

// One instruction. Offered from a capability on (`least`, when it is not 0), or by the named
// architectures, separated by blanks.
struct Unit {
  const char* name;    // as in the models of the reference, without the generation
  const char* input;   // the format of a and b
  const char* output;  // of c and d
  int m, n, k;
  int least;
  const char* architectures;
  const char* definitions;  // precede the form's text
};

// Instructions with the same operand layout. Each form is a library of its own.
struct UnitForm {
  const char* library;
  std::span<const Unit> rows;
  const std::string_view* text;  // units.h
  int lanes;                     // lanes that execute one instruction together
  const char* feature;           // appended to the name of the architecture for the compiler
};

struct Units {
  std::span<const UnitForm> forms;
  const char* none;  // why there are no forms; null when there are
};

[[nodiscard]] std::string shape_of(const Unit& unit);  // "m16n8k16"
[[nodiscard]] bool offers(const DeviceFacts& facts, const Unit& unit);
[[nodiscard]] std::string program_of(const UnitForm& form, const Unit& unit);

[[nodiscard]] std::vector<backends::Library> unit_libraries(const Units& units,
                                                            const DeviceFacts& facts,
                                                            const std::string& stand_in);
// Null when the library is not one of the forms.
[[nodiscard]] const UnitForm* unit_form(const Units& units, std::string_view library);

// Built programs of one device. `build` takes a program's text and the feature for the compiler.
using BuildUnit =
    std::function<std::unique_ptr<DriverProgram>(const std::string& text, const char* feature)>;
using UnitPrograms = std::map<const Unit*, std::unique_ptr<DriverProgram>>;
[[nodiscard]] OperatorOutcome run_unit(const UnitForm& form, const DeviceFacts& facts,
                                       const BuildUnit& build, UnitPrograms& programs,
                                       const DriverOperatorCall& call);

}  // namespace halfmark::backends::shim
