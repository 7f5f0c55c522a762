// SPDX-License-Identifier: Apache-2.0
// Sums laid out to show what an arithmetic loses and where: small products before, between and
// after the largest ones, whose cancellation uncovers what is left of them, and a tie of D where
// they are too small for D itself. Narrow formats need them: few of their random sums round at all.
//
// All numbers follow from the ranges and precisions of the formats, and are finite. This file knows
// no arithmetics and does not judge answers.
#pragma once

#include "reference/inference/subject.hpp"

namespace halfmark::inference {

// A question for each layout. Its rows and columns are the powers of two that the small products
// can be, with both signs relative to the others, and the same sums negated.
[[nodiscard]] std::vector<Question> directed_questions(const Laboratory& laboratory);

}  // namespace halfmark::inference
