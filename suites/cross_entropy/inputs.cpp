// SPDX-License-Identifier: Apache-2.0
// The data of a cross-entropy. README.md says what each fill is for.
#include <algorithm>
#include <array>

#include "reference/formats/classify.hpp"
#include "suites/core/case/fills.hpp"
#include "suites/core/case/named_rows.hpp"
#include "suites/cross_entropy/binding.hpp"

namespace halfmark::suites::cross_entropy {
namespace {

using formats::Bits;
using formats::Format;
using formats::Tensor;

constexpr int kUpstreamExponent = 10;
constexpr int kStepBits = 12;

struct Place {
  std::size_t row, column, width, index;
};

Bits ordinary(const Format& f, const Place& at, const Random& random) {
  return between(f, random, at.index, -4, 4, 0, kStepBits);
}

Bits spread(const Format& f, const Place& at, const Random& random) {
  return between(f, random, at.index, -150, 0, 0, kStepBits);
}

// Around 60000, in steps that every format can represent there.
Bits large(const Format& f, const Place& at, const Random& random) {
  return scaled(f, 234 - static_cast<std::int64_t>(random.below(at.index, 3)), 8);
}

// One logit far above the others: its exponential is the whole sum. All differences are integers.
Bits dominant(const Format& f, const Place& at, const Random& random) {
  const std::size_t chosen = random.derived(1).below(at.row, at.width);
  const auto low = -static_cast<std::int64_t>(random.below(at.index, 64));
  return scaled(f, at.column == chosen ? 128 : low, 0);
}

// -inf among logits: a few, all, all but one.
Bits masked(const Format& f, const Place& at, const Random& random) {
  const Bits live = ordinary(f, at, random);
  const std::size_t chosen = random.derived(1).below(at.row, at.width);
  switch (at.row % 4) {
    case 0:
      return formats::infinity(f, true);
    case 1:
      return at.column == chosen ? live : formats::infinity(f, true);
    default:
      return random.derived(2).below(at.index, 3) == 0 ? formats::infinity(f, true) : live;
  }
}

Bits special(const Format& f, const Place& at, const Random& random) {
  const Bits live = ordinary(f, at, random);
  const std::size_t chosen = random.derived(1).below(at.row, at.width);
  if (at.column != chosen) return live;
  switch (at.row % 4) {
    case 0:
      return formats::quiet_nan(f);
    case 1:
      return formats::infinity(f);
    default:
      return live;
  }
}

using Element = Bits (*)(const Format&, const Place&, const Random&);

struct Fill {
  std::string_view name;
  Element logit;
};

constexpr Fill kFills[] = {{"normal", ordinary}, {"ignored", ordinary},  {"padding", ordinary},
                           {"beyond", ordinary}, {"void", ordinary},     {"spread", spread},
                           {"large", large},     {"dominant", dominant}, {"masked", masked},
                           {"special", special}, {"related", ordinary}};

constexpr auto kNames = names_of(kFills);

// Labels out of range; the 64-bit one would be in range if its upper half were dropped.
std::int64_t stray_label(const Binding& b, std::size_t row) {
  const auto width = static_cast<std::int64_t>(b.width);
  const std::array<std::int64_t, 4> strays{
      width, -1, b.wide_labels ? (std::int64_t{1} << 32) + width / 2 : width + 5, 2147483647};
  return strays[row / 4 % strays.size()];
}

std::int64_t label(const Binding& b, const Random& random, std::size_t row) {
  if (b.fill == "void") return b.ignored();
  const auto some = static_cast<std::int64_t>(random.below(row, b.width));
  // The first and the last class always occur.
  if (row == 1) return static_cast<std::int64_t>(b.width) - 1;
  if (row == 2) return 0;
  if ((b.fill == "ignored" || b.fill == "padding") && row % 3 == 0) return b.ignored();
  if (b.fill == "beyond" && row % 4 == 3) return stray_label(b, row);
  return some;
}

}  // namespace

std::span<const std::string_view> fill_names() { return kNames; }

TensorSet make_inputs(const Case& c) {
  const Binding b = bind(c);
  const Element logit = row_named(kFills, b.fill).logit;
  TensorSet inputs;
  const Random random(c, "x");
  inputs.emplace("x", filled(*b.format, b.count(), [&](std::size_t i) {
                   return logit(*b.format, {i / b.width, i % b.width, b.width, i}, random);
                 }));
  Tensor target = Tensor::zeros(b.label_words(), b.rows);
  for (std::size_t r = 0; r < b.rows; ++r) {
    const auto word = static_cast<std::uint64_t>(label(b, Random(c, "target"), r));
    target.set(r, b.wide_labels ? word : word & 0xffffffffU);
  }
  inputs.emplace("target", std::move(target));
  if (!b.backward) return inputs;
  // A power of two where a single number is the upstream gradient, so that the exact fill
  // stays exact.
  Tensor dy = Tensor::zeros(formats::kFp32, b.rows);
  for (std::size_t r = 0; r < b.rows; ++r) {
    dy.set(r, scaled(formats::kFp32, r == 0 ? 1 : static_cast<std::int64_t>(r % 7) + 2,
                     kUpstreamExponent));
  }
  inputs.emplace("dy", std::move(dy));
  return inputs;
}

}  // namespace halfmark::suites::cross_entropy
