// SPDX-License-Identifier: Apache-2.0
// `halfmark ref op FORMAT.OPERATION`: the reference as a filter. Each line of input holds the
// operands of one operation as hex encodings; each line of output its result and the exceptions it
// raised. Made for pipes of millions of lines, and answers each read at once, so that a program may
// hold a conversation with it.
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

// Reads one file descriptor to its end and writes the other. Exit code 0, or 2 after one line on
// `err` that names the thing and the remedy; results of the lines before a bad one are written.
[[nodiscard]] int ref_op(int in, int out, std::ostream& err, const RefOpOptions& options);

// Every format and operation, the input and output, the flags.
[[nodiscard]] std::string ref_op_help();

}  // namespace halfmark::tools
