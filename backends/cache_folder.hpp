// SPDX-License-Identifier: Apache-2.0
//
// The folder of the cache that persists between runs. Decides where it is and when to trust it: its
// files are loaded as code or believed as facts, so nobody else may be able to write it.
#pragma once

#include <filesystem>
#include <string_view>

namespace halfmark::backends {

// HALFMARK_CACHE_DIR/name, else $XDG_CACHE_HOME/halfmark/name, else ~/.cache/halfmark/name; creates
// the folder when it is missing. Always absolute: a relative HALFMARK_CACHE_DIR is resolved against
// the working directory, the other two are ignored when relative. Empty when the folder is not
// writable or when other users could write it.
[[nodiscard]] std::filesystem::path own_cache_folder(std::string_view name);

}  // namespace halfmark::backends
