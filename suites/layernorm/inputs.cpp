// SPDX-License-Identifier: Apache-2.0
// The data of a layernorm case. README.md says what each fill is for. The statistics that the
// gradients need are those of the specified forward pass.
#include <algorithm>
#include <array>

#include "reference/fast/layernorm.hpp"
#include "reference/formats/classify.hpp"
#include "suites/core/case/fills.hpp"
#include "suites/core/case/named_rows.hpp"
#include "suites/layernorm/binding.hpp"
#include "suites/layernorm/model.hpp"

namespace halfmark::suites::layernorm {
namespace {

using formats::Bits;
using formats::Format;
using formats::kFp32;
using formats::Tensor;

struct Place {
  std::size_t row, column, width, index;
};

using Element = Bits (*)(const Format&, const Place&, const Random&);

Bits ordinary(const Format& f, const Place& at, const Random& random) {
  return between(f, random, at.index, -4, 4);
}

// One small integer per row, the first row zero: every sum is exact.
Bits constant(const Format& f, const Place& at, const Random& random) {
  const auto value = static_cast<std::int64_t>(random.below(at.row, 33)) - 16;
  return scaled(f, at.row == 0 ? 0 : value, 0);
}

// One value per row, none a small integer: sums round, and a variance of the naive kind is not 0.
Bits plateau(const Format& f, const Place& at, const Random&) {
  constexpr std::array<std::int64_t, 4> kHundredths{144957, 10010, 3333, -800057};
  const std::int64_t value = kHundredths[at.row % kHundredths.size()];
  return scaled(f, (value << 24) / 100, -24);
}

// A large mean and a spread of a few last places.
Bits offset(const Format& f, const Place& at, const Random& random) {
  constexpr std::array<std::int64_t, 4> kMeans{100, 1450, -3000, 10000};
  const int place = 10 - f.fraction_bits;
  const int grid = std::max(-place, 0);
  const std::int64_t mean = kMeans[at.row % kMeans.size()] * (std::int64_t{1} << grid);
  const std::int64_t step = std::int64_t{1} << std::max(place, 0);
  return scaled(f, mean + step * static_cast<std::int64_t>(random.below(at.index, 16)), -grid);
}

// Magnitudes whose squares overflow fp16, with alternating signs.
Bits large(const Format& f, const Place& at, const Random& random) {
  const std::int64_t low = at.row % 2 == 0 ? 8000 : 400;
  const auto size = low + static_cast<std::int64_t>(random.below(at.index, 200));
  return scaled(f, at.column % 2 == 0 ? size : -size, 0);
}

// Deviations around sqrt(eps), 2^-14 to 2^-22, different for each row.
Bits small(const Format& f, const Place& at, const Random& random) {
  return between(f, random, at.index, -4, 4, -14 - 2 * static_cast<int>(at.row % 5));
}

// One NaN or infinity per row, at every kind of position; every fourth row has none.
Bits special(const Format& f, const Place& at, const Random& random) {
  const Bits live = ordinary(f, at, random);
  const std::size_t chosen = random.derived(1).below(at.row, at.width);
  switch (at.row % 8) {
    case 0:
      return at.column == 0 ? formats::quiet_nan(f) : live;
    case 1:
      return at.column == at.width - 1 ? formats::quiet_nan(f) | f.sign_mask() : live;
    case 2:
      return at.column == chosen ? formats::infinity(f) : live;
    case 4:
      return at.column == chosen ? formats::infinity(f, true) : live;
    case 5:
      return at.column == chosen ? formats::infinity(f) | 1 : live;  // signaling
    case 6:
      return formats::zero(f, random.derived(2).below(at.index, 2) != 0);
    default:
      return live;
  }
}

Bits sign(const Format& f, const Place& at, const Random& random) {
  return scaled(f, random.below(at.index, 2) == 0 ? 1 : -1, 0);
}

// Alternately 1 above and 1 below 1450: mean and variance are integers, the squares need 22 bits.
Bits wobble(const Format& f, const Place& at, const Random&) {
  constexpr std::array<std::int64_t, 3> kMeans{1450, -1999, 1031};
  return scaled(f, kMeans[at.row % kMeans.size()] + (at.column % 2 == 0 ? 1 : -1), 0);
}

// One sign pattern in all rows of both x and dy: sums over rows grow without rounding.
Bits alike(const Format& f, const Place& at, const Random&) {
  return scaled(f, at.column * at.column % 5 < 2 ? 1 : -1, 0);
}

Bits about_one(const Format& f, const Place& at, const Random& random) {
  return between(f, random, at.index, 1, 3, -1);
}
Bits one(const Format& f, const Place&, const Random&) { return formats::one(f); }
Bits zero(const Format& f, const Place&, const Random&) { return formats::zero(f); }
Bits column_number(const Format& f, const Place& at, const Random&) {
  return scaled(f, static_cast<std::int64_t>(at.column % 256), 0);
}

// Equal numbers of 2^13 and -2^13 in a row of even width.
Bits flip(const Format& f, const Place& at, const Random&) {
  return scaled(f, (at.column + at.row) % 2 == 0 ? 1 : -1, 13);
}

Bits power(const Format& f, const Place& at, const Random& random) {
  return scaled(f, 1, static_cast<int>(random.below(at.column, 5)) - 2);
}

constexpr unsigned kForward = 1;
constexpr unsigned kBackward = 2;
constexpr unsigned kLibraries = 4;  // for libraries only

struct Fill {
  std::string_view name;
  unsigned operations;
  Element x;  // null: the core's fill of this name
  Element gamma, beta, dy;
};

constexpr Fill kFills[] = {
    {"uniform", kForward | kBackward, nullptr, about_one, ordinary, ordinary},
    {"normal", kForward | kBackward, nullptr, about_one, ordinary, ordinary},
    {"columns", kForward | kBackward, ordinary, column_number, zero, ordinary},
    {"constant", kForward, constant, about_one, ordinary, ordinary},
    {"plateau", kForward, plateau, about_one, ordinary, ordinary},
    {"offset", kForward | kBackward, offset, about_one, ordinary, ordinary},
    {"large", kForward | kBackward, large, about_one, ordinary, large},
    {"small", kForward | kBackward, small, about_one, ordinary, small},
    {"special", kForward | kBackward, special, about_one, ordinary, special},
    {"subnormal", kForward | kBackward, nullptr, about_one, zero, small},
    {"signs", kBackward, sign, one, zero, sign},
    {"related", kForward | kBackward, ordinary, about_one, ordinary, ordinary},
    {"zeros", kForward | kLibraries, zero, about_one, ordinary, ordinary},
    {"flip", kForward | kLibraries, flip, power, zero, ordinary},
    {"wobble", kForward | kLibraries, wobble, about_one, zero, ordinary},
    {"alike", kBackward | kLibraries, alike, about_one, zero, alike},
    {"padded", kForward | kLibraries, ordinary, about_one, ordinary, ordinary},
    {"bare", kForward | kBackward | kLibraries, ordinary, one, zero, ordinary},
    {"unshifted", kForward | kBackward | kLibraries, ordinary, about_one, zero, ordinary},
    {"far", kForward | kLibraries, ordinary, about_one, ordinary, ordinary},
    {"axes3", kForward | kBackward | kLibraries, ordinary, about_one, ordinary, ordinary},
};

constexpr auto kNames = names_of(kFills);

const Fill& fill_of(std::string_view name) { return row_named(kFills, name); }

Tensor filled(const Binding& b, std::size_t count, const Random& random, Element element) {
  if (element == nullptr) return fill(*b.format, count, b.fill, random);
  return suites::filled(*b.format, count, [&](std::size_t i) {
    return element(*b.format, {i / b.width, i % b.width, b.width, i}, random);
  });
}

Tensor repeated(const Format& f, std::size_t count, Bits bits) {
  return suites::filled(f, count, [&](std::size_t) { return bits; });
}

// With NaN between the rows if the case has gaps there.
Tensor spaced(const Binding& b, const Tensor& dense) {
  const std::size_t pitch = pitch_of(b);
  if (pitch == b.width) return dense;
  Tensor tensor = repeated(*dense.format, b.rows * pitch, formats::quiet_nan(*dense.format));
  for (std::size_t i = 0; i < b.count(); ++i) {
    tensor.set(i / b.width * pitch + i % b.width, dense.at(i));
  }
  return tensor;
}

}  // namespace

std::span<const std::string_view> fill_names() { return kNames; }

bool applies(std::string_view fill, bool backward) {
  return (fill_of(fill).operations & (backward ? kBackward : kForward)) != 0;
}

bool only_for_libraries(std::string_view fill) {
  return (fill_of(fill).operations & kLibraries) != 0;
}

TensorSet make_inputs(const Case& c) {
  const Binding b = bind(c);
  const Fill& chosen = fill_of(b.fill);
  TensorSet inputs;
  inputs.emplace("x", filled(b, b.count(), Random(c, "x"), chosen.x));
  const Tensor gamma = filled(b, b.width, Random(c, "gamma"), chosen.gamma);
  if (b.has_gamma()) inputs.emplace("gamma", gamma);
  Tensor beta = filled(b, b.width, Random(c, "beta"), chosen.beta);
  if (!b.backward) {
    if (b.has_beta()) inputs.emplace("beta", std::move(beta));
    inputs.at("x") = spaced(b, inputs.at("x"));
    return inputs;
  }
  inputs.emplace("dy", filled(b, b.count(), Random(c, "dy"), chosen.dy));
  if (b.fill == "axes3") {  // unwritten places must be visible as values
    inputs.emplace("dx", repeated(*b.format, b.count(), scaled(*b.format, 7, 0)));
  }
  if (b.fill == "signs" || b.fill == "alike") {  // the statistics that make every sum exact
    if (b.centered) inputs.emplace("mean", repeated(kFp32, b.rows, 0));
    inputs.emplace("rstd", repeated(kFp32, b.rows, formats::one(kFp32)));
    return inputs;
  }
  auto forward = fast::layernorm_forward(b.params(), inputs.at("x"), gamma, beta, {});
  if (b.centered) inputs.emplace("mean", std::move(forward.mean));
  inputs.emplace("rstd", std::move(forward.rstd));
  return inputs;
}

}  // namespace halfmark::suites::layernorm
