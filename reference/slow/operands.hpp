// SPDX-License-Identifier: Apache-2.0
// Operands for tests: the corner values of a format, and random encodings weighted towards those
// that break arithmetic (exponent edges, runs of ones and zeros, neighbours of another operand).
#pragma once

#include <vector>

#include "reference/soft/environment.hpp"

namespace halfmark::slow {

using formats::Bits;
using formats::Format;

// Both signs of every combination of an exponent field near an edge with a significant fraction;
// for formats of eight bits and fewer, every encoding.
[[nodiscard]] std::vector<Bits> corners(const Format& f);

// All five directions, each with all four subnormal policies.
[[nodiscard]] const std::vector<soft::Environment>& all_environments();
// The same, each with both overflow policies.
[[nodiscard]] const std::vector<soft::Environment>& all_policies();

// The rows of the format table for which `holds` is true.
[[nodiscard]] std::vector<Format> formats_where(bool (*holds)(const Format&));

// A reproducible stream (splitmix64).
class Operands {
 public:
  explicit Operands(std::uint64_t seed) : state_(seed) {}

  [[nodiscard]] std::uint64_t word();
  [[nodiscard]] Bits any(const Format& f);
  // Within a few last places of `bits`, with either sign, so that sums cancel.
  [[nodiscard]] Bits close_to(const Format& f, Bits bits);
  [[nodiscard]] const soft::Environment& environment();
  // Any environment for a result in that format: both overflow policies, and stochastic rounding.
  [[nodiscard]] soft::Environment environment(const Format& result);

 private:
  std::uint64_t state_;
};

}  // namespace halfmark::slow
