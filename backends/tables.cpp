// SPDX-License-Identifier: Apache-2.0
#include "backends/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <vector>

#include "backends/backend.hpp"
#include "backends/described.hpp"
#include "backends/environment_fault.hpp"
#include "backends/foreign_text.hpp"
#include "backends/plugin.hpp"
#include "backends/registry.hpp"
#include "reference/text/utf8.hpp"

namespace halfmark::backends {
namespace {

// More devices than any machine has, which indicates an uninitialised number.
constexpr std::uint32_t kMostDevices = 4096;

// Guarded because tests and drivers may enumerate from several threads.
struct Tables {
  std::mutex mutex;
  std::vector<const HmBackendApi*> apis;
  std::vector<LoadedPlugin> plugins;
};

Tables& tables() {
  static Tables all;
  static std::once_flag filled;
  std::call_once(filled, [] {
    for (const ApiFunction function : built_in_backends()) all.apis.push_back(function());
  });
  return all;
}

const HmBackendApi* find_in(const std::vector<const HmBackendApi*>& apis, std::string_view name) {
  const auto found =
      std::find_if(apis.begin(), apis.end(), [&](const auto* api) { return name == api->name; });
  return found == apis.end() ? nullptr : *found;
}

// The entry of the file, which is loaded only once.
const LoadedPlugin& add_plugin(Tables& all, const std::filesystem::path& file) {
  std::error_code ignored;
  const std::filesystem::path canonical = std::filesystem::weakly_canonical(file, ignored);
  const std::string name = (canonical.empty() ? file : canonical).string();
  for (const LoadedPlugin& known : all.plugins) {
    if (known.file == name) return known;
  }
  LoadedPlugin plugin = open_plugin(name);
  if (plugin.api != nullptr && find_in(all.apis, plugin.api->name) != nullptr) {
    plugin.refusal =
        refusal_line(name, fmt::format("there is a backend named '{}' already", plugin.api->name));
    plugin.api = nullptr;
  }
  if (plugin.api != nullptr) all.apis.push_back(plugin.api);
  return all.plugins.emplace_back(std::move(plugin));
}

std::string status_text(const HmBackendApi& api) {
  const char* text = called("status", [&] { return api.status(api.context); });
  if (text == nullptr || *text == '\0') throw BackendError("status", 0, "gives no text");
  const std::string fault = text::utf8_fault(text);
  if (!fault.empty()) throw BackendError("status", 0, "the text is not UTF-8: " + fault);
  return one_line(text);
}

DeviceInfo describe(const HmBackendApi& api, std::uint32_t index) {
  const char* json = nullptr;
  checked(api, "describe", [&] { return api.describe(api.context, index, &json); });
  if (json == nullptr) throw BackendError("describe", 0, "gives no text");
  return described_device(api.name, index, json);
}

bool has_selector(const BackendStatus& status, const std::string& selector) {
  return std::any_of(status.devices.begin(), status.devices.end(),
                     [&](const DeviceInfo& info) { return info.selector == selector; });
}

// A device with an invalid description is dropped; the others remain.
void list_device(const HmBackendApi& api, std::uint32_t index, BackendStatus& result) {
  std::string reason;
  try {
    DeviceInfo info = describe(api, index);
    if (!has_selector(result, info.selector)) {
      result.devices.push_back(std::move(info));
      return;
    }
    reason = fmt::format("its selector '{}' names another device already", info.selector);
  } catch (const BackendError& error) {
    reason = error.what();
  }
  result.broken = true;
  if (result.status == "ok") result.status.clear();
  result.status = one_line(fmt::format("{}{}device {} left out: {}", result.status,
                                       result.status.empty() ? "" : "; ", index, reason));
}

void list_devices(const HmBackendApi& api, BackendStatus& result) {
  const auto count = [&] {
    return called("device_count", [&] { return api.device_count(api.context); });
  };
  const std::uint32_t before = count();
  if (before > kMostDevices) {
    throw BackendError("device_count", 0, fmt::format("claims {} devices", before));
  }
  for (std::uint32_t index = 0; index < before; ++index) list_device(api, index, result);
  const std::uint32_t after = count();
  if (after == before) return;
  throw BackendError("device_count", 0,
                     fmt::format("changed from {} to {} while devices were listed", before, after));
}

BackendStatus status_of_table(const HmBackendApi& api) {
  BackendStatus result{api.name, "", {}, false};
  try {
    result.status = status_text(api);
    if (result.status == "ok") list_devices(api, result);
  } catch (const BackendError& error) {
    result = {api.name, one_line(error.what()), {}, true};
  }
  return result;
}

BackendStatus status_of_plugin(const LoadedPlugin& plugin) {
  if (plugin.api != nullptr) return status_of_table(*plugin.api);
  return {plugin.file, plugin.refusal, {}, true};
}

}  // namespace

BackendError last_error_of(const HmBackendApi& api, const char* step) {
  HmErrorInfo error{};
  called("last_error", [&] { api.last_error(api.context, &error); });
  const std::string call = one_line(kept_words(error.call));
  const std::string text = kept_words(error.text);
  return BackendError(call.empty() ? step : call, error.code, text.empty() ? "no text" : text,
                      error.device_lost != 0);
}

void check_status(const HmBackendApi& api, const char* step, std::int32_t status) {
  if (status == 0) return;
  const BackendError error = last_error_of(api, step);
  if (status == HM_ENVIRONMENT) throw EnvironmentFault(one_line(error.vendor_text));
  throw error;
}

const HmBackendApi* find_table(std::string_view backend) {
  Tables& all = tables();
  const std::lock_guard lock(all.mutex);
  return find_in(all.apis, backend);
}

std::vector<std::string> backend_names() {
  Tables& all = tables();
  const std::lock_guard lock(all.mutex);
  std::vector<std::string> names;
  for (const HmBackendApi* api : all.apis) names.emplace_back(api->name);
  return names;
}

BackendStatus status_of(std::string_view backend) {
  const HmBackendApi* api = find_table(backend);
  if (api != nullptr) return status_of_table(*api);
  return {std::string(backend), "there is no backend of this name", {}, true};
}

std::vector<BackendStatus> enumerate() {
  Tables& all = tables();
  const std::lock_guard lock(all.mutex);
  std::vector<BackendStatus> result;
  for (const HmBackendApi* api : all.apis) result.push_back(status_of_table(*api));
  for (const LoadedPlugin& plugin : all.plugins) {
    if (plugin.api == nullptr) result.push_back(status_of_plugin(plugin));
  }
  return result;
}

BackendStatus load_plugin(const std::filesystem::path& file) {
  Tables& all = tables();
  const std::lock_guard lock(all.mutex);
  return status_of_plugin(add_plugin(all, file));
}

}  // namespace halfmark::backends
