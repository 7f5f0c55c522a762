// SPDX-License-Identifier: Apache-2.0
//
// Sections of compiled images: 64-bit little-endian ELF, as every vendor's compiler writes it. An
// image comes from a driver or a plug-in, so nothing that it says is believed without a look.
//
// Source: System V Application Binary Interface, Object Files, as of June 2013: the headers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace halfmark::backends {

// A number at that place of the bytes; nothing where they end before.
template <typename Number>
[[nodiscard]] std::optional<Number> number_at(std::span<const std::byte> bytes,
                                              std::uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(Number)) return std::nullopt;
  Number number{};
  std::memcpy(&number, bytes.subspan(static_cast<std::size_t>(offset)).data(), sizeof number);
  return number;
}

struct ElfSection {
  std::string_view name;
  std::uint32_t type = 0;
  std::uint64_t flags = 0;
  std::uint64_t address = 0;
  std::span<const std::byte> bytes;
  std::uint32_t link = 0;  // another section: of symbols, or of their names
  std::uint32_t info = 0;  // another section: the one to which relocations apply
};

// All sections of an image for that machine (e_machine), as they are numbered; none when it is no
// such image.
[[nodiscard]] std::vector<ElfSection> elf_sections(std::span<const std::byte> image,
                                                   std::uint16_t machine);

// A text that ends with a zero byte; empty where it does not end.
[[nodiscard]] std::string_view text_at(std::span<const std::byte> bytes, std::uint64_t offset);

// The bytes of the section of that name, in an image for that machine (e_machine); empty when it is
// no such image, or has no such section.
[[nodiscard]] std::span<const std::byte> elf_section(std::span<const std::byte> image,
                                                     std::uint16_t machine, std::string_view name);

// The code of a function of a linked image for that machine, by its dynamic symbol; empty when
// there is none, or it does not lie in .text.
[[nodiscard]] std::span<const std::byte> elf_function(std::span<const std::byte> image,
                                                      std::uint16_t machine, std::string_view name);

}  // namespace halfmark::backends
