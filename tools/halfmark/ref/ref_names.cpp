// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/ref/ref_names.hpp"

#include <fmt/format.h>

#include "reference/soft/codec.hpp"
#include "tools/halfmark/ref/shown.hpp"

namespace halfmark::tools {
namespace {

void append_word(std::string& words, std::string_view word) {
  words.append(words.empty() ? "" : " ").append(word);
}

std::string names_of_operations(const formats::Format& format) {
  std::string names;
  for (const RefOperation& row : ref_operations(format)) append_word(names, row.name);
  return names;
}

}  // namespace

ResolvedOperation resolve_ref_operation(std::string_view name) {
  const std::size_t dot = name.find('.');
  const formats::Format* format = formats::find_format(name.substr(0, dot));
  if (dot == std::string_view::npos || format == nullptr) {
    return {.problem = fmt::format("\"{}\" is not FORMAT.OPERATION, as fp16.fma is; formats: {}",
                                   shown(name), ref_format_names())};
  }
  const RefOperation* operation = find_ref_operation(*format, name.substr(dot + 1));
  if (operation == nullptr) {
    return {.problem = fmt::format("\"{}\" is not an operation of {}; operations: {}",
                                   shown(name.substr(dot + 1)), format->name,
                                   names_of_operations(*format))};
  }
  return {.format = format, .operation = operation, .problem = {}};
}

RandomBits resolve_random_bits(const ResolvedOperation& resolved, int wanted) {
  const formats::Format* to = resolved.operation->to;
  const int most = soft::max_random_bits(to == nullptr ? *resolved.format : *to);
  if (wanted >= 0 && wanted <= most) return {.bits = wanted == 0 ? most : wanted, .problem = {}};
  return {.problem = fmt::format("{} random bits are not 1 to {}, what {}.{} can use", wanted, most,
                                 resolved.format->name, resolved.operation->name)};
}

ResolvedFormat resolve_ref_format(std::string_view name) {
  const formats::Format* format = formats::find_format(name);
  if (format != nullptr) return {.format = format, .problem = {}};
  return {.problem =
              fmt::format("\"{}\" is no format; formats: {}", shown(name), ref_format_names())};
}

std::string ref_format_names() {
  std::string names;
  for (const formats::Format& f : formats::all_formats()) append_word(names, f.name);
  return names;
}

std::string ref_flag_names(unsigned flags) {
  constexpr soft::Named<soft::Flags> kNames[] = {{"inexact", soft::kInexact},
                                                 {"underflow", soft::kUnderflow},
                                                 {"overflow", soft::kOverflow},
                                                 {"division by zero", soft::kDivideByZero},
                                                 {"invalid", soft::kInvalid}};
  std::string names;
  for (const auto& row : kNames) {
    if ((flags & row.value) != 0) names.append(names.empty() ? "" : ", ").append(row.name);
  }
  return names.empty() ? "none" : names;
}

}  // namespace halfmark::tools
