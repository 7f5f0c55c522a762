// SPDX-License-Identifier: Apache-2.0
#include "backends/shim/signature.hpp"

namespace halfmark::backends::shim {
namespace {

char kind_of(std::string_view parameter) {
  if (parameter.find('*') != parameter.npos) return 'p';
  if (parameter.find("float") != parameter.npos) return 'f';
  return parameter.find("unsigned") != parameter.npos ? 'u' : 'i';
}

// The kinds of "type name, type name)", up to the parenthesis that closes the list.
std::string kinds_of(std::string_view list) {
  std::string kinds;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const bool ends = (list[i] == ',' || list[i] == ')') && depth == 0;
    if (ends && list.substr(begin, i - begin).find_first_not_of(" \n") != list.npos)
      kinds += kind_of(list.substr(begin, i - begin));
    if (ends && list[i] == ')') break;
    if (ends) begin = i + 1;
    if (list[i] == '(') ++depth;
    if (list[i] == ')') --depth;
  }
  return kinds;
}

}  // namespace

std::optional<std::string> signature_of(std::string_view text, std::string_view entry) {
  const std::string opening = "HM_KERNEL " + std::string(entry) + "(";
  std::size_t at = text.find(opening);
  while (at != text.npos && at != 0 && text[at - 1] != '\n') at = text.find(opening, at + 1);
  if (at == text.npos) return std::nullopt;
  return kinds_of(text.substr(at + opening.size()));
}

}  // namespace halfmark::backends::shim
