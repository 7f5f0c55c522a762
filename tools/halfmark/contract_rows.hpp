// SPDX-License-Identifier: Apache-2.0
// `halfmark list --rows`: every rule that results are held to, with the document that it follows
// and who is bound by it. Decides how a rule is shown; rules live in
// suites/<operator>/contract.cpp.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "suites/core/case/case.hpp"

namespace halfmark::tools {

/// The rules of these suites (empty: all), each with the number of these cases that are held to it,
/// by provider.
[[nodiscard]] nlohmann::json contract_rows(const std::vector<std::string>& suite_names,
                                           const std::vector<suites::Case>& cases);

[[nodiscard]] std::string in_words(const nlohmann::json& rows);

}  // namespace halfmark::tools
