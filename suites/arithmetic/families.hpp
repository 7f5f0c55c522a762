// SPDX-License-Identifier: Apache-2.0
// Mistaken operations with a parameter that only a device's results reveal: the bits of an
// intermediate result, the good bits of a reciprocal, the limit of an exponent. Decides the bits of
// each member of a family; departures.hpp has the mistakes without a parameter.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "suites/arithmetic/operations.hpp"
#include "suites/core/case/finding_classes.hpp"

namespace halfmark::suites::arithmetic {

struct Member {
  std::string name;
  FindingClassName finding_class;
  std::string sentence;
  std::function<formats::Bits(const Operands&)> evaluate;
  const formats::Format* computed_in = nullptr;  // as in Hypothesis
};

/// Results that are rounded or cut to some number of bits first, or where they are subnormal in
/// another direction; sums whose smaller term loses bits as it is aligned.
[[nodiscard]] std::vector<Member> intermediate_roundings(const Operation& operation);
/// Quotients and roots by way of a reciprocal with some number of good bits: see reciprocals.cpp.
[[nodiscard]] std::vector<Member> reciprocals(const Operation& operation);
/// ldexp with an exponent that is limited, or applied in steps.
[[nodiscard]] std::vector<Member> scalings(const Operation& operation);

/// All of them.
[[nodiscard]] std::vector<Member> families(const Operation& operation);

/// A format with this many bits of precision and the exponents of fp64.
[[nodiscard]] constexpr formats::Format of_precision(int bits) {
  constexpr formats::Format kWide = formats::kFp64;
  formats::Format f = kWide;
  f.name = {};
  f.aliases = {};
  f.fraction_bits = bits - 1;
  f.bits = 1 + kWide.exponent_bits + f.fraction_bits;
  return f;
}

}  // namespace halfmark::suites::arithmetic
