// SPDX-License-Identifier: Apache-2.0
#include "backends/shim/trial_records.hpp"

#include <link.h>

#include <cstdlib>
#include <iterator>
#include <string_view>
#include <utility>

#include "backends/cache_entry.hpp"
#include "backends/shim/environment_rows.hpp"

namespace halfmark::backends::shim {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// Variables that the loader reads, and those of Halfmark's own libraries, stand-ins included.
constexpr const char* kVariables[] = {"LD_", "HALFMARK_"};

void add_environment(std::vector<std::string>& parts, std::span<const char* const> variables) {
  std::vector<const char*> beginnings(std::begin(kVariables), std::end(kVariables));
  beginnings.insert(beginnings.end(), variables.begin(), variables.end());
  const std::vector<std::string> rows = environment_rows(beginnings);
  parts.insert(parts.end(), rows.begin(), rows.end());
}

// A bare name refers to the file in the loader's cache or in a folder of LD_LIBRARY_PATH.
void add_identity(std::vector<std::string>& parts, const std::string& name) {
  parts.push_back(name);
  if (name.find('/') != name.npos) {
    parts.push_back(file_identity(name));
    return;
  }
  const char* path = std::getenv("LD_LIBRARY_PATH");
  std::string_view left = path == nullptr ? "" : path;
  while (!left.empty()) {
    const std::size_t end = std::min(left.find(':'), left.size());
    parts.push_back(file_identity(fs::path(left.substr(0, end)) / name));
    left.remove_prefix(std::min(end + 1, left.size()));
  }
}

int add_file(dl_phdr_info* info, std::size_t, void* names) {
  const std::string_view name = info->dlpi_name == nullptr ? "" : info->dlpi_name;
  if (name.starts_with('/')) static_cast<std::vector<std::string>*>(names)->emplace_back(name);
  return 0;
}

}  // namespace

std::vector<std::string> loaded_files() {
  std::vector<std::string> names;
  dl_iterate_phdr(&add_file, &names);
  return names;
}

std::string trial_key(std::span<const std::string> parts, const Library& library,
                      std::span<const char* const> variables) {
  std::vector<std::string> all(parts.begin(), parts.end());
  all.push_back(file_identity("/proc/self/exe"));
  all.push_back(file_identity("/etc/ld.so.cache"));
  for (const std::string& name : candidates(library)) add_identity(all, name);
  add_environment(all, variables);
  return content_key(all);
}

TrialRecord::TrialRecord(const fs::path& folder, std::string key)
    : key_(std::move(key)), file_(folder.empty() ? fs::path() : folder / (key_ + ".json")) {}

std::optional<json> TrialRecord::outcome() const {
  if (file_.empty()) return std::nullopt;
  const json record = json::parse(read_entry(file_, key_).value_or(""), nullptr, false);
  if (!record.is_object() || !record.contains("outcome") || !record.contains("files"))
    return std::nullopt;
  for (const auto& [file, identity] : record["files"].items()) {
    if (identity != file_identity(file)) return std::nullopt;
  }
  return record["outcome"];
}

bool TrialRecord::keep(const json& outcome, const std::vector<std::string>& files) const {
  if (file_.empty()) return false;
  json identities = json::object();
  for (const std::string& file : files) identities[file] = file_identity(file);
  return keep_entry(file_, key_,
                    json{{"outcome", outcome}, {"files", identities}}.dump(
                        -1, ' ', false, json::error_handler_t::replace));
}

}  // namespace halfmark::backends::shim
