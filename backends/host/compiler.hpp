// SPDX-License-Identifier: Apache-2.0
//
// The C++ compiler that kernels are built with at run time: which one, with which options. Decides
// every option that bears on numbers; does not decide what is compiled or where the result lives.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backends/device_info.hpp"
#include "backends/host/compile_text.hpp"

namespace halfmark::backends::host {

struct Compiler {
  std::vector<std::string>
      command;          // the words of HALFMARK_CXX, or the first of c++, g++ and clang++ that runs
  std::string version;  // the first line that --version prints
  std::string identity;            // which files those words are, and where they look for others
  std::vector<std::string> flags;  // for every kernel; HALFMARK_HOST_CXXFLAGS comes last
};

// Throws EnvironmentFault when there is none.
[[nodiscard]] Compiler find_compiler();

// A shared library of the text, made in a folder below `place`. Throws BackendError with the log
// when the compiler refuses this text, EnvironmentFault when it refuses any.
[[nodiscard]] CompiledText compile(const Compiler& compiler, std::span<const Define> defines,
                                   std::string_view source, const std::filesystem::path& place);

}  // namespace halfmark::backends::host
