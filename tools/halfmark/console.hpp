// SPDX-License-Identifier: Apache-2.0
// Standard output and standard error of the command line: everything that a program says goes
// through here. Decides that no text, wherever it comes from, steers the reader's terminal
// (reference/text/visible.hpp), that output which could not be written is an error and never
// silence, and that an error stream which is closed or full stops nothing.
#pragma once

#include <memory>
#include <ostream>

namespace halfmark::tools {

/// As long as it lives, std::cout and std::cerr are these streams. Opens /dev/null for standard
/// descriptors that are closed, so that no file of ours takes their numbers, and ignores SIGPIPE
/// and SIGXFSZ: a reader that is gone and a limit that is reached are errors like a full disk.
class Console {
 public:
  Console();
  ~Console();
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;

  /// Writes what is still held back. Gives `code`, or 3 for a 0 whose output was lost, and says in
  /// one line why it was unless the code is 3 already.
  [[nodiscard]] int finish(int code);

 private:
  struct Streams;
  std::unique_ptr<Streams> streams_;
};

/// Empties the terminal's current line and returns to its beginning: on standard error.
void erase_line();

}  // namespace halfmark::tools
