// SPDX-License-Identifier: Apache-2.0
//
// Loads backends that were built elsewhere. A file that is not a valid backend yields one line of
// text; it never stops the run. Does not judge what a plug-in does after it was loaded.
//
// Assumptions:
//  1. A plug-in stays loaded: its driver may leave threads running, which must not lose their code.
//  2. A file is refused before any function of its table is called.
//  3. Loading runs foreign code, which may crash or hang, so only worker processes load. Any
//  process may search for files.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "backends/abi.h"

namespace halfmark::backends {

struct LoadedPlugin {
  std::string file;
  const HmBackendApi* api = nullptr;  // null when refused
  std::string refusal;                // the reason, in one line
};

// The line that reports a plug-in that cannot be used.
[[nodiscard]] std::string refusal_line(const std::string& file, const std::string& reason);

[[nodiscard]] LoadedPlugin open_plugin(const std::filesystem::path& file);

// Every *.so in the folders of HALFMARK_PLUGIN_PATH (separated by ':'; an entry may also be a
// file), sorted by name within a folder.
[[nodiscard]] std::vector<std::filesystem::path> plugins_on_path(const char* search_path);

}  // namespace halfmark::backends
