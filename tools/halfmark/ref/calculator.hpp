// SPDX-License-Identifier: Apache-2.0
// The reference as a calculator: `halfmark ref value` takes one number apart, and `halfmark ref op`
// with operands on its command line shows one operation. Blocks for people; programs use the
// filter.
//
// Nothing is approximated silently: a decimal that was cut ends in three dots.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "reference/soft/environment.hpp"

namespace halfmark::tools {

struct CalculatorOptions {
  std::string subject;             // a format for ref_value, FORMAT.OPERATION for ref_op_explained
  std::vector<std::string> words;  // see operand.hpp
  soft::Environment environment = {};
  // For stochastic rounding of an operation, whose random number is the last word, in hex.
  int random_bits = 0;
};

// Each word in that format: encoding, fields, value, what rounding lost, neighbours. Exit code 0,
// or 2 after one line on `err`; words before a bad one are answered.
[[nodiscard]] int ref_value(std::ostream& out, std::ostream& err, const CalculatorOptions& options);

// One operation: operands, exact and rounded result, error, flags, neighbours. Exit code as above.
[[nodiscard]] int ref_op_explained(std::ostream& out, std::ostream& err,
                                   const CalculatorOptions& options);

[[nodiscard]] std::string ref_value_help();

}  // namespace halfmark::tools
