// SPDX-License-Identifier: Apache-2.0
// `halfmark ref op FORMAT.OPERATION`: the reference as a filter. Each line of input holds the
// operands of one operation as hex encodings; each line of output holds its result and the
// exceptions it raised. The filter is made for pipes of millions of lines, and answers after each
// read, so that a program can write a line and wait for its answer.
#pragma once

#include <iosfwd>
#include <string>

#include "reference/soft/environment.hpp"

namespace halfmark::tools {

struct RefOpOptions {
  std::string operation;  // "fp16.fma"
  soft::Environment environment;
  // For stochastic rounding, whose random number is the last word of a line; 0: as many as the
  // result's format can use.
  int random_bits = 0;
};

// Reads file descriptor `in` to its end and writes to `out`. Returns exit code 0, or 2 after
// one line on `err` that names the problem and the remedy; results of the lines before a bad
// one are written.
[[nodiscard]] int ref_op(int in, int out, std::ostream& err, const RefOpOptions& options);

// Lists every format and operation, the input and output, and the flags.
[[nodiscard]] std::string ref_op_help();

}  // namespace halfmark::tools
