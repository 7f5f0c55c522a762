// SPDX-License-Identifier: Apache-2.0
#include "backends/shim/search.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

namespace halfmark::backends::shim {
namespace {

FoundDriver start(const Vendor& vendor, const OpenLibrary& library) {
  DriverCalls calls{};
  library.bind(vendor.driver.symbols, &calls);
  FoundDriver found;
  found.path = library.path();
  found.status = calls.initialise(0);
  if (found.status == vendor.stub_code && found.status != 0) {
    throw BackendError("initialise", found.status,
                       fmt::format("{} is a stub, made for linking only", library.path()));
  }
  if (found.status == 0) found.status = calls.device_count(&found.device_count);
  found.status_name = name_of(calls, found.status);
  return found;
}

FoundCompiler ask(const Vendor& vendor, const OpenLibrary& library) {
  CompilerCalls calls{};
  library.bind(vendor.compiler.symbols, &calls);
  FoundCompiler found;
  found.path = library.path();
  calls.version(&found.major, &found.minor);
  int count = 0;
  if (calls.architecture_count != nullptr && calls.architectures != nullptr &&
      calls.architecture_count(&count) == 0 && count > 0) {
    found.architectures.resize(static_cast<std::size_t>(count));
    if (calls.architectures(found.architectures.data()) != 0) found.architectures.clear();
  }
  return found;
}

// A compiler that reports no architectures is believed to know the device.
bool makes_code_for(const FoundCompiler& found, int capability) {
  return capability == 0 || found.architectures.empty() ||
         best_capability(found.architectures, capability) != 0;
}

}  // namespace

std::string joined(const std::vector<std::string>& reasons, const Library& library) {
  if (reasons.empty()) {
    const std::string place = named_place(library);
    return "no library of it was found" + (place.empty() ? "" : " by " + place);
  }
  std::string text;
  for (const std::string& reason : reasons) {
    text += (text.empty() ? "" : "; ") + reason;
  }
  return text;
}

std::string name_of(const DriverCalls& calls, Status status) {
  const char* name = nullptr;
  if (calls.error_name != nullptr) {
    if (calls.error_name(status, &name) != 0) name = nullptr;
  } else if (calls.error_name_of != nullptr) {
    name = calls.error_name_of(status);
  }
  return name == nullptr ? "" : name;
}

int best_capability(const std::vector<int>& offered, int capability) {
  int best = 0;
  for (const int one : offered) {
    if (one / 10 == capability / 10 && one <= capability) best = std::max(best, one);
  }
  return best;
}

FoundDriver find_driver(const Vendor& vendor) {
  std::optional<FoundDriver> best;
  std::vector<std::string> reasons;
  first_usable(vendor.driver, reasons, [&](const OpenLibrary& library) {
    FoundDriver found = start(vendor, library);
    const bool has_devices = found.status == 0 && found.device_count > 0;
    if (!best || has_devices) best = std::move(found);
    return has_devices;
  });
  if (best) return *best;
  throw BackendError("dlopen", 0,
                     fmt::format("no {} driver: {}; {}", vendor.platform,
                                 joined(reasons, vendor.driver), vendor.driver.remedy));
}

FoundCompiler find_compiler(const Vendor& vendor, const CompilerSearch& search) {
  std::optional<FoundCompiler> best;
  std::vector<std::string> reasons = search.reasons;
  const auto take = [&](const OpenLibrary& library) {
    FoundCompiler found = ask(vendor, library);
    if (search.prove) search.prove(found, library);
    const bool fits = (!vendor.compiler_follows_driver || found.major <= search.driver_major) &&
                      makes_code_for(found, search.capability);
    if (!best || fits) best = std::move(found);
    return fits;
  };
  const auto before = [&](const std::string& name) {
    if (std::ranges::find(search.skipped, name) != search.skipped.end()) return false;
    if (search.before) search.before(name);
    return true;
  };
  first_usable(vendor.compiler, reasons, take, before);
  if (!best && vendor.compiler_may_be_in_driver) first_usable(vendor.driver, reasons, take, before);
  if (best) return *best;
  throw BackendError("dlopen", 0,
                     fmt::format("no run-time compiler for {}: {}; {}", vendor.platform,
                                 joined(reasons, vendor.compiler), vendor.compiler.remedy));
}

}  // namespace halfmark::backends::shim
