// SPDX-License-Identifier: Apache-2.0
//
// One text through one compiler, in a folder of its own. Decides when a failure is the machine's
// and not the text's; knows no compiler's options but -o.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace halfmark::backends::host {

struct CompilerCall {
  std::vector<std::string> argv;  // all but the files
  std::string source_name;        // its ending says the language
  std::filesystem::path place;    // of the folder; empty: among the temporary files
  std::string_view remedy;        // for the compiler
  std::string_view room_remedy;   // for the folder
};

struct CompiledText {
  std::string image, log;
};

// Throws BackendError with the compiler's log when it refuses the text; EnvironmentFault when it
// cannot be started, has no room, was killed, or says that all is well and leaves nothing.
[[nodiscard]] CompiledText compile_text(const CompilerCall& call, std::string_view source);

}  // namespace halfmark::backends::host
