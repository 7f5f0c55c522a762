// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/numbers.hpp"

#include <fmt/format.h>

#include <charconv>
#include <string_view>
#include <system_error>

#include "reference/text/visible.hpp"

namespace halfmark::tools {
namespace {

template <typename Number>
bool parse_all(std::string_view word, Number& value) {
  const char* end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, value);
  return error == std::errc{} && stop == end;
}

}  // namespace

std::string whole_number_fault(const std::string& word, std::uint64_t least, std::uint64_t most) {
  std::uint64_t value = 0;
  // The parser would take a number with a leading zero for octal.
  const bool is_plain = word.size() == 1 || !word.starts_with('0');
  if (is_plain && parse_all(word, value) && least <= value && value <= most) return {};
  return fmt::format("'{}' is not a whole number from {} to {}", text::visible_line(word), least,
                     most);
}

std::string decimal_fault(const std::string& word, double least, double most) {
  double value = 0;
  // Neither comparison holds for a NaN.
  if (parse_all(word, value) && least <= value && value <= most) return {};
  return fmt::format("'{}' is not a number from {} to {}", text::visible_line(word), least, most);
}

CLI::Option* add_decimal(CLI::App& verb, const std::string& name, double& value,
                         const std::string& help, double least, double most) {
  return verb.add_option(name, value, help)->check([least, most](const std::string& word) {
    return decimal_fault(word, least, most);
  });
}

CLI::Option* add_timeout(CLI::App& verb, const std::string& name, double& seconds,
                         const std::string& help) {
  constexpr double kLeast = 0.001, kMost = 1'000'000;
  return add_decimal(verb, name, seconds, help, kLeast, kMost)
      ->type_name("SECONDS")
      ->capture_default_str();
}

CLI::Option* add_seed(CLI::App& verb, std::uint64_t& seed, const std::string& help) {
  return add_whole_number(verb, "--seed", seed, help)->type_name("N")->capture_default_str();
}

}  // namespace halfmark::tools
