// SPDX-License-Identifier: Apache-2.0
// The reference as a calculator: `halfmark ref value` analyses one number, and `halfmark ref op`
// with operands on its command line explains one operation. Its blocks are for people; programs use
// the filter.
//
// No value is approximated silently: a truncated decimal ends in three dots.
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

// Prints each word in that format: encoding, fields, value, rounding error, neighbours. Returns
// exit code 0, or 2 after one line on `err`; words before a bad one are answered.
[[nodiscard]] int ref_value(std::ostream& out, std::ostream& err, const CalculatorOptions& options);

// Prints one operation: operands, exact and rounded result, error, flags, neighbours. Exit codes
// as above.
[[nodiscard]] int ref_op_explained(std::ostream& out, std::ostream& err,
                                   const CalculatorOptions& options);

[[nodiscard]] std::string ref_value_help();

}  // namespace halfmark::tools
