// SPDX-License-Identifier: Apache-2.0
//
// Chooses among the candidates for a library: the first that works, found by starting it. The
// caller must be a process that may die of it, or one that loses the library anyway when it ends.
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "backends/shim/library.hpp"
#include "backends/shim/vendor.hpp"

namespace halfmark::backends::shim {

struct FoundDriver {
  std::string path;
  Status status = 0;  // of the start; the number of devices is valid only if this is 0
  int device_count = 0;
  std::string status_name;  // in the driver's own words; may be empty
};

struct FoundCompiler {
  std::string path;
  int major = 0, minor = 0;
  std::vector<int> architectures;  // capabilities; empty: not reported
};

// The first library that has devices; else the first that answers. Throws BackendError with the
// reason and the remedy when there is none.
[[nodiscard]] FoundDriver find_driver(const Vendor& vendor);

// What a compiler is needed for, and what is known of the candidates.
struct CompilerSearch {
  int driver_major = 0;
  int capability = 0;                // of the device; 0: unknown
  std::vector<std::string> skipped;  // candidates that have killed or blocked a process
  std::vector<std::string> reasons;  // why they are skipped
  std::function<void(const std::string&)> before;  // is given each name before it is opened
  // Throws BackendError when the candidate cannot compile.
  std::function<void(const FoundCompiler&, const OpenLibrary&)> prove;
};

// The newest library that compiles and fits: a driver of this major version supports it, and it
// makes code for the device. Else the newest that compiles. Throws as find_driver does.
[[nodiscard]] FoundCompiler find_compiler(const Vendor& vendor, const CompilerSearch& search);

// The driver's name for an error, by either form of the call; may be empty.
[[nodiscard]] std::string name_of(const DriverCalls& calls, Status status);

// The one of these capabilities whose machine code a device runs best; 0: none. Machine code runs
// on devices with the same major number and the same or a higher minor number.
[[nodiscard]] int best_capability(const std::vector<int>& offered, int capability);

// The reasons in one line; if there are none, says that there was no file to try, and where.
[[nodiscard]] std::string joined(const std::vector<std::string>& reasons, const Library& library);

// Opens candidates in turn until `use` accepts one, and collects the other candidates' reasons.
// Calls `before` with each name before opening it, because the process may not survive the opening;
// it returns false for a candidate to leave out.
template <typename Use, typename Before>
void first_usable(const Library& library, std::vector<std::string>& reasons, Use&& use,
                  Before&& before) {
  for (const std::string& name : candidates(library)) {
    if (!before(name)) continue;
    try {
      OpenLibrary opened = OpenLibrary::open(name, library.companions);
      const bool taken = opened && use(opened);
      opened.keep();  // unloading a driver that has started may crash
      if (taken) return;
    } catch (const BackendError& error) {
      if (std::find(reasons.begin(), reasons.end(), error.vendor_text) == reasons.end())
        reasons.push_back(error.vendor_text);
    }
  }
}

template <typename Use>
void first_usable(const Library& library, std::vector<std::string>& reasons, Use&& use) {
  first_usable(library, reasons, std::forward<Use>(use), [](const std::string&) { return true; });
}

}  // namespace halfmark::backends::shim
