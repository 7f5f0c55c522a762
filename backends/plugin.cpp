// SPDX-License-Identifier: Apache-2.0
#include "backends/plugin.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace halfmark::backends {
namespace {

// Empty when the table may be used.
std::string objection(const HmBackendApi* api) {
  if (api == nullptr) return "returns no table";
  if (api->abi_version != HM_BACKEND_ABI_VERSION) {
    return fmt::format("speaks version {} of the backend interface, this program speaks {}",
                       api->abi_version, HM_BACKEND_ABI_VERSION);
  }
  if (api->struct_bytes < sizeof(HmBackendApi)) {
    return fmt::format("its table has {} bytes, {} are needed", api->struct_bytes,
                       sizeof(HmBackendApi));
  }
  if (api->name == nullptr || *api->name == '\0') return "gives no name";
  const bool complete = api->status && api->device_count && api->describe && api->device_open &&
                        api->last_error && api->device_describe && api->device_close &&
                        api->buffer_create && api->buffer_destroy && api->buffer_write &&
                        api->buffer_read && api->program_build && api->program_destroy &&
                        api->program_log && api->program_image && api->program_launch;
  return complete ? "" : "its table lacks a function";
}

}  // namespace

LoadedPlugin open_plugin(const std::filesystem::path& file) {
  const auto refused = [&](const std::string& reason) {
    return LoadedPlugin{file.string(), nullptr,
                        fmt::format("plug-in {} refused: {}", file.string(), reason)};
  };
  // A bare name would send dlopen searching the system's folders.
  void* library = dlopen(std::filesystem::absolute(file).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return refused(dlerror());
  const auto entry = reinterpret_cast<HmBackendEntryPoint>(dlsym(library, HM_BACKEND_ENTRY_POINT));
  if (entry == nullptr) return refused(fmt::format("does not export {}", HM_BACKEND_ENTRY_POINT));
  const HmBackendApi* api = entry();
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
      files.push_back(part);  // what is wrong with it, dlopen will say
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
