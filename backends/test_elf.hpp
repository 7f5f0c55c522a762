// SPDX-License-Identifier: Apache-2.0
//
// For tests: an ELF file of one section of code and the table of names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

namespace halfmark::backends {

inline std::vector<std::byte> make_elf(std::uint16_t machine, const std::string& section,
                                       std::span<const std::uint64_t> words) {
  constexpr std::size_t kHeader = 64;
  const std::string names =
      std::string(1, '\0') + section + std::string(1, '\0') + ".shstrtab" + std::string(1, '\0');
  const std::size_t code = kHeader + 2 * kHeader;
  std::vector<std::byte> image(code + words.size_bytes() + names.size());
  const auto put = [&image](std::size_t at, auto number) {
    std::memcpy(image.data() + at, &number, sizeof number);
  };
  const auto put_section = [&](std::size_t index, std::uint32_t name, std::uint64_t at,
                               std::uint64_t size) {
    put(kHeader * (index + 1), name);
    put(kHeader * (index + 1) + 24, at);
    put(kHeader * (index + 1) + 32, size);
  };
  std::memcpy(image.data(),
              "\x7f"
              "ELF\x02\x01\x01",
              7);
  put(18, machine);
  put(40, std::uint64_t{kHeader});
  put(58, std::uint16_t{kHeader});
  put(60, std::uint16_t{2});
  put(62, std::uint16_t{1});
  put_section(0, 1, code, words.size_bytes());
  put_section(1, static_cast<std::uint32_t>(section.size() + 2), code + words.size_bytes(),
              names.size());
  if (!words.empty()) std::memcpy(image.data() + code, words.data(), words.size_bytes());
  std::memcpy(image.data() + code + words.size_bytes(), names.data(), names.size());
  return image;
}

}  // namespace halfmark::backends
