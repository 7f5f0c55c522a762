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
constexpr std::uint64_t kOffset = 24;
constexpr std::uint64_t kSize = 32;

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

}  // namespace

Bytes elf_section(Bytes image, std::uint16_t machine, std::string_view name) {
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
    if (at && is_called(names, *at, name)) return contents(image, header(i));
  }
  return {};
}

}  // namespace halfmark::backends
