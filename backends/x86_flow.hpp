// SPDX-License-Identifier: Apache-2.0
//
// The instructions of a function in the order in which they were reached, and which may follow
// which; and where an instruction's address can come from. Part of x86_function.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "backends/code_image.hpp"
#include "backends/innermost_loops.hpp"
#include "backends/x86_decoder.hpp"

namespace halfmark::backends {

struct X86Step {
  std::uint64_t address = 0;
  X86Instruction instruction;
};

struct X86Flow {
  std::vector<X86Step> steps;  // the function's start first
  Successors successors;
  Successors predecessors;
  std::string why;  // the walk ended where nothing can be decoded
};

// Follows jumps, and comes back from calls.
[[nodiscard]] X86Flow follow_x86(const CodeImage& image, std::uint64_t start);

// All targets that the step's source can be when it gets there; one of kUnknown where any of them
// is unknown.
[[nodiscard]] std::set<Target> targets_of(const CodeImage& image, const X86Flow& flow,
                                          std::size_t step);

}  // namespace halfmark::backends
