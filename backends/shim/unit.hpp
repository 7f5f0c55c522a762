// SPDX-License-Identifier: Apache-2.0
//
// The matrix unit as a library of kind "unit": its operator gemm is a chain of one instruction,
// named by the call's `compute`. A vendor's folder has the instructions as rows (units.hpp) and
// the layout of their operands (units.h). Decides which row a call means, and what is refused.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

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
  const char* definitions;  // before the vendor's text
};

struct Units {
  std::span<const Unit> rows;
  const std::string_view* text;  // units.h; null with `none`
  int lanes;                     // that one instruction is executed by
  const char* none;              // why there are no rows; null: there are
};

[[nodiscard]] std::string shape_of(const Unit& unit);  // "m16n8k16"
[[nodiscard]] bool offers(const DeviceFacts& facts, const Unit& unit);
[[nodiscard]] std::string program_of(const Units& units, const Unit& unit);

inline constexpr const char* kUnitLibrary = "unit";
[[nodiscard]] backends::Library unit_library(const Units& units, const DeviceFacts& facts,
                                             const std::string& stand_in);

// Compiled programs of one device.
using UnitPrograms = std::map<const Unit*, std::unique_ptr<DriverProgram>>;
[[nodiscard]] OperatorOutcome run_unit(DriverDevice& device, const Units& units,
                                       const DeviceFacts& facts, UnitPrograms& programs,
                                       const DriverOperatorCall& call);

}  // namespace halfmark::backends::shim
