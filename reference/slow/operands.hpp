// SPDX-License-Identifier: Apache-2.0
// Operands for tests: the corners of a format, and random encodings weighted towards what breaks
// arithmetic (exponent edges, runs of ones and zeros, neighbours of another operand).
#pragma once

#include <vector>

#include "reference/soft/environment.hpp"

namespace halfmark::slow {

using formats::Bits;
using formats::Format;

// Both signs of every pairing of an exponent field near an edge with a telling fraction; of formats
// of eight bits and fewer, every encoding.
[[nodiscard]] std::vector<Bits> corners(const Format& f);

// All five directions with all four subnormal policies.
[[nodiscard]] const std::vector<soft::Environment>& all_environments();
// Those with both overflow policies.
[[nodiscard]] const std::vector<soft::Environment>& all_policies();

// The rows of the table that a test is about.
[[nodiscard]] std::vector<Format> formats_where(bool (*holds)(const Format&));

// A reproducible stream (splitmix64).
class Operands {
 public:
  explicit Operands(std::uint64_t seed) : state_(seed) {}

  [[nodiscard]] std::uint64_t word();
  [[nodiscard]] Bits any(const Format& f);
  // Within a few last places of `bits`, either sign: what makes sums cancel.
  [[nodiscard]] Bits close_to(const Format& f, Bits bits);
  [[nodiscard]] const soft::Environment& environment();
  // Any of them for a result in that format: both overflow policies, and stochastic rounding too.
  [[nodiscard]] soft::Environment environment(const Format& result);

 private:
  std::uint64_t state_;
};

}  // namespace halfmark::slow
