// SPDX-License-Identifier: Apache-2.0
//
// One x86-64 instruction: its length, what it counts in a census, where it leads, and what it does
// to registers and stack slots, in which compilers keep the addresses of functions. Decides which
// instruction is arithmetic of which format. Zydis decodes; it is opened when the program runs,
// first beside Halfmark's own files, then where the loader looks.
//
// Assumptions:
//  1. The library of the version that the headers were of has their structures.
//  2. Sums, products, quotients, roots, reciprocals, scaling by powers of two and their fusions are
//  arithmetic. Maxima, comparisons and rounding to integers are not, nor is any in fp64.
//
// Source: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2; AVX512-FP16
// Architecture Specification, revision 2.0: the mnemonics.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "backends/census.hpp"

namespace halfmark::backends {

// A register, by its number in the instruction set, or eight bytes at an offset from one.
struct X86Place {
  enum class Kind : std::uint8_t { kNone, kRegister, kStack };
  Kind kind = Kind::kNone;
  int number = 0;
  std::int64_t offset = 0;

  auto operator<=>(const X86Place&) const = default;
};

// Where an instruction finds the address that it jumps to, or moves.
struct X86Source {
  enum class Kind : std::uint8_t { kNone, kNumber, kMemory, kPlace };
  Kind kind = Kind::kNone;
  std::uint64_t address = 0;  // kNumber: this is it; kMemory: it lies there
  std::size_t field = 0;      // where in the instruction the number stands
  X86Place place = {};        // kPlace
};

struct X86Instruction {
  // kBranch may go on as well, kCall comes back, kEnd leads nowhere.
  enum class Flow : std::uint8_t { kOn, kJump, kBranch, kCall, kEnd };
  std::size_t bytes = 0;
  Census counted = {};
  Flow flow = Flow::kOn;
  X86Source source = {};
  X86Place moved_to = {};               // gets what `source` says
  std::uint16_t changed_registers = 0;  // a bit for each, by number
  X86Place changed_stack = {};
  std::int64_t changed_stack_bytes = 0;
};

inline constexpr int kX86StackPointer = 4;
inline constexpr int kX86FramePointer = 5;

// Why nothing can be decoded here; empty where it can.
[[nodiscard]] const std::string& x86_decoder_lacks();

// The first instruction of the bytes, which lie at that address; nothing where there is none, or
// none that the library knows.
[[nodiscard]] std::optional<X86Instruction> decode_x86(std::span<const std::byte> bytes,
                                                       std::uint64_t address);

// What an instruction of that name counts: "vfmadd213ph".
[[nodiscard]] Census x86_census_of(std::string_view mnemonic);

}  // namespace halfmark::backends
