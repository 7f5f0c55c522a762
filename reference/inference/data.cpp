// SPDX-License-Identifier: Apache-2.0
#include "reference/inference/data.hpp"

#include <algorithm>

#include "reference/formats/classify.hpp"

namespace halfmark::inference {
namespace {

// Random numbers of one format.
class Numbers {
 public:
  Numbers(const Format& format, Random& random) : format_(format), random_(random) {}

  // A number with this exponent, or the nearest that the format has; with few significant bits
  // or many.
  Bits with_exponent(int exponent) {
    const int clamped = std::clamp(exponent, format_.min_exponent(), format_.max_exponent() - 1);
    Bits fraction = random_.word() & format_.fraction_mask();
    if (random_.one_in(3)) fraction = 0;
    if (random_.one_in(4)) fraction = format_.fraction_mask() & ~Bits{0} << random_.below(4);
    return static_cast<Bits>(clamped + format_.bias) << format_.fraction_bits | fraction | sign();
  }
  Bits subnormal() {
    return (format_.fraction_bits == 0 ? 0 : random_.word() & format_.fraction_mask()) | sign();
  }
  Bits anything() {
    for (;;) {
      const Bits bits = random_.word() & format_.mask();
      if (formats::classify(format_, bits) <= formats::Class::kNormal) return bits;
    }
  }
  [[nodiscard]] const Format& format() const { return format_; }

 private:
  Bits sign() { return random_.one_in(2) ? format_.sign_mask() : 0; }

  const Format& format_;
  Random& random_;
};

// How the numbers of a row are generated.
enum class Kind : std::uint8_t {
  kNearOne,     // exponents within a few places
  kSpread,      // exponents far apart, around a common middle
  kLadder,      // every product a few places below the one before
  kCancelling,  // most products have a neighbour of the opposite sign
  kBottom,      // near and below the smallest normal number
  kBottomFew,   // the same, but mostly zeros, so that tiny sums stay tiny
  kTop,         // near the largest
  kAnything,
  kSparse,  // zeros of both signs, few numbers
  kEnd
};

Bits row_element(Kind kind, Numbers& numbers, Random& random, std::size_t x) {
  const Format& f = numbers.format();
  switch (kind) {
    case Kind::kNearOne:
    case Kind::kCancelling:
      return numbers.with_exponent(random.between(-3, 3));
    case Kind::kSpread:
      return numbers.with_exponent(random.between(-24, 15));
    case Kind::kLadder:
      return numbers.with_exponent(12 - static_cast<int>(x % 32) + random.between(-1, 1));
    case Kind::kBottomFew:
      if (!random.one_in(4)) return formats::zero(f);
      [[fallthrough]];
    case Kind::kBottom:
      return random.one_in(2) ? numbers.subnormal()
                              : numbers.with_exponent(f.min_exponent() + random.between(0, 3));
    case Kind::kTop:
      return numbers.with_exponent(f.max_exponent() - random.between(1, 4));
    case Kind::kSparse:
      return random.one_in(3) ? numbers.with_exponent(random.between(-8, 8))
                              : formats::zero(f, f.has_sign && random.one_in(2));
    case Kind::kAnything:
    case Kind::kEnd:
      break;
  }
  return numbers.anything();
}

Kind fill_row(Question& question, std::size_t row, Random& random) {
  const std::size_t k = question.problem.k;
  const Format& f = *question.a.format;
  Numbers numbers(f, random);
  const auto kind = static_cast<Kind>(random.below(static_cast<std::size_t>(Kind::kEnd)));
  for (std::size_t x = 0; x < k; ++x) {
    question.a.set(row * k + x, row_element(kind, numbers, random, x));
  }
  if (kind != Kind::kCancelling) return kind;
  for (std::size_t x = 0; x < k; ++x) {
    const std::size_t other = random.below(k);
    if (random.one_in(4)) continue;
    const Bits nudge = random.one_in(2) ? 0 : random.below(3);
    question.a.set(row * k + x, (question.a.at(row * k + other) ^ f.sign_mask()) ^ nudge);
  }
  return kind;
}

Bits column_element(std::size_t column, Numbers& numbers, Random& random) {
  const Format& f = numbers.format();
  if (column == 0) return static_cast<Bits>(f.bias) << f.fraction_bits;
  if (column == 1) return numbers.with_exponent(random.between(-2, 2));
  if (column == 2) return numbers.with_exponent(random.between(-20, 8)) & ~f.fraction_mask();
  return random.one_in(2) ? numbers.anything() : numbers.with_exponent(random.between(-6, 6));
}

Bits addend(Kind kind, Numbers& numbers, Random& random) {
  const Format& f = numbers.format();
  const bool bottom = kind == Kind::kBottom || kind == Kind::kBottomFew;
  if (bottom && random.one_in(2))
    return numbers.with_exponent(f.min_exponent() + random.between(0, 2));
  switch (random.below(6)) {
    case 0:
      return formats::zero(f, random.one_in(2));
    case 1:
      return numbers.subnormal();
    case 2:
      return numbers.anything();
    case 3:
      return numbers.with_exponent(random.between(-30, 30));
    default:
      return numbers.with_exponent(random.between(-4, 8));
  }
}

}  // namespace

Question random_question(const Laboratory& laboratory, std::size_t rows, std::uint64_t seed) {
  Random random(seed);
  Question question = laboratory.blank(rows, kColumns);
  const std::size_t k = question.problem.k;
  std::vector<Kind> kinds;
  for (std::size_t row = 0; row < rows; ++row) kinds.push_back(fill_row(question, row, random));
  Numbers b(*question.b.format, random);
  for (std::size_t x = 0; x < k; ++x) {
    for (std::size_t j = 0; j < kColumns; ++j) {
      question.b.set(x * kColumns + j, column_element(j, b, random));
    }
  }
  if (question.c.format == nullptr) return question;
  Numbers c(*question.c.format, random);
  for (std::size_t i = 0; i < question.c.count(); ++i) {
    question.c.set(i, addend(kinds[i / kColumns], c, random));
  }
  return question;
}

}  // namespace halfmark::inference
