// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/libraries.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <set>
#include <utility>

#include "backends/cache_entry.hpp"
#include "backends/cpu/blas.hpp"
#include "backends/cpu/dnn.hpp"
#include "backends/cpu/trial.hpp"
#include "backends/cpu/trial_product.hpp"
#include "backends/host/float_state.hpp"
#include "backends/host/variable.hpp"
#include "backends/shim/search.hpp"

namespace halfmark::backends::cpu {
namespace {

// As for the libraries of devices (backends/shim/runtime.cpp): the first load of 200 MB from a cold
// disk takes half a minute.
constexpr std::uint64_t kSearchSeconds = 55, kMostSearchSeconds = 3600;

// The file that the loader is given, without links: one that has failed is not tried by another
// name. A bare name is the loader's to find.
std::string file_of(const std::string& name) {
  if (name.find('/') == name.npos) return name;
  std::error_code unknown;
  return std::filesystem::weakly_canonical(name, unknown);
}

shim::OpenLibrary open_beside_companions(const LibraryRow& row, const std::string& name) {
  return shim::OpenLibrary::open(name, row.where->companions);
}

// In a copy of the process. The answer holds the version and the path of the file.
std::string trial_of(const LibraryRow& row, const std::string& name) {
  shim::OpenLibrary library = open_beside_companions(row, name);
  if (!library) return "";
  const std::string path = library.path();
  const auto opened = row.open(std::move(library), 1);
  TrialProduct product;
  try {
    opened->prepared(product.call)();
  } catch (const NotOffered& answer) {
    throw BackendError("trial", 0, fmt::format("{}: {}", path, answer.what()));
  }
  if (product.result() != 6) {
    throw BackendError("trial", 0,
                       fmt::format("{} computed 2 times 3 as {}", path, product.result()));
  }
  return fmt::format("{}\t{}", opened->version(), path);
}

std::string named(const std::string& name, const std::string& reason) {
  return reason.find(name) == reason.npos ? fmt::format("{}: {}", name, reason) : reason;
}

// After each call the threads of GNU's OpenMP wait for the next one by spinning, for some 5 ms. Of
// many small calls on a busy machine that is nearly all of the time, and no call is faster for it.
// The library reads the variable when it is loaded; the user's own words stay.
void limit_spinning() {
  if (std::getenv("OMP_WAIT_POLICY") == nullptr) ::setenv("GOMP_SPINCOUNT", "1000", 0);
}

}  // namespace

const std::vector<LibraryRow>& library_rows() {
  static const std::vector<LibraryRow> kRows = [] {
    std::vector<LibraryRow> rows = blas_rows();
    rows.insert(rows.begin(), dnn_row());
    return rows;
  }();
  return kRows;
}

std::chrono::seconds trial_limit() {
  return std::chrono::seconds(
      host::number_in("HALFMARK_SEARCH_SECONDS", 1, kMostSearchSeconds).value_or(kSearchSeconds));
}

std::byte* address_of(const DriverBuffer* buffer, std::uint64_t offset_bytes) {
  return static_cast<const host::HostBuffer*>(buffer)->address() + offset_bytes;
}

FoundLibrary find_library(const LibraryRow& row) {
  FoundLibrary found{.row = &row,
                     .description = {.name = row.name,
                                     .version = {},
                                     .kind = "library",
                                     .operators = row.operators,
                                     .usable = false,
                                     .evidence = {},
                                     .promises = row.promises},
                     .path = {}};
  std::vector<std::string> reasons;
  std::set<std::string> tried;
  for (const std::string& name : shim::candidates(*row.where)) {
    if (!tried.insert(file_of(name)).second) continue;
    try {
      const TrialOutcome outcome = try_in_copy([&] { return trial_of(row, name); }, trial_limit());
      if (outcome.answer.empty()) continue;
      const std::size_t tab = outcome.answer.find('\t');
      found.path = outcome.answer.substr(tab + 1);
      found.description.version = outcome.answer.substr(0, tab);
      found.description.usable = true;
      found.description.evidence = fmt::format(
          "{}, hash {}{}", found.path, content_key_of_file(found.path), outcome.disturbance);
      return found;
    } catch (const BackendError& error) {
      reasons.push_back(named(name, error.vendor_text));
    }
  }
  found.description.evidence =
      fmt::format("{}; {}", shim::joined(reasons, *row.where), row.where->remedy);
  return found;
}

const std::vector<FoundLibrary>& found_libraries() {
  static const std::vector<FoundLibrary> kFound = [] {
    limit_spinning();
    std::vector<FoundLibrary> all;
    for (const LibraryRow& row : library_rows()) all.push_back(find_library(row));
    return all;
  }();
  return kFound;
}

std::vector<Library> library_descriptions() {
  std::vector<Library> rows;
  for (const FoundLibrary& each : found_libraries()) rows.push_back(each.description);
  return rows;
}

namespace {

// MKL makes the symbols of its parts global when it is first called: whatever is loaded after
// that and exports the same, as BLIS does, calls MKL's. So all libraries are loaded before
// one is called.
void load_all() {
  for (const FoundLibrary& each : found_libraries()) {
    if (each.path.empty()) continue;
    try {
      open_beside_companions(*each.row, each.path).keep();
    } catch (const BackendError&) {
      // The call that asks for this library reports it.
    }
  }
}

}  // namespace

ProcessorLibrary& Libraries::opened(std::size_t number) {
  static std::once_flag loaded;
  std::call_once(loaded, &load_all);
  if (opened_[number] == nullptr) {
    const FoundLibrary& found = found_libraries()[number];
    shim::OpenLibrary library = open_beside_companions(*found.row, found.path);
    if (!library) throw BackendError("dlopen", 0, fmt::format("{} has disappeared", found.path));
    opened_[number] = found.row->open(std::move(library), threads_);
  }
  return *opened_[number];
}

OperatorOutcome timed(const std::function<std::function<void()>()>& prepare) {
  using Clock = std::chrono::steady_clock;
  const host::FloatStateScope state(host::FloatControl::ieee());
  try {
    const std::function<void()> work = prepare();
    const auto begin = Clock::now();
    work();
    const auto elapsed =
        std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin).count();
    return {.supported = true, .answer = {}, .elapsed_ns = static_cast<std::uint64_t>(elapsed)};
  } catch (const NotOffered& answer) {
    return {.supported = false, .answer = answer.what()};
  }
}

OperatorOutcome Libraries::run(const DriverOperatorCall& call) {
  const std::vector<FoundLibrary>& all = found_libraries();
  const auto at = std::ranges::find(all, call.library,
                                    [](const FoundLibrary& each) { return each.description.name; });
  if (at == all.end())
    return {.supported = false, .answer = fmt::format("there is no library '{}'", call.library)};
  if (!at->description.usable) return {.supported = false, .answer = at->description.evidence};
  return timed([&] { return opened(static_cast<std::size_t>(at - all.begin())).prepared(call); });
}

}  // namespace halfmark::backends::cpu
