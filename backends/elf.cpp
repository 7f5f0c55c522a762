// SPDX-License-Identifier: Apache-2.0
#include "backends/elf.hpp"

namespace halfmark::backends {
namespace {

using Bytes = std::span<const std::byte>;

constexpr std::uint32_t kMagic = 0x464c457f;
constexpr std::uint8_t kClass64 = 2;
constexpr std::uint8_t kLittleEndian = 1;
// Offsets in the file's header, and in that of a section.
constexpr std::uint64_t kMachine = 18;
constexpr std::uint64_t kSectionHeaders = 40;
constexpr std::uint64_t kSectionHeaderBytes = 58;
constexpr std::uint64_t kSectionCount = 60;
constexpr std::uint64_t kNamesIndex = 62;
constexpr std::uint64_t kAddress = 16;
constexpr std::uint64_t kOffset = 24;
constexpr std::uint64_t kSize = 32;
// In a symbol.
constexpr std::uint64_t kSymbolBytes = 24;
constexpr std::uint64_t kSymbolKind = 4;
constexpr std::uint64_t kSymbolAddress = 8;
constexpr std::uint64_t kSymbolSize = 16;
constexpr std::uint8_t kFunction = 2;

Bytes part(Bytes bytes, std::uint64_t offset, std::uint64_t size) {
  if (offset > bytes.size() || size > bytes.size() - offset) return {};
  return bytes.subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(size));
}

Bytes contents(Bytes image, Bytes header) {
  const auto offset = number_at<std::uint64_t>(header, kOffset);
  const auto size = number_at<std::uint64_t>(header, kSize);
  return offset && size ? part(image, *offset, *size) : Bytes{};
}

bool is_called(Bytes names, std::uint32_t at, std::string_view name) {
  const Bytes text = part(names, at, name.size() + 1);
  return !text.empty() && std::memcmp(text.data(), name.data(), name.size()) == 0 &&
         text.back() == std::byte{0};
}

bool is_for(Bytes image, std::uint16_t machine) {
  return number_at<std::uint32_t>(image, 0) == kMagic &&
         number_at<std::uint8_t>(image, 4) == kClass64 &&
         number_at<std::uint8_t>(image, 5) == kLittleEndian &&
         number_at<std::uint16_t>(image, kMachine) == machine;
}

Bytes section_header(Bytes image, std::uint16_t machine, std::string_view name) {
  if (!is_for(image, machine)) return {};
  const auto headers = number_at<std::uint64_t>(image, kSectionHeaders);
  const auto bytes = number_at<std::uint16_t>(image, kSectionHeaderBytes);
  const auto count = number_at<std::uint16_t>(image, kSectionCount);
  const auto names_index = number_at<std::uint16_t>(image, kNamesIndex);
  if (!headers || !bytes || !count || !names_index) return {};
  const Bytes table = part(image, *headers, std::uint64_t{*bytes} * *count);
  const auto header = [&](std::uint64_t i) { return part(table, i * *bytes, *bytes); };
  const Bytes names = contents(image, header(*names_index));
  for (std::uint64_t i = 0; i < *count; ++i) {
    const auto at = number_at<std::uint32_t>(header(i), 0);
    if (at && is_called(names, *at, name)) return header(i);
  }
  return {};
}

bool is_function(Bytes symbol, Bytes names, std::string_view name) {
  const auto at = number_at<std::uint32_t>(symbol, 0);
  const auto kind = number_at<std::uint8_t>(symbol, kSymbolKind);
  return at && kind && (*kind & 0xf) == kFunction && is_called(names, *at, name);
}

}  // namespace

Bytes elf_section(Bytes image, std::uint16_t machine, std::string_view name) {
  return contents(image, section_header(image, machine, name));
}

Bytes elf_function(Bytes image, std::uint16_t machine, std::string_view name) {
  const Bytes text = section_header(image, machine, ".text");
  const Bytes symbols = elf_section(image, machine, ".dynsym");
  const Bytes names = elf_section(image, machine, ".dynstr");
  const auto base = number_at<std::uint64_t>(text, kAddress);
  for (std::uint64_t at = 0; base && at + kSymbolBytes <= symbols.size(); at += kSymbolBytes) {
    const Bytes symbol = part(symbols, at, kSymbolBytes);
    if (!is_function(symbol, names, name)) continue;
    const auto address = number_at<std::uint64_t>(symbol, kSymbolAddress);
    const auto size = number_at<std::uint64_t>(symbol, kSymbolSize);
    // An address below .text is one far above it here, and no part of it.
    return !address || !size ? Bytes{} : part(contents(image, text), *address - *base, *size);
  }
  return {};
}

}  // namespace halfmark::backends
