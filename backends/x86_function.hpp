// SPDX-License-Identifier: Apache-2.0
//
// One function of x86-64 code: the instructions that can be reached from its start by jumps, which
// of them lie in its innermost loops, and where its calls lead. Counts nothing beyond the function.
//
// Assumptions:
//  1. Compilers read a register behind a call only where they know what is in it: either the call
//  returned it (rax, rdx), or it survived the call, by whatever convention.
//  2. What is called comes back, unless another function starts behind the call.
//  3. Nobody writes into a slot of the frame but by the registers that point to the frame.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backends/code_image.hpp"
#include "backends/x86_decoder.hpp"

namespace halfmark::backends {

struct X86Call {
  Target target;  // kUnknown: `words` say where the address comes from
  bool in_loop = false;
  std::string words = {};
};

struct X86Function {
  Census census;
  Census in_loops;
  std::vector<X86Call> calls;  // and jumps that leave the image, or lead nobody knows where
  std::string why;             // it could not be read; then nothing else is told
};

[[nodiscard]] X86Function read_x86_function(const CodeImage& image, std::uint64_t start);

}  // namespace halfmark::backends
