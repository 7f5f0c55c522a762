// SPDX-License-Identifier: Apache-2.0
#include "suites/runner/device_identity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <utility>
#include <vector>

#include "backends/cache_entry.hpp"
#include "reference/fast/parallel.hpp"
#include "reference/text/visible.hpp"
#include "suites/runner/content_digest.hpp"

namespace halfmark::suites {
namespace {

using nlohmann::json;

// Compiled kernels and similar files: each process has other ones, with random names.
bool is_kept_for_a_while(const std::filesystem::path& file) {
  return std::ranges::any_of(file, [](const std::filesystem::path& part) {
    return part == "tmp" || part == "cache" || part == ".cache" || part == "dev";
  });
}

}  // namespace

std::set<std::string> code_in(std::istream& maps) {
  std::set<std::string> files;
  for (std::string line; std::getline(maps, line);) {
    const auto permissions = line.find(' ');
    const auto path = line.find('/');
    if (path == std::string::npos || line.compare(permissions + 3, 1, "x") != 0) continue;
    const std::string file = line.substr(path);
    const bool is_gone = file.ends_with(" (deleted)") || file.starts_with("/memfd:");
    if (!is_gone && !is_kept_for_a_while(file)) files.insert(file);
  }
  return files;
}

namespace {

std::set<std::string> code_of(const std::string& process) {
  std::ifstream maps(fmt::format("/proc/{}/maps", process));
  return code_in(maps);
}

// The value without its numbers; objects and lists may become empty.
json words_of(const json& value) {
  if (value.is_number()) return nullptr;
  if (!value.is_structured()) return value;
  json words = value.is_object() ? json::object() : json::array();
  for (const auto& [key, member] : value.items()) {
    if (member.is_number()) continue;
    if (value.is_object())
      words[key] = words_of(member);
    else
      words.push_back(words_of(member));
  }
  return words;
}

// Leaves that only one of the two has, or whose values differ.
using Leaves = std::map<std::string, json>;

Leaves leaves_of(const json& value) {
  Leaves leaves;
  const json flat = value.empty() ? json::object() : value.flatten();
  for (const auto& [pointer, leaf] : flat.items()) leaves.emplace(pointer, leaf);
  return leaves;
}

std::string shown(const Leaves& leaves, const std::string& pointer) {
  constexpr std::size_t kMostShown = 80;
  const auto leaf = leaves.find(pointer);
  if (leaf == leaves.end()) return "nothing";
  return text::visible_line(leaf->second.dump(-1, ' ', false, json::error_handler_t::replace),
                            kMostShown);
}

}  // namespace

json LoadedFiles::of(pid_t worker, const std::string& plugin) {
  const std::set<std::string> own = code_of("self");
  std::set<std::string> files = code_of(std::to_string(worker));
  if (!plugin.empty()) files.insert(plugin);
  std::erase_if(files, [&](const std::string& file) { return own.contains(file); });
  std::vector<std::pair<std::string, Seen*>> unread;
  for (const std::string& file : files) {
    Seen& seen = seen_[file];
    if (const std::string status = backends::file_identity(file);
        status.empty() || seen.status != status) {
      seen.status = status;
      unread.emplace_back(file, &seen);
    }
  }
  // In parallel: a vendor's libraries may be gigabytes in size.
  fast::for_each_part(unread.size(), 0, fast::Direction::kNearEven, [&](std::size_t i) {
    unread[i].second->digest = file_digest(unread[i].first).value_or("cannot be read");
  });
  json digests = json::object();
  for (const std::string& file : files) digests[file] = seen_.at(file).digest;
  return digests;
}

json device_identity(const backends::DeviceInfo& device, const json& loaded_files) {
  json identity = backends::to_json_object(device);
  for (const char* reading : {"index", "memory_bytes", "local_memory_bytes"})
    identity.erase(reading);
  if (const auto extra = identity.find("extra"); extra != identity.end()) {
    extra->erase("telemetry");
    extra->erase(backends::kFaultsBeside);
    *extra = words_of(*extra);
  }
  identity["loaded_files"] = loaded_files;
  return identity;
}

std::string difference(const json& before, const json& now) {
  constexpr std::size_t kMostNamed = 3;
  const Leaves was = leaves_of(before), is = leaves_of(now);
  std::set<std::string> pointers;
  for (const auto& [pointer, leaf] : was) {
    if (const auto other = is.find(pointer); other == is.end() || other->second != leaf)
      pointers.insert(pointer);
  }
  for (const auto& [pointer, leaf] : is) {
    if (!was.contains(pointer)) pointers.insert(pointer);
  }
  std::vector<std::string> named;
  for (const std::string& pointer : pointers) {
    if (named.size() == kMostNamed) break;
    const std::string name =
        text::visible_line(pointer.substr(std::min<std::size_t>(1, pointer.size())));
    named.push_back(fmt::format("{} was {}, is {}", name, shown(was, pointer), shown(is, pointer)));
  }
  if (pointers.size() > named.size())
    named.push_back(fmt::format("{} more differ", pointers.size() - named.size()));
  return fmt::format("{}", fmt::join(named, "; "));
}

}  // namespace halfmark::suites
