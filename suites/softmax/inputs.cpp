// SPDX-License-Identifier: Apache-2.0
// The data of a softmax case. README.md explains each fill. Logits are defined by row and column;
// the gradient's y is the softmax of logits, so that it is a distribution.
#include <algorithm>
#include <array>
#include <bit>

#include "reference/fast/softmax.hpp"
#include "reference/formats/classify.hpp"
#include "suites/core/case/fills.hpp"
#include "suites/core/case/named_rows.hpp"
#include "suites/softmax/binding.hpp"
#include "suites/softmax/hidden.hpp"
#include "suites/softmax/layout.hpp"

namespace halfmark::suites::softmax {
namespace {

using formats::Bits;
using formats::Format;
using formats::Tensor;

struct Place {
  std::size_t row, column, rows, width, index;
};

using Element = Bits (*)(const Format&, const Place&, const Random&);

Bits masked(const Format& f) { return formats::infinity(f, true); }

Bits ordinary(const Format& f, const Place& at, const Random& random) {
  return between(f, random, at.index, -4, 4);
}

Bits spread(const Format& f, const Place& at, const Random& random) {
  return between(f, random, at.index, -120, 0);
}

// Every eighth row is positive: there a maximum that starts at 0 is harmless, but a missing maximum
// is not.
Bits negative(const Format& f, const Place& at, const Random& random) {
  if (at.row % 8 == 7) return between(f, random, at.index, 120, 200);
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

// Every row is the first one plus a constant, exactly: all rows must give the same result.
Bits shift(const Format& f, const Place& at, const Random& random) {
  constexpr std::array<std::int64_t, 4> kOffsets{0, 4, -8, 2};
  const auto base = static_cast<std::int64_t>(random.below(at.column, 32));  // in sixteenths
  return scaled(f, base + 16 * kOffsets[at.row % kOffsets.size()], -4);
}

// Masks as used in attention; from 8 rows on every kind of row occurs.
Bits mask(const Format& f, const Place& at, const Random& random) {
  const Bits live = ordinary(f, at, random);
  const std::size_t chosen = random.derived(1).below(at.row, at.width);
  switch (at.row % 8) {
    case 1:  // everything masked
      return masked(f);
    case 2:  // one left
      return at.column == chosen ? live : masked(f);
    case 3:  // the lowest finite number everywhere
      return formats::max_finite(f, true);
    case 4:  // a few left
      return random.derived(2).below(at.index, 8) == 0 ? live : masked(f);
    case 5:  // +inf among masked ones
      return at.column == chosen ? formats::infinity(f) : masked(f);
    case 6:  // causal
      return at.column > at.row ? masked(f) : live;
    case 7:  // a NaN among masked ones
      return at.column == chosen ? formats::quiet_nan(f) : masked(f);
    default:
      return random.derived(2).below(at.index, 4) == 0 ? masked(f) : live;
  }
}

// Causal, with queries `rows / 4` positions too early: the first of them see nothing.
Bits causal(const Format& f, const Place& at, const Random&) {
  return at.column + at.rows / 4 > at.row ? masked(f) : formats::zero(f);
}

// One row of keys, visible or hidden; after it NaN, which a stride of 0 never reaches.
Bits keys(const Format& f, const Place& at, const Random& random) {
  if (at.row > 0) return formats::quiet_nan(f);
  return random.below(at.column, 3) == 0 ? masked(f) : formats::zero(f);
}

// A mask that is added to logits, like causal and random masks.
Bits additive(const Format& f, const Place& at, const Random& random) {
  const bool hidden = at.row % 2 == 0 ? at.column > at.row : random.below(at.index, 3) == 0;
  return hidden ? masked(f) : formats::zero(f);
}

// Equal logits; in every fourth row half of them are masked, so that no single constant is right.
Bits flat(const Format& f, const Place& at, const Random&) {
  if (at.row % 4 == 3 && at.column % 2 == 1) return masked(f);
  return scaled(f, static_cast<std::int64_t>(at.row % 7) - 3, 0);
}

// Rows equal except for offsets so far apart that no row can use its neighbour's maximum.
Bits stairs(const Format& f, const Place& at, const Random& random) {
  constexpr std::array<std::int64_t, 5> kOffsets{0, 160, -160, 320, -40};
  const auto base = static_cast<std::int64_t>(random.below(at.column, 5));
  return scaled(f, 2 * base + kOffsets[at.row % kOffsets.size()], 0);
}

// Logits whose softmax is a normal fp32 number for some and zero for others.
Bits cliff(const Format& f, const Place& at, const Random& random) {
  if (at.column == at.row % at.width) return scaled(f, 2, 0);
  return random.below(at.index, 2) == 0 ? between(f, random.derived(1), at.index, -60, 0)
                                        : between(f, random.derived(1), at.index, -180, -130);
}

// One NaN or infinity per row, at every kind of position; zeros and subnormals of both signs.
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
    case 5:  // a NaN in an otherwise masked row
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

// 2^j equal logits, the rest masked: the only exact softmax.
Bits equal(const Format& f, const Place& at, const Random& random) {
  const auto powers = static_cast<std::size_t>(std::bit_width(at.width));
  const std::size_t live = std::size_t{1} << (at.row % powers);
  const std::size_t start = random.derived(1).below(at.row, at.width);
  const std::size_t column = (at.column + start) % at.width;
  const auto level = static_cast<std::int64_t>(random.derived(2).below(at.row, 9)) - 4;
  return column < live ? scaled(f, level, 0) : masked(f);
}

// Integer logits, one so far above the others that its exponential is the whole sum: the last in
// the first row, the first in the second, any in the others.
Bits dominant(const Format& f, const Place& at, const Random& random) {
  const std::size_t drawn = random.derived(1).below(at.row, at.width);
  const std::size_t chosen = at.row == 0 ? at.width - 1 : at.row == 1 ? 0 : drawn;
  const auto low = -static_cast<std::int64_t>(random.below(at.index, 64));
  return scaled(f, at.column == chosen ? 128 : low, 0);
}

// One dominant logit; the others give probabilities around fp16's subnormal numbers.
Bits tail(const Format& f, const Place& at, const Random& random) {
  if (at.column == at.row % at.width) return scaled(f, 2, 0);
  return between(f, random, at.index, -15, -7);
}

// Logits near the end of exp's range, which give subnormal fp32 exponentials.
Bits deep(const Format& f, const Place& at, const Random& random) {
  if (at.column == at.row % at.width) return scaled(f, 2, 0);
  return between(f, random, at.index, -102, -78);
}

// From -8 to a greatest logit of zero; and gradients that stay normal numbers.
Bits coarse(const Format& f, const Place& at, const Random& random) {
  if (at.column == at.row % at.width) return formats::zero(f);
  const int exponent = f == formats::kFp32 ? -12 : f == formats::kBf16 ? -4 : -5;
  return scaled(f, -static_cast<std::int64_t>(random.below(at.index, 8U << -exponent)), exponent);
}
Bits normal_gradient(const Format& f, const Place& at, const Random& random) {
  return scaled(f, static_cast<std::int64_t>(random.below(at.index, 8192)) - 4096, -10);
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
constexpr unsigned kLibraries = 4;  // for libraries only

struct Fill {
  std::string_view name;
  unsigned kinds;
  Element logit;     // null: the core's fill of this name
  Element gradient;  // null: as above
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
    {"dominant", kLogits, dominant, nullptr},
    {"tail", kLogits | kGradients, tail, ordinary},
    {"deep", kLogits | kGradients, deep, ordinary},
    {"constant", kGradients, nullptr, every_other_constant},
    {"flat", kLogits | kLibraries, flat, nullptr},
    {"stairs", kLogits | kLibraries, stairs, nullptr},
    {"cliff", kLogits | kLibraries, cliff, nullptr},
    {"masked", kLogits | kLibraries, ordinary, nullptr},
    {"causal", kLogits | kLibraries, ordinary, nullptr},
    {"keys", kLogits | kLibraries, ordinary, nullptr},
    {"zeroed", kLogits | kLibraries, mask, nullptr},
    {"padded", kLogits | kGradients | kLibraries, ordinary, ordinary},
    {"uneven", kLogits | kGradients | kLibraries, ordinary, ordinary},
    {"far", kLogits | kGradients | kLibraries, ordinary, ordinary},
    {"columns", kLogits | kGradients | kLibraries, ordinary, ordinary},
    {"second", kLogits | kLibraries, ordinary, nullptr},
    {"related", kGradients, coarse, normal_gradient},
    {"heads", kLogits, ordinary, nullptr},
    {"padding", kLogits, ordinary, nullptr},
};

constexpr auto kNames = names_of(kFills);

const Fill& fill_of(std::string_view name) { return row_named(kFills, name); }

// In the case's layout, with NaN between rows.
Tensor filled(const Binding& b, const Format& f, const Random& random, Element element) {
  const Layout layout = layout_of(b);
  if (element == nullptr) return fill(f, b.count(), b.fill, random);
  Tensor tensor =
      suites::filled(f, layout.count, [&](std::size_t) { return formats::quiet_nan(f); });
  for_each_range(b.count(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Place place{i / b.width, i % b.width, b.rows, b.width, i};
      tensor.set(layout.at(place.row, place.column), element(f, place, random));
    }
  });
  return tensor;
}

Tensor filled(const Binding& b, const Random& random, Element element) {
  return filled(b, *b.input, random, element);
}

// Softmax of logits, in the case's layout, so that y is a distribution.
Tensor distribution(const Binding& b, Operation operation, const Tensor& logits) {
  const Layout layout = layout_of(b);
  Tensor dense = suites::filled(*b.input, b.count(), [&](std::size_t i) {
    return logits.at(layout.at(i / b.width, i % b.width));
  });
  const operators::SoftmaxParams params{.rows = b.rows, .width = b.width, .output = b.input};
  dense = operation == Operation::kLogBackward ? fast::softmax_log_forward(params, dense, {})
                                               : fast::softmax_forward(params, dense, {});
  Tensor spread_out = logits;
  for_each_range(b.count(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      spread_out.set(layout.at(i / b.width, i % b.width), dense.at(i));
  });
  return spread_out;
}

// The contents of a library's outputs before the call, where they are checked.
Tensor contents(const Format& f, std::size_t count) {
  return suites::filled(f, count, [&](std::size_t) { return scaled(f, 7, 0); });
}

}  // namespace

std::span<const std::string_view> fill_names() { return kNames; }

bool applies(std::string_view fill, Operation operation) {
  const unsigned kind = is_backward(operation) ? kGradients : kLogits;
  return (fill_of(fill).kinds & kind) != 0;
}

bool only_for_libraries(std::string_view fill) { return (fill_of(fill).kinds & kLibraries) != 0; }

TensorSet make_inputs(const Case& c) {
  const Binding b = bind(c);
  const Fill& chosen = fill_of(b.fill);
  TensorSet inputs;
  if (is_backward(b.operation)) {
    const bool thin = b.fill == "tail" || b.fill == "deep";
    const Tensor logits = filled(b, Random(c, "y"), thin ? chosen.logit : ordinary);
    inputs.emplace("y", distribution(b, b.operation, logits));
    inputs.emplace("dy", filled(b, Random(c, "dy"), chosen.gradient));
  } else {
    inputs.emplace("x", filled(b, Random(c, "x"), chosen.logit));
  }
  const Random mask_random(c, "mask");
  if (b.fill == "masked") inputs.emplace("mask", filled(b, mask_random, additive));
  if (b.fill == "causal") inputs.emplace("mask", filled(b, mask_random, causal));
  if (b.fill == "keys") inputs.emplace("mask", filled(b, mask_random, keys));
  if (hides(b)) {
    const Tensor mask = mask_words(b, mask_random);
    inputs.at("x") = logits_behind(b, mask, inputs.at("x"), mask_random.derived(3));
    inputs.emplace("mask", mask);
  }
  if (b.fill == "second") {
    inputs.emplace("x_before", filled(b, format_before(b), Random(c, "x_before"), ordinary));
  }
  if (keeps_contents(b)) {
    inputs.emplace(is_backward(b.operation) ? "dx" : "y",
                   contents(*b.output, result_layout_of(b).count));
  }
  return inputs;
}

}  // namespace halfmark::suites::softmax
