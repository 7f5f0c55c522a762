// SPDX-License-Identifier: Apache-2.0
// The contract rows of the arithmetic suite, and which row governs each operation.
#pragma once

#include <span>

#include "suites/arithmetic/operations.hpp"
#include "suites/core/case/contract.hpp"

namespace halfmark::suites::arithmetic {

[[nodiscard]] std::span<const ContractRow> contract();

[[nodiscard]] std::span<const NotAssertedRow> not_asserted();

[[nodiscard]] const ContractRow& row_for(const Operation& operation);

}  // namespace halfmark::suites::arithmetic
