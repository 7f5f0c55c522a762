// SPDX-License-Identifier: Apache-2.0
//
// The matrix instructions of processors whose sums are fp32, one row each: shape, layout of the
// operands, whether this processor and its kernel have it, and the instruction itself. Every
// program can hold the rows: what an instruction needs is looked up when the program runs, and no
// compiler flag is needed.
//
// Not here: instructions of integers, and vector instructions that only convert.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace halfmark::backends::cpu {

// Whether the instruction keeps something by its own manual, whatever the compiler promises.
struct ManualWord {
  bool keeps = false;
  const char* clause = "";
};

// d += a b. `a` holds m rows of k numbers; `b` holds k / beside rows, each with `beside`
// neighbours along k of every column; `d` holds m rows of n numbers.
struct UnitInstruction {
  const char* library;     // as its vendor names the extension
  const char* generation;  // these two as in the models of the reference
  const char* name;
  const char* input;  // the format of a and b
  int m, n, k;
  int beside;
  std::string (*missing)();  // why this processor cannot execute it; empty: it can
  // `steps` of them in a row on one d; the operands of a step follow those of the step before.
  void (*chain)(const std::uint16_t* a, const std::uint16_t* b, float* d, std::size_t steps);
  ManualWord subnormals, zero_signs;
};

// Of this architecture, grouped by library, in order of preference.
[[nodiscard]] std::span<const UnitInstruction> unit_instructions();

[[nodiscard]] std::string shape_of(const UnitInstruction& instruction);  // "m16n16k32"

// What decides whether an x86-64 processor has them, as CPUID, XGETBV and the kernel say it.
struct X86Features {
  bool avx512_bf16 = false, amx_bf16 = false, amx_fp16 = false;
  bool saves_vectors = false, saves_tiles = false;  // the kernel saves their registers
  std::string tiles_refused;                        // what the kernel said to a request for tiles
};
[[nodiscard]] std::string missing_of_vectors(const X86Features& features);
[[nodiscard]] std::string missing_of_tiles(const X86Features& features, bool has_instruction,
                                           const char* extension);

}  // namespace halfmark::backends::cpu
