// SPDX-License-Identifier: Apache-2.0
//
// What a runtime says of a device's memory, or why it says nothing. Plain values; asks nobody.
#pragma once

#include <cstdint>
#include <string>

namespace halfmark::backends {

struct MemoryAnswer {
  bool known = false;
  std::string answer = {};  // why it is not known, in the runtime's words where it has some
  std::string source = {};  // who says so: a call of the runtime, or a file of the system
  bool of_process = false;  // what is used counts this process alone, else everybody on the device
  std::uint64_t used_bytes = 0;
  std::uint64_t free_bytes = 0;
  std::uint64_t total_bytes = 0;
};

}  // namespace halfmark::backends
