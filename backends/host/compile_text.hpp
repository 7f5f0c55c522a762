// SPDX-License-Identifier: Apache-2.0
//
// Compiles one text with one compiler, in a folder of its own. Decides when the machine rather than
// the text causes a failure; of the compiler's options it knows only -o.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace halfmark::backends::host {

struct CompilerCall {
  std::vector<std::string> argv;  // all but the files
  std::string source_name;        // its extension selects the language
  std::filesystem::path place;    // parent folder; empty: the folder of temporary files
  std::string_view remedy;        // for problems of the compiler
  std::string_view room_remedy;   // for problems of the folder
};

struct CompiledText {
  std::string image, log;
};

// Throws BackendError with the compiler's log when the compiler refuses the text; EnvironmentFault
// when it cannot be started, has no room, was killed, or reports success without an output file.
[[nodiscard]] CompiledText compile_text(const CompilerCall& call, std::string_view source);

}  // namespace halfmark::backends::host
