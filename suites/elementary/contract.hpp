// SPDX-License-Identifier: Apache-2.0
// Which specification states which bound for which function, and the contract rows built from that.
// Bounds are keyed by specification and function, never by device; a device declares the
// specification it follows by a promise (`functions.<specification>`).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "reference/formats/format.hpp"
#include "reference/operators/ulp_range.hpp"
#include "suites/core/case/contract.hpp"

namespace halfmark::suites::elementary {

/// What an error is measured from: the exact value, or that value rounded to nearest, which allows
/// another half ULP.
enum class Origin : std::uint8_t { kExact, kRounded };

/// How the bound depends on the operand.
enum class Shape : std::uint8_t {
  kConstant,
  kGrowing,    // two more ULP per unit of |x|
  kNearOne,    // 2^-21 absolute for x from 1/2 to 2
  kOneCircle,  // 2^-11 absolute for x from -pi to pi; nothing is promised elsewhere
};

using operators::Ulps;

struct Bound {
  std::string_view rules;  // the specification: the case's token
  // "standard", or "half" (at least half the precision, and fast).
  std::string_view kind;
  std::string_view function;  // a name in callees()
  Ulps ulps;
  std::string_view source;
  Origin origin;
  Shape shape = Shape::kConstant;
  /// A profile that no interface at hand promises. A run contains its cases only if they are
  /// requested by name, operands are limited to those that it defines, and results beyond the bound
  /// are deviations.
  bool profile = false;
  const formats::Format* format = &formats::kFp32;  // of operands and result
};

[[nodiscard]] std::span<const Bound> bounds();
/// Null when the specification does not cover the function.
[[nodiscard]] const Bound* find_bound(std::string_view format, std::string_view rules,
                                      std::string_view kind, std::string_view function);

[[nodiscard]] std::span<const ContractRow> contract();
[[nodiscard]] const ContractRow& row_of(const Bound& bound);
/// Whether the specification defines the function at zeros, infinities and NaN.
[[nodiscard]] bool has_edges(const Bound& bound);
/// Whether it also prescribes zero where the function's value is zero.
[[nodiscard]] bool has_exact_zeros(const Bound& bound);
[[nodiscard]] std::string_view source_of_edges(const Bound& bound);
/// The row for those operands, judged bit for bit.
[[nodiscard]] const ContractRow& edge_row_of(const Bound& bound);
[[nodiscard]] std::span<const NotAssertedRow> not_asserted();

}  // namespace halfmark::suites::elementary
