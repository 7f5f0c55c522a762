// SPDX-License-Identifier: Apache-2.0
//
// The processor's matrix instructions as libraries of kind "unit", one for each extension that has
// some: a gemm is a chain of one instruction along k for every tile of d.
//
// Where k is no multiple of the instruction's, -0 times +0 fills the rest: adding -0 to nearest
// changes no sum, not even a zero's sign.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "backends/cpu/unit_instructions.hpp"
#include "backends/driver.hpp"

namespace halfmark::backends::cpu {

// `processor` is their version.
[[nodiscard]] std::vector<Library> unit_descriptions(const std::string& processor);

// Whether one of unit_descriptions() has this name.
[[nodiscard]] bool is_unit(std::string_view library);

// Packs the operands; what it returns multiplies them. Throws NotOffered.
[[nodiscard]] std::function<void()> prepared_unit(const DriverOperatorCall& call);

// The same for one instruction, whether or not a call would select it.
[[nodiscard]] std::function<void()> prepared_unit(const UnitInstruction& instruction,
                                                  const DriverOperatorCall& call);

}  // namespace halfmark::backends::cpu
