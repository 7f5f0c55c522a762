// SPDX-License-Identifier: Apache-2.0
// The contract rows of the rates suite: one for each operation and kind of number.
#pragma once

#include <span>
#include <string_view>

#include "suites/core/case/contract.hpp"

namespace halfmark::suites::rates {

[[nodiscard]] std::span<const ContractRow> contract();

/// The row "rates.fp16.fma", for example; it must exist, anything else is a programming error.
[[nodiscard]] const ContractRow& row_named(std::string_view format, std::string_view operation);

}  // namespace halfmark::suites::rates
