// SPDX-License-Identifier: Apache-2.0
// Contract rows: every assertion that Halfmark makes is one row, which cites the text that promises
// it. Decides what a row can express. Rows live in suites/<operator>/contract.cpp and are never
// keyed by vendor or device.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace halfmark::suites {

enum class Tier {
  kExact,
  kSpecified,
  kModelled,  // a named arithmetic, found by probes, explains every bit
  kBounded,   // only an a-priori bound: nobody specifies the arithmetic
  kRepeatable
};

[[nodiscard]] constexpr std::string_view name_of(Tier tier) {
  switch (tier) {
    case Tier::kExact:
      return "exact";
    case Tier::kSpecified:
      return "specified";
    case Tier::kModelled:
      return "modelled";
    case Tier::kBounded:
      return "bounded";
    case Tier::kRepeatable:
      return "repeatable";
  }
  return "";
}

/// A behaviour that an API may leave open, and the device capability that closes it.
struct Freedom {
  std::string_view name;
  std::string_view capability;
};

/// An operation may read or return zero for a subnormal, or return a zero of either sign.
/// Conversions are not operations in this sense: loads and stores keep subnormals on every API.
inline constexpr Freedom kFp32Freedoms[] = {{"operation_subnormals", "fp32.subnormals"},
                                            {"signed_zero", "fp32.signed_zero"}};
/// One of fp16 may also round toward zero: an interface need not offer it another direction.
inline constexpr Freedom kFp16Freedoms[] = {{"operation_subnormals", "fp16.arithmetic.subnormals"},
                                            {"signed_zero", "fp16.arithmetic.signed_zero"},
                                            {"rounding_mode", "fp16.arithmetic.round_to_nearest"}};

/// A library's ReLU or maximum may also let a number win against a NaN: IEEE 754-2019, 9.6 has both
/// kinds of maximum, and formulas by cases leave NaN out.
inline constexpr Freedom kSelectionFreedoms[] = {{"operation_subnormals", "fp32.subnormals"},
                                                 {"nan_operands", "operators.nan"}};

/// In a library conversions are operations, too: nobody but its documents says how it loads. Its
/// function of many steps may flush and lose the signs of zeros in each of them, and its
/// exponential or maximum may let a number win against a NaN, and a softmax of nothing but -inf be
/// numbers. Where its documents state no accuracy, its steps may also be narrower than the bound
/// assumes: what exactly explains the bits then is a deviation if its class is one of lost digits
/// (finding_classes.hpp), and of no other kind. On exact data only a named arithmetic does.
inline constexpr Freedom kFunctionFreedoms[] = {
    {"operation_subnormals", "fp32.subnormals"}, {"conversion_subnormals", "fp32.subnormals"},
    {"signed_zero", "fp32.signed_zero"},         {"nan_operands", "operators.nan"},
    {"masked_rows", "operators.masked_rows"},    {"accuracy", "operators.accuracy"}};

/// A library's product may have a ReLU behind it, and may store its sum before it scales it, adds C
/// or a bias, or applies an activation, unless its documents say how it keeps what it has computed.
inline constexpr Freedom kProductFreedoms[] = {
    {"operation_subnormals", "fp32.subnormals"},
    {"conversion_subnormals", "fp32.subnormals"},
    {"signed_zero", "fp32.signed_zero"},
    {"nan_operands", "operators.nan"},
    {"internal_precision", "products.internal_precision"}};

/// Of a product with an activation behind it: both.
inline constexpr Freedom kActivatedFreedoms[] = {
    {"operation_subnormals", "fp32.subnormals"},
    {"conversion_subnormals", "fp32.subnormals"},
    {"signed_zero", "fp32.signed_zero"},
    {"nan_operands", "operators.nan"},
    {"accuracy", "operators.accuracy"},
    {"internal_precision", "products.internal_precision"}};

struct ContractRow {
  std::string_view id;  // "arithmetic.fma.fp32": stable, waivers name it
  Tier tier = Tier::kExact;
  std::string_view promise;  // what must hold, one sentence
  std::string_view source;   // standard and clause, guide, or Halfmark's kernel specification
  /// Freedoms that turn a wrong result from a violation into a deviation, unless the device
  /// promises otherwise. Empty: the source grants no freedom.
  std::span<const Freedom> freedoms = {};
  /// Largest allowed distance from the expected encoding, in ULP of the output format. 0: bit for
  /// bit (NaN as a class).
  std::uint64_t bound_ulps = 0;
};

/// The row of a suite's table with that id; an id that the table lacks does not compile.
[[nodiscard]] consteval const ContractRow& row_with_id(std::span<const ContractRow> rows,
                                                       std::string_view id) {
  for (const ContractRow& row : rows) {
    if (row.id == id) return row;
  }
  throw "no contract row has this id";
}

/// Something that a suite examines but does not assert; it never counts as a pass.
struct NotAssertedRow {
  std::string_view subject;
  std::string_view reason;
};

}  // namespace halfmark::suites
