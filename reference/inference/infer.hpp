// SPDX-License-Identifier: Apache-2.0
// Which arithmetic a black box that multiplies matrices has.
//
// 1. The same question twice, and with its rows and columns in another order: a box whose answers
//    depend on anything but the row and the column has no arithmetic to find.
// 2. Special values (findings.hpp), then the summation tree (structure.hpp), then what its nodes
//    keep.
// 3. Hypotheses (hypothesis.hpp), stage by stage, must reproduce every recorded answer: all of step
//    2 but most of the structure's questions, and random data. Those left are told apart by data on
//    which they themselves differ, found without asking the box; what no data of many thousand sums
//    tells apart is reported as equivalent.
// 4. The first hypothesis left is confirmed on fresh data. One wrong bit ends it.
//
// A box is named only if every bit of everything that it was asked is explained.
#pragma once

#include "reference/inference/findings.hpp"
#include "reference/inference/hypothesis.hpp"

namespace halfmark::inference {

enum class Outcome : std::uint8_t {
  kNamed,          // `name` is a name that models::parse_arithmetic reads
  kDescribed,      // explained, but by a description: `name` is words
  kUnexplained,    // `name` is the best candidate, if any
  kNotRepeatable,  // the same question had two answers
  kNotUniform,     // an output depends on its place in the matrix
};
[[nodiscard]] std::string_view to_string(Outcome outcome);

// A hypothesis that agrees with the first one wherever the two were compared, and why.
struct Equivalent {
  std::string name;
  std::string reason;
};

struct Inference {
  Outcome outcome = Outcome::kUnexplained;
  std::string name;
  std::optional<Hypothesis> hypothesis;
  std::vector<Equivalent> equivalents;
  Agreement agreement;  // of `name`, on the confirming data, or on the record when unexplained
  Structure structure;
  std::vector<Finding> findings;
  std::size_t calls = 0;
};

// Throws what the box throws, and SubjectError for an answer of the wrong shape. The length of the
// sums must be from kShortest to kLongest.
inline constexpr std::size_t kShortest = 3, kLongest = 128;
[[nodiscard]] Inference infer(const Subject& subject, std::uint64_t seed = 1);

}  // namespace halfmark::inference
