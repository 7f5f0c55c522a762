// SPDX-License-Identifier: Apache-2.0
//
// One function of x86-64 code: the instructions that can be reached from its start by jumps, and
// where its calls lead. Counts nothing.
//
// Assumptions:
//  1. Compilers read a register behind a call only where they know what is in it: either the call
//  returned it (rax, rdx), or it survived the call, by whatever convention.
//  2. What is called comes back, unless another function starts behind the call.
//  3. Nobody writes into a slot of the frame but by the registers that point to the frame.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "backends/code_image.hpp"
#include "backends/x86_flow.hpp"

namespace halfmark::backends {

struct X86Call {
  Target target;  // kUnknown: `words` say where the address comes from
  std::size_t step = 0;
  std::string words = {};
};

struct X86Function {
  X86Flow flow;
  std::vector<X86Call> calls;  // and jumps that leave the image, or lead nobody knows where
};

// Of a flow that ended early there are no calls.
[[nodiscard]] X86Function read_x86_function(const CodeImage& image, std::uint64_t start);

}  // namespace halfmark::backends
