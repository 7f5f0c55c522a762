// SPDX-License-Identifier: Apache-2.0
//
// The C++ compiler that kernels are built with at run time: which one, with which options. Decides
// every option that bears on numbers; does not decide what is compiled or where the result lives.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "backends/device_info.hpp"

namespace halfmark::backends::host {

struct Compiler {
  std::vector<std::string>
      command;          // the words of HALFMARK_CXX, or the first of c++, g++ and clang++ that runs
  std::string version;  // the first line that --version prints
  std::vector<std::string> flags;  // for every kernel; HALFMARK_HOST_CXXFLAGS comes last
};

// Throws BackendError, whose text names the remedy, when there is none.
[[nodiscard]] Compiler find_compiler();

// Makes a shared library of the text in `source`. Returns the log; throws BackendError with the log
// when it fails.
std::string compile(const Compiler& compiler, std::span<const Define> defines,
                    const std::filesystem::path& source, const std::filesystem::path& target);

}  // namespace halfmark::backends::host
