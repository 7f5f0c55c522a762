// SPDX-License-Identifier: Apache-2.0
#include "backends/shim/runtime.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <future>
#include <optional>
#include <utility>

#include "backends/cache_entry.hpp"
#include "backends/cache_folder.hpp"
#include "backends/host/variable.hpp"
#include "backends/shim/compiler.hpp"
#include "backends/shim/describe.hpp"
#include "backends/shim/image_store.hpp"
#include "backends/shim/library.hpp"
#include "backends/shim/offline_compiler.hpp"
#include "backends/shim/search.hpp"
#include "backends/shim/trial_records.hpp"
#include "backends/shim/vendor_process.hpp"

namespace halfmark::backends::shim {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using std::chrono::seconds;

// The first load of libraries of 500 MB from a cold disk takes half a minute. The three searches of
// a listing together end before it does, so that the reason is reported; a compilation takes
// seconds, not minutes.
constexpr std::uint64_t kSearchSeconds = 55;
constexpr std::uint64_t kMostSearchSeconds = 3600;
constexpr seconds kCompileLimit(300);

seconds search_limit() {
  return seconds(
      host::number_in("HALFMARK_SEARCH_SECONDS", 1, kMostSearchSeconds).value_or(kSearchSeconds));
}

json probe(const Vendor& vendor) {
  try {
    return ask_vendor_process(vendor, {{"op", "probe"}}, search_limit()).reply;
  } catch (const BackendError& error) {
    if (error.call != "probe") throw;
    const std::string place = named_place(vendor.driver);
    throw BackendError(
        "probe", error.code,
        fmt::format("the {} driver{} does not survive its own start: {}; update or reinstall it, "
                    "or name another with {}",
                    vendor.platform, place.empty() ? "" : fmt::format(" ({})", place),
                    error.vendor_text, vendor.driver.variable));
  }
}

// The file that a child was trying when it died.
std::string tried_last(const std::vector<json>& notes) {
  for (auto note = notes.rbegin(); note != notes.rend(); ++note) {
    if (note->contains("trying")) return note->at("trying");
  }
  return "the driver";
}

// The files that were loaded when the last candidate was used. If the process died while opening a
// bare name, the file is unknown; a path is the file itself.
std::vector<std::string> files_of(const std::vector<json>& notes) {
  if (notes.empty()) return {};
  if (notes.back().contains("files")) return notes.back().at("files");
  const std::string name = tried_last(notes);
  return name.find('/') == name.npos ? std::vector<std::string>() : std::vector{name};
}

}  // namespace

Runtime::Runtime(const Vendor& vendor) : vendor_(vendor) {
  const json found = probe(vendor);
  path_ = found.at("path");
  device_count_ = found.at("device_count");
  OpenLibrary library = OpenLibrary::open(path_);
  library.bind(vendor.driver.symbols, &calls_);
  if (const void* name = library.find(kStandInSymbol)) stand_in_ = static_cast<const char*>(name);
  library.keep();
  // Reports why there is no device in the words of the driver, which a child has started.
  const Status status = found.at("status");
  if (status != 0 || device_count_ == 0) {
    throw BackendError(
        "initialise", status,
        fmt::format("{} finds no device ({}): check that one is fitted, that its kernel driver is "
                    "loaded and fits this library, and that this user may open its device node",
                    path_, status == 0 ? "0 devices" : named(status, found.at("status_name"))));
  }
  check("initialise", calls_.initialise(0));
}

int Runtime::version() const {
  int version = 0;
  const auto ask =
      calls_.runtime_version != nullptr ? calls_.runtime_version : calls_.driver_version;
  return ask(&version) == 0 ? version : 0;
}

json Runtime::found_compiler() const {
  int version = 0;
  calls_.driver_version(&version);
  Ordinal device = 0;
  check("device", calls_.device_of(&device, 0));
  json job = {{"op", "compiler"},
              {"driver_major", version / 1000},
              {"architecture", architecture_of(*this, device)},
              {"skipped", json::array()},
              {"reasons", json::array()}};
  const TrialRecord record(own_cache_folder("trials"),
                           trial_key(trial_parts("compiler"), vendor_.compiler, vendor_.variables));
  if (std::optional<json> known = record.outcome()) return *known;
  while (true) {
    try {
      const Answer answer = ask_vendor_process(vendor_, job, search_limit());
      record.keep(answer.reply, files_of(answer.notes));
      return answer.reply;
    } catch (const VendorProcessDied& death) {
      const json name = tried_last(death.notes);
      const auto& skipped = job["skipped"];
      if (death.notes.empty() || std::ranges::find(skipped, name) != skipped.end()) throw;
      job["skipped"].push_back(name);
      job["reasons"].push_back(
          fmt::format("{}: its trial ended with {}", name.get<std::string>(), death.vendor_text));
    }
  }
}

const Compiler& Runtime::compiler() {
  std::call_once(looked_for_compiler_, [this] {
    try {
      const json found = found_compiler();
      const bool is_forwarded = !stand_in_.empty() && stand_in_ != kSoftwareStandIn;
      compiler_ = {.path = found.at("path"),
                   .is_offline = false,
                   .content = is_forwarded ? "" : found.at("content").get<std::string>(),
                   .version = fmt::format("{}.{}", found.at("major").get<int>(),
                                          found.at("minor").get<int>()),
                   .architectures = found.at("architectures")};
    } catch (const BackendError&) {
      const std::string command = find_offline_compiler(vendor_);
      if (command.empty()) throw;
      compiler_ = {
          .path = command, .is_offline = true, .content = {}, .version = "", .architectures = {}};
    }
  });
  return compiler_;
}

// The driver and the first device, on which every library is tried.
std::vector<std::string> Runtime::trial_parts(const char* what) const {
  Ordinal device = 0;
  std::array<char, 256> name{};
  std::array<char, 64> bus{};
  int driver_version = 0;
  calls_.driver_version(&driver_version);
  if (calls_.device_of(&device, 0) == 0) {
    calls_.device_name(name.data(), static_cast<int>(name.size()) - 1, device);
    if (calls_.device_bus_id != nullptr)
      calls_.device_bus_id(bus.data(), static_cast<int>(bus.size()) - 1, device);
  }
  return {vendor_.backend, what,      path_, file_identity(path_), std::to_string(driver_version),
          name.data(),     bus.data()};
}

json Runtime::outcome_of(const LibraryRow& row) const {
  const fs::path folder = own_cache_folder("trials");
  const TrialRecord record(folder, trial_key(trial_parts(row.name), *row.where, vendor_.variables));
  if (std::optional<json> known = record.outcome()) return *known;
  const json job = {{"op", "library"}, {"name", row.name}, {"driver", path_}};
  try {
    const Answer answer = ask_vendor_process(vendor_, job, search_limit());
    record.keep(answer.reply, files_of(answer.notes));
    return answer.reply;
  } catch (const VendorProcessDied& death) {
    const std::vector<std::string> files = files_of(death.notes);
    const std::string how =
        fmt::format("{}: its trial ended with {}", tried_last(death.notes), death.vendor_text);
    if (death.timed_out) return {{"died", how}};
    json outcome = {
        {"died", fmt::format("{}; not tried again until the file changes or {} is deleted", how,
                             folder.string())}};
    if (!files.empty() && record.keep(outcome, files)) return outcome;
    return {{"died", how}};
  }
}

namespace {

std::vector<Promise> promises_of(const LibraryRow& row) {
  const bool multiplies = std::ranges::count(row.operators, "gemm") > 0;
  const bool is_silent = row.internal_precision.empty();
  std::vector<Promise> all =
      left_open(row.name, fmt::format("{}'s reference", row.name),
                multiplies && is_silent ? Of::kProductsWithFunctions : Of::kFunctions);
  if (!is_silent)
    all.push_back({.capability = "products.internal_precision",
                   .offered = true,
                   .evidence = "the compute type of each call",
                   .clause = row.internal_precision});
  return all;
}

}  // namespace

FoundLibrary Runtime::tried(LibraryRow row) const {
  FoundLibrary found{.library = {.name = row.name,
                                 .version = {},
                                 .kind = "library",
                                 .operators = row.operators,
                                 .usable = false,
                                 .evidence = {},
                                 .promises = promises_of(row)},
                     .row = std::move(row),
                     .path = {}};
  try {
    const json answer = outcome_of(found.row);
    if (const auto died = answer.find("died"); died != answer.end())
      throw BackendError("library", 0, *died);
    found.path = answer.at("path");
    found.way = answer.at("way");
    found.library.version = answer.at("version");
    found.library.evidence = found.path + (found.row.policy.empty() ? "" : "; " + found.row.policy);
    found.library.usable = true;
  } catch (const BackendError& error) {
    found.library.evidence = error.vendor_text;
  }
  return found;
}

const std::vector<FoundLibrary>& Runtime::libraries() {
  std::call_once(looked_for_libraries_, [this] {
    std::vector<std::future<FoundLibrary>> trials;
    for (LibraryRow& row : library_rows(vendor_)) {
      trials.push_back(std::async(std::launch::async, [this, one = std::move(row)]() mutable {
        return tried(std::move(one));
      }));
    }
    for (std::future<FoundLibrary>& trial : trials) libraries_.push_back(trial.get());
  });
  return libraries_;
}

Image Runtime::compile(const std::string& definitions, const std::string& source,
                       const std::string& architecture) {
  const Compiler& with = compiler();
  const std::string text = full_text(vendor_, definitions, source);
  if (with.is_offline)
    return compile_offline(vendor_, with.path, text, options_for(vendor_, architecture, text));
  const ImageStore store(vendor_, with.content);
  if (std::optional<CompiledText> known = store.find(text, architecture))
    return {.bytes = std::move(known->image), .log = std::move(known->log)};
  Answer answer = ask_vendor_process(vendor_,
                                     {{"op", "compile"},
                                      {"path", with.path},
                                      {"architecture", architecture},
                                      {"definitions", definitions},
                                      {"source", source}},
                                     kCompileLimit);
  const CompiledText made{.log = answer.reply.at("log"), .image = std::move(answer.image)};
  store.keep(text, architecture, made);
  return {.bytes = made.image, .log = made.log};
}

std::string Runtime::error_name(Status status) const {
  return named(status, name_of(calls_, status));
}

std::string Runtime::named(Status status, const std::string& name) const {
  return name.empty() ? fmt::format("{} error {}", vendor_.platform, status)
                      : fmt::format("{} {}", status, name);
}

void Runtime::fail(const char* call, Status status, const std::string& detail) const {
  const auto& lost = vendor_.lost_codes;
  throw BackendError(
      call, status,
      detail.empty() ? error_name(status) : fmt::format("{}: {}", error_name(status), detail),
      std::find(lost.begin(), lost.end(), status) != lost.end());
}

}  // namespace halfmark::backends::shim
