// SPDX-License-Identifier: Apache-2.0
// Infers which arithmetic a black box that multiplies matrices uses.
//
// 1. It asks the same question three times, and with rows and columns permuted: a box whose answers
//    depend on anything except the row and the column has no arithmetic to find.
// 2. It measures special values (findings.hpp), then the summation tree (structure.hpp), then what
//    the tree's nodes keep. Without a tree it asks the questions of directed.hpp instead.
// 3. Hypotheses (hypothesis.hpp), stage by stage, must reproduce every recorded answer: all of step
//    2 except most of the structure's questions, and random data. Surviving hypotheses are
//    separated by data on which they differ from each other, found without asking the box;
//    hypotheses that many thousand sums do not separate are reported as equivalent.
// 4. The first survivor is confirmed on fresh data. One wrong bit refutes it.
//
// A box is named only if every bit of all its answers is explained.
#pragma once

#include "reference/inference/findings.hpp"
#include "reference/inference/hypothesis.hpp"

namespace halfmark::inference {

enum class Outcome : std::uint8_t {
  kNamed,          // `name` is a name that models::parse_arithmetic reads
  kDescribed,      // explained, but only by a description: `name` is in words
  kUnexplained,    // `name` is the best candidate, if any
  kNotRepeatable,  // the same question got two answers
  kNotUniform,     // an output depends on its place in the matrix
};
[[nodiscard]] std::string_view to_string(Outcome outcome);

// A hypothesis that agrees with the first one wherever the two were compared, and the reason.
struct Equivalent {
  std::string name;
  std::string reason;
};

struct Inference {
  Outcome outcome = Outcome::kUnexplained;
  std::string name;
  std::optional<Hypothesis> hypothesis;
  std::vector<Equivalent> equivalents;
  Agreement agreement;  // of `name`, on the confirmation data, or on the record if unexplained
  Structure structure;
  std::vector<Finding> findings;
  std::size_t calls = 0;
};

// Propagates what the box throws, and throws SubjectError if an answer has the wrong shape. The
// length of the sums must be from kShortest to kLongest.
inline constexpr std::size_t kShortest = 3, kLongest = 128;
[[nodiscard]] Inference infer(const Subject& subject, std::uint64_t seed = 1);

}  // namespace halfmark::inference
