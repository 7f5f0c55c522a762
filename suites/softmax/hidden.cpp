// SPDX-License-Identifier: Apache-2.0
#include "suites/softmax/hidden.hpp"

#include <algorithm>
#include <iterator>

#include "reference/formats/classify.hpp"

namespace halfmark::suites::softmax {
namespace {

using formats::Bits;
using formats::Format;
using formats::Tensor;

constexpr std::size_t kShare = 4;  // heads, or queries of a sequence

// True as a word, and false under some wrong reading: negative, no bits in the low byte, a zero
// of fp32.
Bits true_word(std::uint64_t drawn) {
  constexpr Bits kWords[] = {1, 0xffffffff, 0x100, 2, 0x80000000, 0x7fffffff};
  return kWords[drawn % std::size(kWords)];
}

// The keys that a query sees: the first ones, some, none, one.
bool query_sees(std::size_t query, std::size_t column, std::size_t width, const Random& random) {
  switch (query % 4) {
    case 0:
      return column <= query * width / 8;
    case 1:
      return random.below(query * width + column, 3) != 0;
    case 2:
      return false;
    default:
      return column == random.derived(1).below(query, width);
  }
}

// The length of a sequence: partial, full, zero, one.
bool sequence_has(std::size_t sequence, std::size_t column, std::size_t width,
                  const Random& random) {
  switch (sequence % 4) {
    case 0:
      return column <= random.below(sequence, width);
    case 1:
      return true;
    case 2:
      return false;
    default:
      return column == 0;
  }
}

// The value that replaces an element whose mask word is `word`.
Bits behind(const Format& f, Bits logit, Bits word, Hiding hiding) {
  bool seen = word != 0;
  if (hiding == Hiding::kInverted) seen = !seen;
  if (hiding == Hiding::kLowByte) seen = (word & 0xff) != 0;
  if (hiding == Hiding::kPositive) seen = word != 0 && word < 0x80000000;
  if (seen || hiding == Hiding::kDropped) return logit;
  if (hiding == Hiding::kLowestFinite) return formats::max_finite(f, true);
  if (hiding == Hiding::kToZero) return formats::zero(f);
  const bool stays = formats::is_nan(f, logit) || logit == formats::infinity(f);
  return hiding == Hiding::kAdded && stays ? formats::quiet_nan(f) : formats::infinity(f, true);
}

}  // namespace

bool only_for_kernels(std::string_view fill) { return fill == "heads" || fill == "padding"; }
bool hides(const Binding& b) { return only_for_kernels(b.fill); }

MaskRows mask_rows(const Binding& b) {
  const std::size_t rows = (b.rows + kShare - 1) / kShare;
  return {.rows = rows, .neighbours = b.fill == "padding" ? kShare : 1};
}

Tensor mask_words(const Binding& b, const Random& random) {
  const std::size_t rows = mask_rows(b).rows;
  const auto sees = b.fill == "padding" ? sequence_has : query_sees;
  Tensor mask = Tensor::zeros(formats::kFp32, rows * b.width);
  for (std::size_t i = 0; i < mask.count(); ++i) {
    if (sees(i / b.width, i % b.width, b.width, random))
      mask.set(i, true_word(random.derived(2).at(i)));
  }
  return mask;
}

Tensor logits_behind(const Binding& b, const Tensor& mask, const Tensor& ordinary,
                     const Random& random) {
  const Format& f = *ordinary.format;
  const Bits garbage[] = {formats::quiet_nan(f), formats::infinity(f), formats::max_finite(f)};
  const MaskRows rows = mask_rows(b);
  Tensor logits = ordinary;
  for (std::size_t i = 0; i < logits.count(); ++i) {
    const std::uint64_t drawn = random.below(i, 2 * std::size(garbage));
    const std::size_t at = mask_row(rows, i / b.width) * b.width + i % b.width;
    if (mask.at(at) == 0 && drawn < std::size(garbage)) logits.set(i, garbage[drawn]);
  }
  return logits;
}

Tensor hidden_logits(const Binding& b, const TensorSet& inputs, Hiding hiding) {
  const Tensor& mask = inputs.at("mask");
  MaskRows rows = mask_rows(b);
  if (hiding == Hiding::kFirstRow) rows.rows = 1;
  if (hiding == Hiding::kOtherSharing) rows.neighbours = kShare + 1 - rows.neighbours;
  Tensor logits = inputs.at("x");
  for (std::size_t i = 0; i < logits.count(); ++i) {
    const std::size_t column = i % b.width;
    const bool before = hiding == Hiding::kColumnBefore && column > 0;
    const std::size_t at = mask_row(rows, i / b.width) * b.width + column - (before ? 1 : 0);
    logits.set(i, behind(*logits.format, logits.at(i), mask.at(at), hiding));
  }
  return logits;
}

}  // namespace halfmark::suites::softmax
