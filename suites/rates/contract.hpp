// SPDX-License-Identifier: Apache-2.0
// The contract rows of the rates suite: one for each operation and kind of number.
#pragma once

#include <span>
#include <string_view>

#include "suites/core/case/contract.hpp"

namespace halfmark::suites::rates {

[[nodiscard]] std::span<const ContractRow> contract();

/// "rates.fp16.fma": the row of that name; it must exist (a programming error otherwise).
[[nodiscard]] const ContractRow& row_named(std::string_view format, std::string_view operation);

}  // namespace halfmark::suites::rates
