// SPDX-License-Identifier: Apache-2.0
#include "backends/process_memory.hpp"

#include <unistd.h>

#include <fstream>

namespace halfmark::backends {

MemoryAnswer process_memory() {
  std::uint64_t size_pages = 0;
  std::uint64_t resident_pages = 0;
  std::ifstream statm("/proc/self/statm");
  const long page_bytes = sysconf(_SC_PAGESIZE);
  if (!(statm >> size_pages >> resident_pages) || page_bytes <= 0)
    return {.answer = "/proc/self/statm cannot be read"};
  std::uint64_t total_kib = 0, available_kib = 0;
  std::ifstream meminfo("/proc/meminfo");
  for (std::string name; meminfo >> name;) {
    if (name == "MemTotal:") meminfo >> total_kib;
    if (name == "MemAvailable:") meminfo >> available_kib;
  }
  return {.known = true,
          .source = "/proc/self/statm",
          .of_process = true,
          .used_bytes = resident_pages * static_cast<std::uint64_t>(page_bytes),
          .free_bytes = available_kib * 1024,
          .total_bytes = total_kib * 1024};
}

}  // namespace halfmark::backends
