// SPDX-License-Identifier: Apache-2.0
#include "backends/shim/image_store.hpp"

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "backends/cache_entry.hpp"
#include "backends/cache_folder.hpp"
#include "backends/shim/environment_rows.hpp"

namespace halfmark::backends::shim {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

fs::path file_of(const std::string& key) {
  const fs::path folder = own_cache_folder("images");
  return folder.empty() ? fs::path() : folder / (key + ".image");
}

}  // namespace

std::string ImageStore::key_of(const std::string& text, const std::string& architecture) const {
  std::vector<std::string> parts = options_for(vendor_, architecture, text);
  const char* misbehaviour = std::getenv("HALFMARK_STAND_IN_MISBEHAVE");
  for (const char* part : {vendor_.backend, content_.c_str(), text.c_str(),
                           misbehaviour == nullptr ? "" : misbehaviour})
    parts.emplace_back(part);
  for (std::string& row : environment_rows(vendor_.compiler_variables))
    parts.push_back(std::move(row));
  return content_key(parts);
}

// An entry is a line of JSON and the image.
std::optional<CompiledText> ImageStore::find(const std::string& text,
                                             const std::string& architecture) const {
  if (content_.empty()) return std::nullopt;
  const std::string key = key_of(text, architecture);
  const fs::path file = file_of(key);
  if (file.empty()) return std::nullopt;
  const std::optional<std::string> entry = read_entry(file, key);
  if (!entry) return std::nullopt;
  const std::size_t line = entry->find('\n');
  const json about = json::parse(entry->substr(0, line), nullptr, false);
  if (line == entry->npos || !about.is_object() || !about.contains("log")) return std::nullopt;
  return CompiledText{.log = about.at("log"), .image = entry->substr(line + 1)};
}

void ImageStore::keep(const std::string& text, const std::string& architecture,
                      const CompiledText& made) const {
  if (content_.empty()) return;
  const std::string key = key_of(text, architecture);
  const fs::path file = file_of(key);
  if (file.empty()) return;
  const std::string line =
      json{{"log", made.log}}.dump(-1, ' ', false, json::error_handler_t::replace);
  keep_entry(file, key, line + '\n' + made.image);
}

}  // namespace halfmark::backends::shim
