// SPDX-License-Identifier: Apache-2.0
#include "backends/plugin.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <exception>
#include <string_view>
#include <utility>

#include "backends/float_environment.hpp"
#include "backends/foreign_text.hpp"
#include "reference/text/visible.hpp"

namespace halfmark::backends {
namespace {

// The last member of the version's first revision, which every table must include.
constexpr std::size_t kLeastBytes =
    offsetof(HmBackendApi, program_launch) + sizeof(HmBackendApi::program_launch);
// A table has some twenty pointers; anything larger than this is not a plausible size.
constexpr std::size_t kMostBytes = 65536;
constexpr std::size_t kMostNameLetters = 31;

std::string missing_function(const HmBackendApi& api) {
#define HM_ROW(member) std::pair(#member, reinterpret_cast<void (*)()>(api.member))
  const auto rows =
      std::to_array({HM_ROW(status), HM_ROW(device_count), HM_ROW(describe), HM_ROW(device_open),
                     HM_ROW(last_error), HM_ROW(device_describe), HM_ROW(device_close),
                     HM_ROW(buffer_create), HM_ROW(buffer_destroy), HM_ROW(buffer_write),
                     HM_ROW(buffer_read), HM_ROW(program_build), HM_ROW(program_destroy),
                     HM_ROW(program_log), HM_ROW(program_image), HM_ROW(program_launch)});
#undef HM_ROW
  const auto missing =
      std::find_if(rows.begin(), rows.end(), [](const auto& row) { return row.second == nullptr; });
  return missing == rows.end() ? "" : missing->first;
}

std::string objection_to_name(const char* text) {
  if (text == nullptr || *text == '\0') return "gives no name";
  const std::string_view name(text, strnlen(text, kMostNameLetters + 1));
  const bool good = std::all_of(name.begin(), name.end(), [](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9') || letter == '_';
  });
  if (good && name.size() <= kMostNameLetters && name != "all") return "";
  return fmt::format(
      "its name '{}' is not made of at most {} lower-case letters, digits and '_', or is 'all'",
      one_line(name), kMostNameLetters);
}

// Why the table must be refused; empty when it may be used. Reads only the members that the checks
// so far permit.
std::string objection(const HmBackendApi* api) {
  if (api == nullptr) return "returns no table";
  if (api->abi_version != HM_BACKEND_ABI_VERSION) {
    return fmt::format("speaks version {} of the backend interface, this program speaks {}",
                       api->abi_version, HM_BACKEND_ABI_VERSION);
  }
  if (api->struct_bytes < kLeastBytes) {
    return fmt::format("its table has {} bytes, {} are needed", api->struct_bytes, kLeastBytes);
  }
  if (api->struct_bytes > kMostBytes) {
    return fmt::format("its table claims {} bytes, which is no size of a table", api->struct_bytes);
  }
  std::string name_objection = objection_to_name(api->name);
  if (!name_objection.empty()) return name_objection;
  const std::string missing = missing_function(*api);
  return missing.empty() ? "" : fmt::format("its table lacks the function '{}'", missing);
}

// Returns the text of an exception that the entry point throws, which it must not.
std::string call_entry(HmBackendEntryPoint entry, const HmBackendApi*& api) {
  try {
    api = entry();
    return "";
  } catch (const std::exception& error) {
    return fmt::format("{} threw an exception: {}", HM_BACKEND_ENTRY_POINT, error.what());
  } catch (...) {
    return fmt::format("{} threw an exception", HM_BACKEND_ENTRY_POINT);
  }
}

}  // namespace

std::string refusal_line(const std::string& file, const std::string& reason) {
  return one_line(fmt::format("plug-in {} refused: {}", text::visible_line(file), reason));
}

LoadedPlugin open_plugin(const std::filesystem::path& file) {
  const auto refused = [&](const std::string& reason) {
    return LoadedPlugin{file.string(), nullptr, refusal_line(file.string(), reason)};
  };
  std::error_code unknown;
  const auto kind = std::filesystem::status(file, unknown).type();
  if (kind != std::filesystem::file_type::regular && kind != std::filesystem::file_type::not_found)
    return refused("it is no file");         // opening a pipe would block until it has a writer
  const DriverEnvironmentScope environment;  // which the constructors of a library may change
  // For a bare name, dlopen would search the system's folders.
  void* library = dlopen(std::filesystem::absolute(file).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    // The message begins with the file name, which the refusal line names already.
    std::string_view words = dlerror();
    const std::string itself = std::filesystem::absolute(file).string() + ": ";
    if (words.starts_with(itself)) words.remove_prefix(itself.size());
    return refused(std::string(words));
  }
  const auto entry = reinterpret_cast<HmBackendEntryPoint>(dlsym(library, HM_BACKEND_ENTRY_POINT));
  if (entry == nullptr) return refused(fmt::format("does not export {}", HM_BACKEND_ENTRY_POINT));
  const HmBackendApi* api = nullptr;
  const std::string thrown = call_entry(entry, api);
  if (!thrown.empty()) return refused(thrown);
  const std::string reason = objection(api);
  if (!reason.empty()) return refused(reason);
  return {file.string(), api, ""};
}

std::vector<std::filesystem::path> plugins_on_path(const char* search_path) {
  std::vector<std::filesystem::path> files;
  std::string_view rest = search_path == nullptr ? "" : search_path;
  while (!rest.empty()) {
    const std::size_t colon = std::min(rest.find(':'), rest.size());
    const std::filesystem::path part(rest.substr(0, colon));
    rest.remove_prefix(std::min(colon + 1, rest.size()));
    if (part.empty()) continue;
    std::error_code ignored;
    if (!std::filesystem::is_directory(part, ignored)) {
      files.push_back(part);  // dlopen will report what is wrong with it
      continue;
    }
    std::vector<std::filesystem::path> found;
    for (const auto& entry : std::filesystem::directory_iterator(part, ignored)) {
      if (entry.path().extension() == ".so") found.push_back(entry.path());
    }
    std::sort(found.begin(), found.end());
    files.insert(files.end(), found.begin(), found.end());
  }
  return files;
}

}  // namespace halfmark::backends
