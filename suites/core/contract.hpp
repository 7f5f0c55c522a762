// SPDX-License-Identifier: Apache-2.0
// Contract rows: every assertion that Halfmark makes is one of these, with the text that promises it.
// Decides what a row can say. Rows live in suites/<operator>/contract.cpp, never keyed by vendor or device.
#pragma once

#include <cstdint>
#include <string_view>

namespace halfmark::suites {

enum class Tier { kExact, kSpecified, kModelled, kRepeatable };

[[nodiscard]] constexpr std::string_view name_of(Tier tier) {
  switch (tier) {
    case Tier::kExact: return "exact";
    case Tier::kSpecified: return "specified";
    case Tier::kModelled: return "modelled";
    case Tier::kRepeatable: return "repeatable";
  }
  return "";
}

struct ContractRow {
  std::string_view id;        // "arithmetic.fma.fp32": stable, waivers name it
  Tier tier = Tier::kExact;
  std::string_view promise;   // what must hold, one sentence
  std::string_view source;    // standard and clause, guide, or Halfmark's kernel specification
  /// Capability whose absence permits results of class `freedom_class`: they are then a deviation, not a violation.
  /// Empty: the source grants no freedom.
  std::string_view freedom = {};
  std::string_view freedom_class = {};
  /// Largest allowed distance from the expected encoding, in ULP of the output format. 0: bit for bit (NaN as a class).
  std::uint64_t bound_ulps = 0;
};

/// What a suite looks at and does not assert; it never counts as a pass.
struct NotAssertedRow {
  std::string_view subject;
  std::string_view reason;
};

}  // namespace halfmark::suites
