// SPDX-License-Identifier: Apache-2.0
// Boolean masks, as attention has them: words that say which logits take part. Decides what a mask
// holds and what a logit behind it becomes; softmax itself knows nothing of it. A word is true
// unless all of its bits are zero (C11, 6.3.1.2). A logit whose word is false is -inf, whatever it
// was: garbage in padding, NaN and infinities included, is not read as a number. A row that is
// masked altogether is then a row of -inf. Masks have fewer rows than the logits and are shared.
#pragma once

#include "suites/core/case/fills.hpp"
#include "suites/softmax/binding.hpp"

namespace halfmark::suites::softmax {

/// What is done with a mask; all but the first are mistakes that are made.
enum class Hiding : std::uint8_t {
  kSpecified,
  kDropped,       // nothing
  kInverted,      // true words hide
  kAdded,         // -inf is added, so that NaN and +inf stay
  kLowestFinite,  // the lowest number of the format instead of -inf
  kToZero,        // zero instead
  kLowByte,       // of a word counts
  kPositive,      // words count
  kColumnBefore,  // has the word of an element
  kFirstRow,      // of the mask serves all
  kOtherSharing,  // rows of the mask are shared by neighbours instead of in turn, or the reverse
};

/// Rows of the mask: row r of the logits has row (r / neighbours) % rows.
struct MaskRows {
  std::size_t rows = 1, neighbours = 1;
};
[[nodiscard]] MaskRows mask_rows(const Binding& b);
[[nodiscard]] inline std::size_t mask_row(const MaskRows& mask, std::size_t row) {
  return row / mask.neighbours % mask.rows;
}
/// Whether a case has such a mask, in the fills `heads` and `padding`.
[[nodiscard]] bool hides(const Binding& b);
[[nodiscard]] bool only_for_kernels(std::string_view fill);

/// The mask: words of 32 bits, carried as fp32. `heads`: one mask of queries by keys, which all
/// heads take in turn. `padding`: one row of keys for each sequence of four queries.
[[nodiscard]] formats::Tensor mask_words(const Binding& b, const Random& random);
/// Ordinary logits, with NaN, +inf and the largest number among those that the mask hides.
[[nodiscard]] formats::Tensor logits_behind(const Binding& b, const formats::Tensor& mask,
                                            const formats::Tensor& ordinary, const Random& random);
/// The logits that softmax is taken of.
[[nodiscard]] formats::Tensor hidden_logits(const Binding& b, const TensorSet& inputs,
                                            Hiding hiding);

}  // namespace halfmark::suites::softmax
