// SPDX-License-Identifier: Apache-2.0
// Boolean masks as used in attention: words that say which logits take part. Decides the contents
// of a mask and what a hidden logit becomes; softmax itself does not see the mask. A word is true
// unless all of its bits are zero (C11, 6.3.1.2). A logit whose word is false becomes -inf whatever
// its value: garbage in padding, including NaN and infinities, is not read as a number. A fully
// masked row is then a row of -inf. Masks have fewer rows than the logits and are shared.
#pragma once

#include "suites/core/case/fills.hpp"
#include "suites/softmax/binding.hpp"

namespace halfmark::suites::softmax {

/// How a mask is applied; all but the first are mistakes seen in practice.
enum class Hiding : std::uint8_t {
  kSpecified,
  kDropped,       // the mask is not applied
  kInverted,      // true words hide
  kAdded,         // -inf is added, so that NaN and +inf remain
  kLowestFinite,  // the lowest finite number of the format instead of -inf
  kToZero,        // zero instead of -inf
  kLowByte,       // only the low byte of a word counts
  kPositive,      // only positive words count as true
  kColumnBefore,  // an element uses the word of the previous column
  kFirstRow,      // the first row of the mask serves all rows
  kOtherSharing,  // rows of the mask are shared by neighbours instead of cyclically, or the reverse
};

/// The number of mask rows: row r of the logits uses row (r / neighbours) % rows.
struct MaskRows {
  std::size_t rows = 1, neighbours = 1;
};
[[nodiscard]] MaskRows mask_rows(const Binding& b);
[[nodiscard]] inline std::size_t mask_row(const MaskRows& mask, std::size_t row) {
  return row / mask.neighbours % mask.rows;
}
/// Whether a case has such a mask: in the fills `heads` and `padding`.
[[nodiscard]] bool hides(const Binding& b);
[[nodiscard]] bool only_for_kernels(std::string_view fill);

/// The mask: 32-bit words, carried as fp32. `heads`: one mask of queries by keys, which the heads
/// use in turn. `padding`: one row of keys for each sequence of four queries.
[[nodiscard]] formats::Tensor mask_words(const Binding& b, const Random& random);
/// Ordinary logits, with NaN, +inf and the largest number among those that the mask hides.
[[nodiscard]] formats::Tensor logits_behind(const Binding& b, const formats::Tensor& mask,
                                            const formats::Tensor& ordinary, const Random& random);
/// The logits after masking, to which softmax is applied.
[[nodiscard]] formats::Tensor hidden_logits(const Binding& b, const TensorSet& inputs,
                                            Hiding hiding);

}  // namespace halfmark::suites::softmax
