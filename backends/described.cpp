// SPDX-License-Identifier: Apache-2.0
#include "backends/described.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <set>
#include <span>

#include "backends/foreign_text.hpp"
#include "reference/text/json.hpp"
#include "reference/text/utf8.hpp"

namespace halfmark::backends {
namespace {

using nlohmann::json;

enum class Type { kText, kNumber, kBoolean, kList, kObject };

struct Key {
  std::string_view name;
  Type type;
  bool needed = false;
  std::uint64_t least = 0;
  std::uint64_t most = 0;
};

constexpr std::uint64_t kMost32 = std::numeric_limits<std::uint32_t>::max();
// More than any machine has; a negative number converted to unsigned exceeds it.
constexpr std::uint64_t kMostMemory = std::uint64_t{1} << 50;

// Far more than a device needs; larger descriptions overwhelm readers of JSON and of reports.
constexpr std::size_t kMostBytes = std::size_t{1} << 20;
constexpr std::size_t kMostDepth = 64;
constexpr std::size_t kMostSelector = 63;  // it also names a results folder

constexpr auto kDeviceKeys = std::to_array<Key>({
    {"selector", Type::kText},
    {"alias", Type::kText},
    {"backend", Type::kText},
    {"name", Type::kText, true},
    {"platform", Type::kText},
    {"vendor", Type::kText},
    {"driver_version", Type::kText},
    {"api_version", Type::kText},
    {"plugin", Type::kText},
    {"index", Type::kNumber, false, 0, kMost32},
    {"kind", Type::kText, true},
    {"memory_bytes", Type::kNumber, true, 1, kMostMemory},
    {"local_memory_bytes", Type::kNumber, false, 0, kMostMemory},
    {"max_group_items", Type::kNumber, true, 1, kMost32},
    {"compute_units", Type::kNumber, false, 0, kMost32},
    {"promises", Type::kList},
    {"libraries", Type::kList},
    {"packs", Type::kObject},
    {"extra", Type::kObject},
});

constexpr auto kPromiseKeys = std::to_array<Key>({
    {"capability", Type::kText, true},
    {"offered", Type::kBoolean, true},
    {"evidence", Type::kText, true},
    {"clause", Type::kText, true},
});

constexpr auto kLibraryKeys = std::to_array<Key>({
    {"name", Type::kText, true},
    {"version", Type::kText},
    {"kind", Type::kText, true},
    {"operators", Type::kList, true},
    {"usable", Type::kBoolean, true},
    {"evidence", Type::kText, true},
    {"promises", Type::kList},
});

constexpr auto kKinds = std::to_array<std::string_view>(
    {"gpu", "accelerator", "cpu", "software", "simulator", "stand-in"});

[[noreturn]] void refuse(const std::string& what) { throw BackendError("describe", 0, what); }

bool has_type(const json& value, Type type) {
  switch (type) {
    case Type::kText:
      return value.is_string();
    case Type::kNumber:
      return value.is_number_unsigned();
    case Type::kBoolean:
      return value.is_boolean();
    case Type::kList:
      return value.is_array();
    case Type::kObject:
      return value.is_object();
  }
  return false;
}

std::string_view words_for(Type type) {
  switch (type) {
    case Type::kText:
      return "text";
    case Type::kNumber:
      return "a whole number that is not negative";
    case Type::kBoolean:
      return "true or false";
    case Type::kList:
      return "a list";
    case Type::kObject:
      return "an object";
  }
  return "";
}

void check_key(const json& object, const Key& key, const std::string& where) {
  const auto found = object.find(key.name);
  if (found == object.end()) {
    if (key.needed) refuse(fmt::format("{} lacks '{}'", where, key.name));
    return;
  }
  if (!has_type(*found, key.type)) {
    refuse(fmt::format("'{}' of {} must be {}", key.name, where, words_for(key.type)));
  }
  if (key.needed && key.type == Type::kText && found->get_ref<const std::string&>().empty()) {
    refuse(fmt::format("'{}' of {} is empty", key.name, where));
  }
  if (key.type != Type::kNumber) return;
  const auto number = found->get<std::uint64_t>();
  if (number < key.least || number > key.most) {
    refuse(fmt::format("'{}' of {} is {}, which lies outside {} to {}", key.name, where, number,
                       key.least, key.most));
  }
}

// Other components refer to it by this name, so it is refused rather than sanitised.
void check_name(const json& name, const std::string& where) {
  if (const auto& text = name.get_ref<const std::string&>(); one_line(text) != text) {
    refuse(fmt::format("{} has a name that is no single line", one_line(where)));
  }
}

// The rows of a list: an object each, with these keys, and no two with the same name, which is
// under the first key.
template <typename Check>
void check_rows(const json& owner, const char* list, const std::string& kind,
                std::span<const Key> keys, const Check& check) {
  const std::string name(keys.front().name);
  std::set<std::string> seen;
  for (const json& row : owner.value(list, json::array())) {
    if (!row.is_object()) refuse(fmt::format("a {} must be an object", kind));
    const std::string where = kind + " " + (row.contains(name) ? row[name].dump() : "");
    for (const Key& key : keys) check_key(row, key, where);
    check_name(row.at(name), where);
    check(row, where);
    if (!seen.insert(row.at(name)).second) refuse(fmt::format("{} twice", where));
  }
}

void check_promises(const json& owner, const std::string& kind) {
  check_rows(owner, "promises", kind, kPromiseKeys, [](const json&, const std::string&) {});
}

void check_library(const json& row, const std::string& where) {
  if (row.at("kind") != "library" && row.at("kind") != "unit") {
    refuse(fmt::format("kind '{}' of {} is neither library nor unit",
                       one_line(row.at("kind").get_ref<const std::string&>()), where));
  }
  const json& operators = row.at("operators");
  const bool texts = std::all_of(operators.begin(), operators.end(),
                                 [](const json& name) { return name.is_string(); });
  if (!texts) refuse(fmt::format("'operators' of {} must be a list of strings", where));
  for (const json& name : operators) check_name(name, fmt::format("an operator of {}", where));
  check_promises(row, fmt::format("promise of {}", where));
}

void check_packs(const json& packs) {
  constexpr std::uint64_t kMostWidth = 32;
  for (const auto& [kind, widths] : packs.items()) {
    const bool good =
        widths.is_array() && std::all_of(widths.begin(), widths.end(), [](const json& width) {
          return width.is_number_unsigned() && width.get<std::uint64_t>() >= 1 &&
                 width.get<std::uint64_t>() <= kMostWidth;
        });
    if (!good)
      refuse(fmt::format("'packs' of '{}' must be a list of widths from 1 to {}", one_line(kind),
                         kMostWidth));
  }
}

// Selectors appear on command lines and in file names.
bool is_selector(std::string_view text, const std::string& backend) {
  const std::string_view rest = text.substr(std::min(text.size(), backend.size() + 1));
  return text == backend ||
         (!rest.empty() && rest.size() <= kMostSelector &&
          std::all_of(rest.begin(), rest.end(), [](char letter) {
            return (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'z') ||
                   (letter >= 'A' && letter <= 'Z') || std::strchr("._-", letter) != nullptr;
          }));
}

// With a selector of another backend, a device could pass for one that is not its own.
void check_selector(const std::string& backend, const DeviceInfo& info) {
  for (const std::string* text : {&info.selector, &info.alias}) {
    if (text->empty()) continue;
    const std::string shown = one_line(*text);
    if (*text != backend && !text->starts_with(backend + ":")) {
      refuse(fmt::format("selector '{}' does not begin with '{}:'", shown, backend));
    }
    if (!is_selector(*text, backend)) {
      refuse(
          fmt::format("selector '{}' must continue with 1 to {} letters, digits, '.', '_' and '-'",
                      shown, kMostSelector));
    }
  }
}

// Sanitises the texts that people read and no code compares.
void make_printable(DeviceInfo& info) {
  for (std::string* text :
       {&info.name, &info.platform, &info.vendor, &info.driver_version, &info.api_version}) {
    *text = one_line(*text);
  }
  const auto make_lines = [](std::vector<Promise>& promises) {
    for (Promise& row : promises) {
      row.evidence = one_line(row.evidence);
      row.clause = one_line(row.clause);
    }
  };
  make_lines(info.promises);
  for (Library& row : info.libraries) {
    row.version = one_line(row.version);
    row.evidence = one_line(row.evidence);
    make_lines(row.promises);
  }
}

json parsed(std::string_view description) {
  if (description.size() > kMostBytes) {
    refuse(
        fmt::format("the description has {} bytes, more than {}", description.size(), kMostBytes));
  }
  const std::string fault = text::utf8_fault(description);
  if (!fault.empty()) refuse(fmt::format("the description is not UTF-8: {}", fault));
  try {
    json object = text::read_json(description, {.bytes = kMostBytes, .depth = kMostDepth});
    if (object.is_object()) return object;
  } catch (const text::JsonError& error) {
    refuse(fmt::format("the description cannot be read: {}", error.what()));
  }
  refuse("the description is not a JSON object");
}

}  // namespace

DeviceInfo described_device(const std::string& backend, std::uint32_t index,
                            std::string_view text) {
  const json object = parsed(text);
  for (const Key& key : kDeviceKeys) check_key(object, key, "the description");
  check_promises(object, "promise");
  check_rows(object, "libraries", "library", kLibraryKeys, check_library);
  check_packs(object.value("packs", json::object()));
  DeviceInfo info = device_info_from_json(object);
  if (std::find(kKinds.begin(), kKinds.end(), info.kind) == kKinds.end()) {
    refuse(
        fmt::format("kind '{}' is not one of gpu, accelerator, cpu, software, simulator, stand-in",
                    one_line(info.kind)));
  }
  check_selector(backend, info);
  make_printable(info);
  if (info.name.empty()) refuse("'name' of the description is empty");
  info.backend = backend;
  info.plugin.clear();
  if (info.selector.empty()) info.selector = fmt::format("{}:{}", backend, index);
  info.index = index;
  return info;
}

}  // namespace halfmark::backends
