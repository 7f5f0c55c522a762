// SPDX-License-Identifier: Apache-2.0
//
// The code of an ELF file as a loader would lay it out: where functions start, and what is written
// where code names others. Reads linked libraries and objects that wait for their linker; decides
// nothing about instructions. Believes nothing that the file says without a look, as in elf.hpp.
//
// Assumptions:
//  1. The sections of an object that waits for its linker may lie anywhere, but apart; here each
//  gets 4 GiB.
//  2. An address that is written as a number of 64 bits into a place, or relative to a place of 32
//  bits, is all that kernels take of others.
//
// Sources: System V Application Binary Interface, as of June 2013; its AMD64 supplement, version
// 1.0, 4.4: relocation types.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backends/elf.hpp"

namespace halfmark::backends {

// Where code leads: to an address of the same image, to a function elsewhere that has a name only,
// or nobody knows where.
struct Target {
  enum class Kind : std::uint8_t { kUnknown, kAddress, kName };
  Kind kind = Kind::kUnknown;
  std::uint64_t address = 0;  // behind a name: nothing
  std::string name = {};

  auto operator<=>(const Target&) const = default;
};

class CodeImage {
 public:
  // Nothing where the bytes are no such file for that machine (e_machine). The image refers to the
  // bytes, and holds no copy.
  static std::optional<CodeImage> parse(std::span<const std::byte> file, std::uint16_t machine);

  // Of the function or variable of that name.
  [[nodiscard]] std::optional<std::uint64_t> address_of(const std::string& name) const;
  [[nodiscard]] bool starts_function(std::uint64_t address) const;
  // From that address to the end of its section; empty where nothing lies there that can be run,
  // or that can be read.
  [[nodiscard]] std::span<const std::byte> code_at(std::uint64_t address) const;
  [[nodiscard]] std::span<const std::byte> bytes_at(std::uint64_t address) const;
  // The address that a number in code stands for: the number lies at `place`, the instruction ends
  // at `end`, and without a relocation it stands for `computed`.
  [[nodiscard]] Target reached_by(std::uint64_t place, std::uint64_t end,
                                  std::uint64_t computed) const;
  // What lies in memory there, when code reads its target from the address of such a number.
  [[nodiscard]] Target read_by(std::uint64_t place, std::uint64_t end,
                               std::uint64_t computed) const;
  // What a table of addresses holds there.
  [[nodiscard]] Target held_at(std::uint64_t address) const;

 private:
  struct Section {
    std::uint64_t address = 0;
    std::span<const std::byte> bytes;
    bool runs = false;
  };
  struct Relocation {
    std::uint32_t type = 0;
    Target symbol;
    std::int64_t addend = 0;
  };

  void place(std::span<const ElfSection> sections, bool linked);
  void name(std::span<const ElfSection> sections, const ElfSection& table, bool linked);
  void relocate(std::span<const ElfSection> sections, const ElfSection& table, bool linked);
  [[nodiscard]] Target symbol(std::span<const ElfSection> sections, const ElfSection& table,
                              std::uint64_t index, bool linked) const;
  [[nodiscard]] const Section* section_at(std::uint64_t address) const;

  std::vector<Section> sections_;
  std::map<std::string, std::uint64_t> addresses_;
  std::set<std::uint64_t> functions_;
  std::map<std::uint64_t, Relocation> relocations_;
};

}  // namespace halfmark::backends
