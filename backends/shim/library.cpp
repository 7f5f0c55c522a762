// SPDX-License-Identifier: Apache-2.0
#include "backends/shim/library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <glob.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace halfmark::backends::shim {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> matches(const std::string& pattern) {
  glob_t found{};
  std::vector<std::string> paths;
  if (::glob(pattern.c_str(), 0, nullptr, &found) == 0) {
    paths.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  }
  ::globfree(&found);
  return paths;
}

// Toolkits keep libraries for linking in folders of this name. Such a driver answers no call, and
// once it is loaded the loader returns it to every later request for the real one.
bool is_stub(const std::string& path) { return path.find("/stubs/") != path.npos; }

// The processor that a file's machine code targets (e_machine of ELF); nothing for other files.
std::optional<ElfW(Half)> machine_of(const std::string& path) {
  std::array<char, sizeof(ElfW(Ehdr))> bytes{};
  if (!std::ifstream(path, std::ios::binary).read(bytes.data(), bytes.size())) return std::nullopt;
  ElfW(Ehdr) header;
  std::memcpy(&header, bytes.data(), sizeof header);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return std::nullopt;
  return header.e_machine;
}

// The loader skips a file for another processor, then reports that the file does not exist.
std::string reason_of_loader(const std::string& name, const char* words) {
  const auto file = machine_of(name);
  const auto own = machine_of("/proc/self/exe");
  if (!file || !own || *file == *own) return words;
  return fmt::format("{} is made for another processor (ELF machine {}, here {})", name, *file,
                     *own);
}

// Escapes wildcards: a name that the user gave is not a pattern.
std::string literal(std::string_view name) {
  std::string text;
  for (const char c : name) {
    if (std::string_view("*?[\\").find(c) != std::string_view::npos) text += '\\';
    text += c;
  }
  return text;
}

// The prefixes of every python3 on PATH: of its folder, and of the file that it links to. Nothing
// is run for it.
std::vector<std::string> python_prefixes() {
  const char* path = std::getenv("PATH");
  std::string_view left = path == nullptr ? "" : path;
  std::vector<std::string> prefixes;
  const auto add = [&](const fs::path& program) {
    std::string prefix = program.parent_path().parent_path();
    if (std::ranges::find(prefixes, prefix) == prefixes.end()) prefixes.push_back(prefix);
  };
  while (!left.empty()) {
    const std::size_t end = std::min(left.find(':'), left.size());
    const fs::path program = fs::path(left.substr(0, end)) / "python3";
    left.remove_prefix(std::min(end + 1, left.size()));
    std::error_code unknown;
    if (!program.is_absolute() || !fs::exists(program, unknown)) continue;
    add(program);
    add(fs::canonical(program, unknown));
  }
  return prefixes;
}

// The values of the variable at the start of a folder name.
std::vector<std::string> values_of(const std::string& variable) {
  if (variable == "PYTHON3") return python_prefixes();
  const char* value = std::getenv(variable.c_str());
  if (value == nullptr || *value == '\0') return {};
  return {value};
}

// Every value of the variable at the start of a folder name, with the rest of the name.
std::vector<std::pair<std::string, std::string>> parts_of(std::string_view folder) {
  if (!folder.starts_with('$')) return {{"", std::string(folder)}};
  const std::size_t end = std::min(folder.find('/'), folder.size());
  std::vector<std::pair<std::string, std::string>> parts;
  for (std::string& value : values_of(std::string(folder.substr(1, end - 1))))
    parts.emplace_back(std::move(value), folder.substr(end));
  return parts;
}

// The loader satisfies a later request for a companion's bare name from what is loaded. One that
// opens is enough: the others may be of another version, left behind.
void open_companions(const std::string& name, std::span<const char* const> companions) {
  bool has_one = false;
  std::string reason;
  for (const std::string& file : companions_of(name, companions)) {
    if (dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL) != nullptr) {
      has_one = true;
    } else {
      const char* words = dlerror();
      reason = reason_of_loader(file, words);
    }
  }
  if (!has_one && !reason.empty()) throw BackendError("dlopen", 0, reason);
}

const char* value_of(const Library& library) {
  const char* value = std::getenv(library.variable);
  return value == nullptr || *value == '\0' ? nullptr : value;
}

}  // namespace

std::string named_place(const Library& library) {
  const char* value = value_of(library);
  return value == nullptr ? "" : fmt::format("{}={}", library.variable, value);
}

std::string expanded(std::string_view folder) {
  const auto parts = parts_of(folder);
  return parts.empty() ? "" : parts.front().first + parts.front().second;
}

std::vector<std::string> companions_of(const std::string& path,
                                       std::span<const char* const> companions) {
  std::vector<std::string> files;
  if (path.find('/') == path.npos) return files;
  std::error_code unknown;
  for (const fs::path& file : {fs::path(path), fs::weakly_canonical(path, unknown)}) {
    for (const char* companion : companions) {
      for (std::string& found : matches(literal(file.parent_path().string()) + "/" + companion)) {
        if (std::ranges::find(files, found) == files.end()) files.push_back(std::move(found));
      }
    }
  }
  return files;
}

std::vector<std::string> candidates(const Library& library) {
  const char* chosen = value_of(library);
  std::error_code unreadable;
  if (chosen != nullptr && !fs::is_directory(chosen, unreadable)) return {chosen};
  std::vector<std::string> folders;
  if (chosen != nullptr) {
    folders.push_back(literal(chosen));
  } else {
    for (const char* folder : library.folders) {
      for (const auto& [value, rest] : parts_of(folder)) folders.push_back(literal(value) + rest);
    }
  }
  std::vector<std::string> names;
  for (const char* name : library.names) {
    if (chosen == nullptr) names.emplace_back(name);
    for (const std::string& folder : folders) {
      if (folder.empty()) continue;
      for (std::string& path : matches(folder + "/" + name)) names.push_back(std::move(path));
    }
  }
  return names;
}

void OpenLibrary::Close::operator()(void* handle) const { dlclose(handle); }

OpenLibrary OpenLibrary::open(const std::string& name, std::span<const char* const> companions) {
  if (is_stub(name)) {
    throw BackendError("dlopen", 0, fmt::format("{} is a stub, made for linking only", name));
  }
  open_companions(name, companions);
  OpenLibrary library;
  library.handle_.reset(dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL));
  if (library) return library;
  const char* reason = dlerror();
  // A bare name that the loader cannot find is not an error; an existing file that does not
  // load is.
  if (name.find('/') == name.npos &&
      std::string_view(reason).find("cannot open shared object") != std::string_view::npos &&
      std::string_view(reason).starts_with(name)) {
    return library;
  }
  throw BackendError("dlopen", 0, reason_of_loader(name, reason));
}

std::string OpenLibrary::path() const {
  const link_map* map = nullptr;
  if (dlinfo(handle_.get(), RTLD_DI_LINKMAP, &map) != 0) return {};
  return map->l_name;
}

void* OpenLibrary::find(const char* symbol) const { return dlsym(handle_.get(), symbol); }

void OpenLibrary::bind(std::span<const Symbol> symbols, void* calls) const {
  std::set<std::size_t> filled;
  for (const Symbol& symbol : symbols) {
    void* address = filled.contains(symbol.slot) ? nullptr : find(symbol.name);
    if (address == nullptr) continue;
    std::memcpy(static_cast<std::byte*>(calls) + symbol.slot, &address, sizeof address);
    filled.insert(symbol.slot);
  }
  for (const Symbol& symbol : symbols) {
    if (!symbol.required || filled.contains(symbol.slot)) continue;
    throw BackendError(
        "dlsym", 0,
        fmt::format("{} lacks {}; it is too old, too new or not complete", path(), symbol.name));
  }
}

}  // namespace halfmark::backends::shim
