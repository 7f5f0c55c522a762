// SPDX-License-Identifier: Apache-2.0
//
// The folder of what may be kept between runs. Decides where it is and when it may be trusted: what
// lies there is loaded as code, or says what is, so nobody else may be able to write it.
#pragma once

#include <filesystem>
#include <string_view>

namespace halfmark::backends {

// HALFMARK_CACHE_DIR/name, else $XDG_CACHE_HOME/halfmark/name, else ~/.cache/halfmark/name, made
// when it is not there. Always absolute: a relative HALFMARK_CACHE_DIR starts at the working
// folder, the others do not count then. Empty where it cannot be written, or where others could
// write.
[[nodiscard]] std::filesystem::path own_cache_folder(std::string_view name);

}  // namespace halfmark::backends
