// SPDX-License-Identifier: Apache-2.0
//
// Turns the rows of a vendor's names.hpp into tables. Included once, by the vendor's vendor.cpp,
// after its names.hpp.
#pragma once

#include "backends/shim/vendor.hpp"

#ifdef HM_NAMES_DRIVER  // without it there are no tables
namespace halfmark::backends::shim {
namespace {

#define HM_TABLE_DRIVER(role, symbol) {#symbol, offsetof(DriverCalls, role), true},
#define HM_TABLE_DRIVER_OPTIONAL(role, symbol) {#symbol, offsetof(DriverCalls, role), false},
#define HM_TABLE_COMPILER(role, symbol) {#symbol, offsetof(CompilerCalls, role), true},
#define HM_TABLE_COMPILER_OPTIONAL(role, symbol) {#symbol, offsetof(CompilerCalls, role), false},
#define HM_TABLE_FIELD(role, enumerator, value) .role = value,
#define HM_TABLE_NUMBER(role, enumerator, value) value,

constexpr Symbol kDriverSymbols[] = {HM_NAMES_DRIVER(HM_TABLE_DRIVER)
                                         HM_NAMES_DRIVER_OPTIONAL(HM_TABLE_DRIVER_OPTIONAL)};
constexpr Symbol kCompilerSymbols[] = {HM_NAMES_COMPILER(HM_TABLE_COMPILER)
                                           HM_NAMES_COMPILER_OPTIONAL(HM_TABLE_COMPILER_OPTIONAL)};
constexpr Attributes kAttributes = {HM_NAMES_ATTRIBUTES(HM_TABLE_FIELD)};
constexpr Codes kCodes = {HM_NAMES_CODES(HM_TABLE_FIELD)};
constexpr Status kLostCodes[] = {HM_NAMES_LOST(HM_TABLE_NUMBER)};

}  // namespace
}  // namespace halfmark::backends::shim
#endif
