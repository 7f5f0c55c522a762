// SPDX-License-Identifier: Apache-2.0
//
// The memory of a device that computes in this process, by the operating system: what the process
// has resident, and what the system could still give. Only backends of processors use it.
#pragma once

#include "backends/memory_answer.hpp"

namespace halfmark::backends {

[[nodiscard]] MemoryAnswer process_memory();

}  // namespace halfmark::backends
