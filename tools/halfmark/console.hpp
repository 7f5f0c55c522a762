// SPDX-License-Identifier: Apache-2.0
// Standard output and standard error of the command line: every text of the program goes through
// here. Guarantees that no text, whatever its source, can control the reader's terminal
// (reference/text/visible.hpp), that failing to write output is an error and never silent, and that
// a closed or full error stream does not stop the program.
#pragma once

#include <memory>
#include <ostream>

namespace halfmark::tools {

/// RAII: redirects std::cout and std::cerr to these streams for its lifetime. Opens /dev/null for
/// standard descriptors that are closed, so that no file of ours takes their numbers, and ignores
/// SIGPIPE and SIGXFSZ: a closed pipe and a reached file size limit are errors like a full disk.
class Console {
 public:
  Console();
  ~Console();
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;

  /// Writes what is still buffered. Returns `code`, or 3 for a 0 whose output was lost. Unless the
  /// code is 3 already, one line on standard error says why output was lost.
  [[nodiscard]] int finish(int code);

 private:
  struct Streams;
  std::unique_ptr<Streams> streams_;
};

/// Clears the current line of the terminal on standard error and returns to its beginning.
void erase_line();

}  // namespace halfmark::tools
