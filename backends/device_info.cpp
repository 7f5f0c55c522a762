// SPDX-License-Identifier: Apache-2.0
#include "backends/device_info.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace halfmark::backends {

namespace {

const Promise* find(const std::vector<Promise>& promises, std::string_view capability) {
  const auto found = std::find_if(promises.begin(), promises.end(),
                                  [&](const Promise& row) { return row.capability == capability; });
  return found == promises.end() ? nullptr : &*found;
}

}  // namespace

std::vector<Promise> left_open(const std::string& library, const std::string& documents,
                               Of operators) {
  const auto silent_about = [&](const char* capability, const char* subject) {
    return Promise{
        .capability = capability,
        .offered = false,
        .evidence = "no document of " + library + " is known to say",
        .clause = fmt::format("{}: nothing is known to be said of {}", documents, subject)};
  };
  std::vector<Promise> all{silent_about("fp32.subnormals", "subnormal numbers"),
                           silent_about("fp32.signed_zero", "the signs of zeros")};
  if (operators != Of::kFunctions)
    all.push_back(silent_about("products.internal_precision", "the precision between its steps"));
  if (operators != Of::kProducts) {
    all.push_back(silent_about("operators.nan", "a NaN in ReLU, a maximum or an exponential"));
    all.push_back(silent_about("operators.masked_rows", "a row of -inf in softmax"));
    all.push_back(silent_about("operators.accuracy", "the digits of a function's results"));
  }
  return all;
}

const Promise* DeviceInfo::promise(std::string_view capability) const {
  return find(promises, capability);
}

const Promise* DeviceInfo::promise_of(const Library* library, std::string_view capability) const {
  const Promise* own = library == nullptr ? nullptr : find(library->promises, capability);
  return own == nullptr ? promise(capability) : own;
}

bool DeviceInfo::offers(std::string_view capability) const {
  const Promise* row = promise(capability);
  return row != nullptr && row->offered;
}

bool DeviceInfo::has_packs(std::string_view pack_kind, int width) const {
  return std::any_of(packs.begin(), packs.end(), [&](const Packs& row) {
    return row.kind == pack_kind &&
           std::find(row.widths.begin(), row.widths.end(), width) != row.widths.end();
  });
}

const Library* DeviceInfo::library(std::string_view kind_wanted, std::string_view operator_name,
                                   std::size_t rank) const {
  for (const Library& row : libraries) {
    const bool has_it =
        std::find(row.operators.begin(), row.operators.end(), operator_name) != row.operators.end();
    if (!row.usable || row.kind != kind_wanted || !has_it) continue;
    if (rank-- == 0) return &row;
  }
  return nullptr;
}

namespace {

nlohmann::json to_json_list(const std::vector<Promise>& promises) {
  nlohmann::json list = nlohmann::json::array();
  for (const Promise& row : promises) {
    list.push_back({{"capability", row.capability},
                    {"offered", row.offered},
                    {"evidence", row.evidence},
                    {"clause", row.clause}});
  }
  return list;
}

std::vector<Promise> promises_from_json(const nlohmann::json& object) {
  std::vector<Promise> promises;
  for (const nlohmann::json& row : object.value("promises", nlohmann::json::array())) {
    promises.push_back({.capability = row.value("capability", std::string()),
                        .offered = row.value("offered", false),
                        .evidence = row.value("evidence", std::string()),
                        .clause = row.value("clause", std::string())});
  }
  return promises;
}

nlohmann::json to_json_list(const std::vector<Library>& libraries) {
  nlohmann::json list = nlohmann::json::array();
  for (const Library& row : libraries) {
    list.push_back({{"name", row.name},
                    {"version", row.version},
                    {"kind", row.kind},
                    {"operators", row.operators},
                    {"usable", row.usable},
                    {"evidence", row.evidence}});
    if (!row.promises.empty()) list.back()["promises"] = to_json_list(row.promises);
  }
  return list;
}

std::vector<Library> libraries_from_json(const nlohmann::json& list) {
  std::vector<Library> libraries;
  for (const nlohmann::json& row : list) {
    libraries.push_back({.name = row.value("name", std::string()),
                         .version = row.value("version", std::string()),
                         .kind = row.value("kind", std::string()),
                         .operators = row.value("operators", std::vector<std::string>()),
                         .usable = row.value("usable", false),
                         .evidence = row.value("evidence", std::string()),
                         .promises = promises_from_json(row)});
  }
  return libraries;
}

}  // namespace

nlohmann::json to_json_object(const DeviceInfo& info) {
  nlohmann::json object = {{"selector", info.selector},
                           {"alias", info.alias},
                           {"backend", info.backend},
                           {"name", info.name},
                           {"platform", info.platform},
                           {"vendor", info.vendor},
                           {"driver_version", info.driver_version},
                           {"api_version", info.api_version},
                           {"index", info.index},
                           {"kind", info.kind},
                           {"memory_bytes", info.memory_bytes},
                           {"local_memory_bytes", info.local_memory_bytes},
                           {"max_group_items", info.max_group_items},
                           {"compute_units", info.compute_units},
                           {"promises", to_json_list(info.promises)},
                           {"extra", info.extra}};
  if (!info.plugin.empty()) object["plugin"] = info.plugin;
  for (const Packs& row : info.packs) object["packs"][row.kind] = row.widths;
  if (!info.libraries.empty()) object["libraries"] = to_json_list(info.libraries);
  return object;
}

// Every key may be missing, so that a plug-in written for an earlier list of keys still works.
DeviceInfo device_info_from_json(const nlohmann::json& object) {
  DeviceInfo info{
      .selector = object.value("selector", std::string()),
      .alias = object.value("alias", std::string()),
      .backend = object.value("backend", std::string()),
      .name = object.value("name", std::string()),
      .platform = object.value("platform", std::string()),
      .vendor = object.value("vendor", std::string()),
      .driver_version = object.value("driver_version", std::string()),
      .api_version = object.value("api_version", std::string()),
      .plugin = object.value("plugin", std::string()),
      .index = object.value("index", std::uint32_t{0}),
      .kind = object.value("kind", std::string()),
      .memory_bytes = object.value("memory_bytes", std::uint64_t{0}),
      .local_memory_bytes = object.value("local_memory_bytes", std::uint64_t{0}),
      .max_group_items = object.value("max_group_items", std::uint32_t{0}),
      .compute_units = object.value("compute_units", std::uint32_t{0}),
      .promises = promises_from_json(object),
      .libraries = libraries_from_json(object.value("libraries", nlohmann::json::array())),
      .extra = object.value("extra", nlohmann::json::object())};
  const nlohmann::json packs = object.value("packs", nlohmann::json::object());
  for (const auto& [kind, widths] : packs.items())
    info.packs.push_back({.kind = kind, .widths = widths.get<std::vector<int>>()});
  return info;
}

BackendError::BackendError(std::string call_, int code_, std::string vendor_text_,
                           bool device_lost_)
    : std::runtime_error(fmt::format("{}: {} ({}){}", call_, vendor_text_, code_,
                                     device_lost_ ? ", device lost" : "")),
      call(std::move(call_)),
      code(code_),
      vendor_text(std::move(vendor_text_)),
      device_lost(device_lost_) {}

}  // namespace halfmark::backends
