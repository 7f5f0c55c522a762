// SPDX-License-Identifier: Apache-2.0
#include "kernels/catalog.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "kernels/embedded.hpp"

namespace halfmark::kernels {
namespace {

constexpr std::string_view kKernelWord = "HM_KERNEL ";
constexpr std::string_view kRequiresWord = "//! requires: ";

// Appends the families that `name` requires and then the family itself, each once.
void add_with_requirements(std::string_view name, std::vector<const Family*>& parts) {
  const Family* family = find_family(name);
  if (family == nullptr) throw std::out_of_range(fmt::format("no kernel family '{}'", name));
  if (std::find(parts.begin(), parts.end(), family) != parts.end()) return;
  const std::string_view text = family->text;
  for (std::size_t at = text.find(kRequiresWord); at != std::string_view::npos;
       at = text.find(kRequiresWord, at + 1)) {
    const std::string_view rest = text.substr(at + kRequiresWord.size());
    add_with_requirements(rest.substr(0, rest.find('\n')), parts);
  }
  parts.push_back(family);
}

}  // namespace

std::span<const Family> families() {
  static const auto rows = std::to_array<Family>({
#include "kernels/families.inc"
  });
  return rows;
}

const Family* find_family(std::string_view name) {
  for (const Family& family : families()) {
    if (family.name == name) return &family;
  }
  return nullptr;
}

std::vector<std::string> entries(std::string_view text) {
  std::vector<std::string> names;
  for (std::size_t at = text.find(kKernelWord); at != std::string_view::npos;
       at = text.find(kKernelWord, at + 1)) {
    // The word opens a definition only at the start of a line; elsewhere it belongs to a comment.
    if (at != 0 && text[at - 1] != '\n') continue;
    const std::size_t begin = at + kKernelWord.size();
    const std::size_t end = text.find('(', begin);
    if (end != std::string_view::npos) names.emplace_back(text.substr(begin, end - begin));
  }
  return names;
}

std::string program_text(std::string_view family) {
  std::vector<const Family*> parts;
  add_with_requirements(family, parts);
  std::string text = fmt::format("#line 1 \"prelude.hk\"\n{}", prelude_hk);
  for (const Family* part : parts)
    text += fmt::format("\n#line 1 \"{}.hk\"\n{}", part->name, part->text);
  return text;
}

}  // namespace halfmark::kernels
