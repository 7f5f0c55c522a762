// SPDX-License-Identifier: Apache-2.0
// Which specification states which bound for which function, and the contract rows made of that.
// Bounds are keyed by specification and function, never by device; a device says through a promise
// (`functions.<specification>`) which specification it follows.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "reference/formats/format.hpp"
#include "suites/core/case/contract.hpp"

namespace halfmark::suites::elementary {

/// What the error of a function is counted from: its exact value, or that value rounded to the
/// nearest number, from which one more half of a ULP is allowed.
enum class Origin : std::uint8_t { kExact, kRounded };

/// How the bound depends on the operand.
enum class Shape : std::uint8_t {
  kConstant,
  kGrowing,    // two ULP more for every unit of |x|
  kNearOne,    // 2^-21 where x is from 1/2 to 2
  kOneCircle,  // 2^-11 where x is from -pi to pi; elsewhere nothing is promised
};

/// A bound in ULP. Specifications state whole ones and halves (2.5 ulp of a quotient).
struct Ulps {
  std::uint64_t halves = 0;

  constexpr Ulps() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): a whole number of ULP is one
  constexpr Ulps(std::uint64_t whole) : halves(2 * whole) {}
  [[nodiscard]] static constexpr Ulps and_a_half(std::uint64_t whole) {
    Ulps ulps(whole);
    ++ulps.halves;
    return ulps;
  }
  [[nodiscard]] constexpr std::uint64_t whole() const { return halves / 2; }
  [[nodiscard]] constexpr bool is_whole() const { return halves % 2 == 0; }
  /// What a row of whole ULP holds; the range around the exact value decides (enclosure).
  [[nodiscard]] constexpr std::uint64_t rounded_up() const { return (halves + 1) / 2; }
  [[nodiscard]] constexpr bool operator==(const Ulps&) const = default;
};

struct Bound {
  std::string_view rules;     // the specification: the case's token
  std::string_view kind;      // "standard", or "half" (at least half the precision, and fast)
  std::string_view function;  // a name of callees()
  Ulps ulps;
  std::string_view source;
  Origin origin;
  Shape shape = Shape::kConstant;
  /// A profile that no interface at hand promises: a run holds its cases where they alone are asked
  /// for by name, operands are those that it defines, and results beyond it are deviations.
  bool profile = false;
  const formats::Format* format = &formats::kFp32;  // of operands and result
};

[[nodiscard]] std::span<const Bound> bounds();
/// Null when the specification has no such function.
[[nodiscard]] const Bound* find_bound(std::string_view format, std::string_view rules,
                                      std::string_view kind, std::string_view function);

[[nodiscard]] std::span<const ContractRow> contract();
[[nodiscard]] const ContractRow& row_of(const Bound& bound);
/// Whether the specification says what the function is at zeros, infinities and NaN.
[[nodiscard]] bool has_edges(const Bound& bound);
/// There: bit for bit.
[[nodiscard]] const ContractRow& edge_row_of(const Bound& bound);
[[nodiscard]] std::span<const NotAssertedRow> not_asserted();

}  // namespace halfmark::suites::elementary
