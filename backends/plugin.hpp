// SPDX-License-Identifier: Apache-2.0
//
// Loads backends that were built elsewhere. A file that is no such backend becomes one line of
// text; it never stops the run. Does not judge what a plug-in does after it was loaded.
//
// Assumptions:
//  1. A plug-in stays loaded: drivers leave threads behind that would run on in unmapped code.
//  2. A file is refused before any function of its table is called.
//  3. Loading runs foreign code, which may crash or hang: only worker processes load. To find files
//  is harmless anywhere.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "backends/abi.h"

namespace halfmark::backends {

struct LoadedPlugin {
  std::string file;
  const HmBackendApi* api = nullptr;  // null: refused
  std::string refusal;                // why, in one line
};

// The one line about a plug-in that cannot be used.
[[nodiscard]] std::string refusal_line(const std::string& file, const std::string& reason);

[[nodiscard]] LoadedPlugin open_plugin(const std::filesystem::path& file);

// Every *.so in the folders of HALFMARK_PLUGIN_PATH (separated by ':'; a part may also be a file),
// sorted by name within a folder.
[[nodiscard]] std::vector<std::filesystem::path> plugins_on_path(const char* search_path);

}  // namespace halfmark::backends
