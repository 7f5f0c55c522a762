// SPDX-License-Identifier: Apache-2.0
//
// Which of the candidates for a library is used: the first that works, by starting it. Whoever asks
// is a process that may die of it, or one that loses the library anyway when it ends.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "backends/shim/library.hpp"
#include "backends/shim/vendor.hpp"

namespace halfmark::backends::shim {

struct FoundDriver {
  std::string path;
  Status status = 0;  // of the start; the number of devices means something when it is 0
  int device_count = 0;
  std::string status_name;  // in the driver's own words; may be empty
};

struct FoundCompiler {
  std::string path;
  int major = 0, minor = 0;
  std::vector<int> architectures;  // capabilities; empty: it does not say
};

// The first library that has devices; else the first that answers. Throws BackendError that says
// why there is none, with the remedy.
[[nodiscard]] FoundDriver find_driver(const Vendor& vendor);

// The newest library that a driver of this major version can follow; else the newest. Throws as
// find_driver does.
[[nodiscard]] FoundCompiler find_compiler(const Vendor& vendor, int driver_major);

// What an error is called by the driver, in either form of the call; may be empty.
[[nodiscard]] std::string name_of(const DriverCalls& calls, Status status);

// Of these capabilities the one whose machine code a device runs best; 0: none. Machine code runs
// on its own major number, and the same or a higher minor one.
[[nodiscard]] int best_capability(const std::vector<int>& offered, int capability);

// The reasons in one line; without one, that there was no file to try, and where.
[[nodiscard]] std::string joined(const std::vector<std::string>& reasons, const Library& library);

// Opens one candidate after the other until `use` takes one; the reasons of the others are told.
// `before` hears each name before it is opened, which the process may not survive.
template <typename Use, typename Before>
void first_usable(const Library& library, std::vector<std::string>& reasons, Use&& use,
                  Before&& before) {
  for (const std::string& name : candidates(library)) {
    before(name);
    try {
      OpenLibrary opened = OpenLibrary::open(name);
      const bool taken = opened && use(opened);
      opened.keep();  // unloading a driver that has started is a way to die
      if (taken) return;
    } catch (const BackendError& error) {
      if (std::find(reasons.begin(), reasons.end(), error.vendor_text) == reasons.end())
        reasons.push_back(error.vendor_text);
    }
  }
}

template <typename Use>
void first_usable(const Library& library, std::vector<std::string>& reasons, Use&& use) {
  first_usable(library, reasons, std::forward<Use>(use), [](const std::string&) {});
}

}  // namespace halfmark::backends::shim
