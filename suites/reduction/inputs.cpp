// SPDX-License-Identifier: Apache-2.0
// The data of a reduction. README.md says what each fill is for.
#include <algorithm>
#include <array>

#include "reference/formats/classify.hpp"
#include "suites/core/case/fills.hpp"
#include "suites/reduction/binding.hpp"

namespace halfmark::suites::reduction {
namespace {

using formats::Bits;
using formats::Format;

constexpr std::array<std::string_view, 12> kFills = {"ones", "integer",  "normal", "negative",
                                                     "nan",  "infinity", "swing",  "lowest",
                                                     "wide", "related",  "padded", "columns"};

// -inf, the lowest number, or numbers next to it: only the identity -inf is not above any of them.
Bits lowest(const Format& f, const Random& random, std::size_t row, std::size_t index) {
  if (row % 3 == 0) return formats::infinity(f, true);
  const Bits least = formats::max_finite(f, true);
  const std::uint64_t above = 1 + random.derived(1).below(row, 4096);
  return row % 3 == 1 ? least : least - random.below(index, above);
}

// Large terms that cancel before the end, and a small remainder.
Bits swinging(const Format& f, std::size_t row, std::size_t column, std::size_t width) {
  if (column + 1 == width || column >= width / 4 * 4)
    return scaled(f, 1 + static_cast<std::int64_t>(row % 4), 5);
  return scaled(f, column % 4 < 2 ? 60000 : -60000, 0);
}

// Whole numbers with as many bits as fp16 has: sums of two need more, and fp32 holds thousands.
Bits wide(const Format& f, const Random& random, std::size_t index) {
  constexpr int kMostDigits = 11;
  const int digits = std::min(f.precision(), kMostDigits);
  const auto size =
      static_cast<std::int64_t>(random.below(index, (std::uint64_t{2} << digits) - 1));
  return scaled(f, size - ((std::int64_t{1} << digits) - 1), 0);
}

// All bits of the format, from 2^-6 to 2^7, mostly of one sign: sums round, and no result is tiny.
Bits full(const Format& f, const Random& random, std::size_t index) {
  const std::int64_t one = std::int64_t{1} << f.fraction_bits;
  const auto size =
      one + static_cast<std::int64_t>(random.below(index, static_cast<std::uint64_t>(one)));
  const bool negative = random.derived(1).below(index, 8) == 0;
  const int exponent = static_cast<int>(random.derived(2).below(index, 13)) - 6;
  return scaled(f, negative ? -size : size, exponent - f.fraction_bits);
}

Bits element(const Binding& b, const Random& random, std::size_t row, std::size_t column) {
  const Format& f = *b.format;
  const std::size_t index = row * b.width + column;
  // With one row more than columns, every column is chosen once, and none in the last row.
  const bool chosen = column == row * b.width / std::max<std::size_t>(1, b.rows - 1);
  // Rows lie at different levels, so that one result for all rows is wrong.
  const auto level = static_cast<std::int64_t>(row % 4);
  const auto integer = static_cast<std::int64_t>(random.below(index, 9)) - 4 + level;
  // So many that the maximum differs from row to row, and in rows that hold all of them, too.
  if (is_strided(b.fill)) {
    const std::uint64_t values = 255 - 8 * (row % 4);
    return scaled(f, static_cast<std::int64_t>(random.below(index, values)) - 127, 0);
  }
  if (b.fill == "ones") return scaled(f, 1, -static_cast<int>(row % 4));
  if (b.fill == "negative") return scaled(f, integer - 12, 0);
  if (b.fill == "nan" && chosen) return formats::quiet_nan(f) | (row % 2 != 0 ? f.sign_mask() : 0);
  // The first is negative: sums of long rows overflow in the other direction.
  if (b.fill == "infinity" && chosen) return formats::infinity(f, row % 2 == 0);
  if (b.fill == "wide") return wide(f, random, index);
  if (b.fill == "related") return full(f, random, index);
  if (b.fill == "lowest") return lowest(f, random, row, index);
  if (b.fill == "swing") return swinging(f, row, column, b.width);
  return scaled(f, integer, 0);
}

}  // namespace

std::span<const std::string_view> fill_names() { return kFills; }

TensorSet make_inputs(const Case& c) {
  const Binding b = bind(c);
  const Random random(c, "x");
  TensorSet inputs;
  if (b.fill == "normal") {
    inputs.emplace("x", fill(*b.format, b.rows * b.width, "normal", random));
    return inputs;
  }
  formats::Tensor x = formats::Tensor::zeros(*b.format, b.count());
  // Between rows lie elements that must not be read.
  for (std::size_t i = 0; is_strided(b.fill) && i < x.count(); ++i)
    x.set(i, formats::quiet_nan(*b.format));
  for (std::size_t row = 0; row < b.rows; ++row) {
    for (std::size_t column = 0; column < b.width; ++column) {
      x.set(row * b.row_step + column * b.element_step, element(b, random, row, column));
    }
  }
  inputs.emplace("x", std::move(x));
  return inputs;
}

}  // namespace halfmark::suites::reduction
