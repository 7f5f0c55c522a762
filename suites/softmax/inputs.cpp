// SPDX-License-Identifier: Apache-2.0
// The data of a softmax case. README.md says what each fill is for. Logits are written by row and
// column; the gradient's y is the softmax of logits, so that it is a distribution.
#include "suites/core/inputs.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "reference/formats/classify.hpp"
#include "suites/softmax/binding.hpp"

namespace halfmark::suites::softmax {
namespace {

using formats::Bits;
using formats::Format;
using formats::Tensor;

struct Place {
  std::size_t row, column, width, index;
};

using Element = Bits (*)(const Format&, const Place&, const Random&);

// Uniform on [low, high), on a grid of 2^-16.
Bits between(const Format& f, const Random& random, std::size_t index, std::int64_t low,
             std::int64_t high) {
  constexpr std::int64_t kGrid = 1 << 16;
  const auto span = static_cast<std::uint64_t>((high - low) * kGrid);
  return scaled(f, low * kGrid + static_cast<std::int64_t>(random.below(index, span)), -16);
}

Bits masked(const Format& f) { return formats::infinity(f, true); }

Bits ordinary(const Format& f, const Place& at, const Random& random) {
  return between(f, random, at.index, -4, 4);
}

Bits spread(const Format& f, const Place& at, const Random& random) {
  return between(f, random, at.index, -120, 0);
}

Bits negative(const Format& f, const Place& at, const Random& random) {
  return between(f, random, at.index, -200, -120);
}

// From 60000 down in steps of the format's last place there, so that neighbours are distinct.
Bits large(const Format& f, const Place& at, const Random& random) {
  const int place = 15 - f.fraction_bits;
  const std::uint64_t steps = std::uint64_t{1} << std::max(2, f.fraction_bits - 12);
  const std::int64_t top = std::int64_t{60000} << std::max(0, -place);
  const auto down = static_cast<std::int64_t>(random.below(at.index, steps));
  if (place <= 0) return scaled(f, top - down, place);
  return scaled(f, (std::int64_t{60000} >> place) - down, place);
}

// Every row is the first one plus a constant, exactly: all rows must come out alike.
Bits shift(const Format& f, const Place& at, const Random& random) {
  constexpr std::array<std::int64_t, 4> kOffsets{0, 4, -8, 2};
  const auto base = static_cast<std::int64_t>(random.below(at.column, 32));  // in sixteenths
  return scaled(f, base + 16 * kOffsets[at.row % kOffsets.size()], -4);
}

// Masks as attention has them; every kind of row is there from 8 rows on.
Bits mask(const Format& f, const Place& at, const Random& random) {
  const Bits live = ordinary(f, at, random);
  const std::size_t chosen = random.derived(1).below(at.row, at.width);
  switch (at.row % 8) {
    case 1:  // everything masked
      return masked(f);
    case 2:  // one left
      return at.column == chosen ? live : masked(f);
    case 3:  // the lowest finite number throughout
      return formats::max_finite(f, true);
    case 4:  // few left
      return random.derived(2).below(at.index, 8) == 0 ? live : masked(f);
    case 5:  // +inf among masked ones
      return at.column == chosen ? formats::infinity(f) : masked(f);
    case 6:  // causal
      return at.column > at.row ? masked(f) : live;
    default:
      return random.derived(2).below(at.index, 4) == 0 ? masked(f) : live;
  }
}

// One NaN or infinity per row, at every kind of place; zeros and subnormals of both signs.
Bits special(const Format& f, const Place& at, const Random& random) {
  const Bits live = ordinary(f, at, random);
  const std::size_t chosen = random.derived(1).below(at.row, at.width);
  switch (at.row % 8) {
    case 0:
      return at.column == 0 ? formats::quiet_nan(f) : live;
    case 1:
      return at.column == at.width - 1 ? formats::quiet_nan(f) | f.sign_mask() : live;
    case 2:  // signaling
      return at.column == chosen ? formats::infinity(f) | 1 : live;
    case 3:
      return at.column == chosen ? formats::infinity(f) : live;
    case 4:
      return at.column == chosen ? masked(f) : live;
    case 5:  // a NaN in a row that is masked otherwise
      return at.column == chosen ? formats::quiet_nan(f) : masked(f);
    case 6: {
      const std::uint64_t word = random.derived(2).at(at.index);
      const Bits size = word % 4 == 0 ? 0 : 1 + (word >> 8) % f.fraction_mask();
      return size | ((word & 4) != 0 ? f.sign_mask() : 0);
    }
    default:
      return live;
  }
}

// 2^j equal logits, the rest masked: the one softmax that is exact.
Bits equal(const Format& f, const Place& at, const Random& random) {
  const auto powers = static_cast<std::size_t>(std::bit_width(at.width));
  const std::size_t live = std::size_t{1} << (at.row % powers);
  const std::size_t start = random.derived(1).below(at.row, at.width);
  const std::size_t column = (at.column + start) % at.width;
  const auto level = static_cast<std::int64_t>(random.derived(2).below(at.row, 9)) - 4;
  return column < live ? scaled(f, level, 0) : masked(f);
}

// One dominant logit; the others give probabilities around the subnormal numbers of fp16.
Bits tail(const Format& f, const Place& at, const Random& random) {
  if (at.column == at.row % at.width) return scaled(f, 2, 0);
  return between(f, random, at.index, -15, -7);
}

// Logits near the end of exp's range: subnormal fp32 exponentials.
Bits deep(const Format& f, const Place& at, const Random& random) {
  if (at.column == at.row % at.width) return scaled(f, 2, 0);
  return between(f, random, at.index, -102, -78);
}

// Gradients dy.
Bits steep(const Format& f, const Place& at, const Random& random) {
  return between(f, random, at.index, -30000, 30000);
}

Bits every_other_constant(const Format& f, const Place& at, const Random& random) {
  return at.row % 2 == 0 ? ordinary(f, at, random) : scaled(f, 3, -1);
}

constexpr unsigned kLogits = 1;
constexpr unsigned kGradients = 2;

struct Fill {
  std::string_view name;
  unsigned kinds;
  Element logit;     // null: the core's fill of this name
  Element gradient;  // null likewise
};

constexpr Fill kFills[] = {
    {"uniform", kLogits | kGradients, nullptr, nullptr},
    {"normal", kLogits | kGradients, nullptr, nullptr},
    {"spread", kLogits, spread, nullptr},
    {"large", kLogits | kGradients, large, steep},
    {"shift", kLogits, shift, nullptr},
    {"mask", kLogits, mask, nullptr},
    {"special", kLogits | kGradients, special, special},
    {"negative", kLogits, negative, nullptr},
    {"equal", kLogits, equal, nullptr},
    {"tail", kLogits | kGradients, tail, ordinary},
    {"deep", kLogits | kGradients, deep, ordinary},
    {"constant", kGradients, nullptr, every_other_constant},
};

constexpr auto kNames = [] {
  std::array<std::string_view, std::size(kFills)> names{};
  std::transform(std::begin(kFills), std::end(kFills), names.begin(),
                 [](const Fill& fill) { return fill.name; });
  return names;
}();

const Fill& fill_of(std::string_view name) {
  return *std::find_if(std::begin(kFills), std::end(kFills),
                       [name](const Fill& fill) { return fill.name == name; });
}

Tensor filled(const Binding& b, const Random& random, Element element) {
  if (element == nullptr) return fill(*b.input, b.count(), b.fill, random);
  Tensor tensor = Tensor::zeros(*b.input, b.count());
  for (std::size_t i = 0; i < b.count(); ++i) {
    tensor.set(i, element(*b.input, {i / b.width, i % b.width, b.width, i}, random));
  }
  return tensor;
}

}  // namespace

std::span<const std::string_view> fill_names() { return kNames; }

bool applies(std::string_view fill, Operation operation) {
  const unsigned kind = operation == Operation::kBackward ? kGradients : kLogits;
  return (fill_of(fill).kinds & kind) != 0;
}

TensorSet make_inputs(const Case& c) {
  const Binding b = bind(c);
  const Fill& chosen = fill_of(b.fill);
  TensorSet inputs;
  if (b.operation != Operation::kBackward) {
    inputs.emplace("x", filled(b, Random(c, "x"), chosen.logit));
    return inputs;
  }
  const bool thin = b.fill == "tail" || b.fill == "deep";
  const Tensor logits = filled(b, Random(c, "y"), thin ? chosen.logit : ordinary);
  inputs.emplace("y", operators::softmax_forward(
                          {.rows = b.rows, .width = b.width, .output = b.input}, logits, {}));
  inputs.emplace("dy", filled(b, Random(c, "dy"), chosen.gradient));
  return inputs;
}

}  // namespace halfmark::suites::softmax
