// SPDX-License-Identifier: Apache-2.0
// Options that take a number. The parser by itself would clamp values that are too large, wrap
// negative ones around and accept nan. Decides that a number must be written in full, as decimal
// digits, and that any other word is a usage error that states what is accepted.
#pragma once

#include <CLI/App.hpp>
#include <CLI/Option.hpp>
#include <CLI/Validators.hpp>
#include <cstdint>
#include <limits>
#include <string>

namespace halfmark::tools {

/// What is wrong with the word; empty if it is a whole number in the range.
[[nodiscard]] std::string whole_number_fault(const std::string& word, std::uint64_t least,
                                             std::uint64_t most);
/// The same for a number that may have decimals.
[[nodiscard]] std::string decimal_fault(const std::string& word, double least, double most);

/// Adds the option with its range.
template <typename Number>
CLI::Option* add_whole_number(
    CLI::App& verb, const std::string& name, Number& value, const std::string& help,
    std::uint64_t least = 0,
    std::uint64_t most = static_cast<std::uint64_t>(std::numeric_limits<Number>::max())) {
  return verb.add_option(name, value, help)->check([least, most](const std::string& word) {
    return whole_number_fault(word, least, most);
  });
}

CLI::Option* add_decimal(CLI::App& verb, const std::string& name, double& value,
                         const std::string& help, double least, double most);

/// Adds --timeout, under the name that the verb gives it: from a thousandth of a second to
/// eleven days.
CLI::Option* add_timeout(CLI::App& verb, const std::string& name, double& seconds,
                         const std::string& help);

/// Adds --seed.
CLI::Option* add_seed(CLI::App& verb, std::uint64_t& seed, const std::string& help);

}  // namespace halfmark::tools
