// SPDX-License-Identifier: Apache-2.0
// The specified softmax: its properties, and its distance from the correctly rounded value (MPFR).
#include "reference/operators/softmax.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <mpfr.h>

#include <bit>
#include <functional>
#include <random>
#include <stdexcept>
#include <string>

#include "reference/formats/classify.hpp"
#include "reference/formats/ulp.hpp"
#include "reference/operators/elementary.hpp"
#include "reference/operators/fixed_point.hpp"
#include "reference/operators/softmax_exact.hpp"

namespace halfmark::operators {
namespace {

using formats::Bits;
using formats::Format;
using formats::kBf16;
using formats::kFp16;
using formats::kFp32;
using formats::Tensor;

constexpr models::Machine kIeee{};

Bits encoded(const Format& format, float value) {
  return soft::convert(kFp32, format, std::bit_cast<std::uint32_t>(value), {}).bits;
}

float decoded(const Format& format, Bits bits) {
  return std::bit_cast<float>(
      static_cast<std::uint32_t>(soft::convert(format, kFp32, bits, {}).bits));
}

Tensor random_logits(const Format& format, std::size_t count, float low, float high) {
  std::mt19937 source(7);
  std::uniform_real_distribution<float> draw(low, high);
  Tensor x = Tensor::zeros(format, count);
  for (std::size_t i = 0; i < count; ++i) x.set(i, encoded(format, draw(source)));
  return x;
}

Tensor constant(const Format& format, std::size_t count, float value) {
  Tensor x = Tensor::zeros(format, count);
  for (std::size_t i = 0; i < count; ++i) x.set(i, encoded(format, value));
  return x;
}

Bits rounded_to(const Format& format, const mpfr_t exact) {
  if (format == kFp32) return std::bit_cast<std::uint32_t>(mpfr_get_flt(exact, MPFR_RNDN));
  // Via fp32 with round-to-odd, so that only the second rounding matters.
  const float toward_zero = mpfr_get_flt(exact, MPFR_RNDZ);
  Bits odd = std::bit_cast<std::uint32_t>(toward_zero);
  if (mpfr_cmp_d(exact, static_cast<double>(toward_zero)) != 0) odd |= 1;
  return soft::convert(kFp32, format, odd, {}).bits;
}

struct Distance {
  std::uint64_t worst = 0;
  std::size_t different = 0;
};

// Against exp(x_i) / sum exp(x_j), or its logarithm, evaluated with 200 bits.
Distance from_exact(const Tensor& x, std::size_t rows, std::size_t width, const Tensor& y,
                    bool logarithm) {
  Distance distance;
  mpfr_t sum, term;
  mpfr_inits2(200, sum, term, static_cast<mpfr_ptr>(nullptr));
  for (std::size_t r = 0; r < rows; ++r) {
    mpfr_set_zero(sum, 1);
    for (std::size_t i = 0; i < width; ++i) {
      mpfr_set_flt(term, decoded(*x.format, x.at(r * width + i)), MPFR_RNDN);
      mpfr_exp(term, term, MPFR_RNDN);
      mpfr_add(sum, sum, term, MPFR_RNDN);
    }
    mpfr_log(sum, sum, MPFR_RNDN);
    for (std::size_t i = 0; i < width; ++i) {
      mpfr_set_flt(term, decoded(*x.format, x.at(r * width + i)), MPFR_RNDN);
      mpfr_sub(term, term, sum, MPFR_RNDN);
      if (!logarithm) mpfr_exp(term, term, MPFR_RNDN);
      const std::uint64_t ulps =
          formats::ulp_distance(*y.format, rounded_to(*y.format, term), y.at(r * width + i));
      distance.worst = std::max(distance.worst, ulps);
      distance.different += ulps != 0 ? 1 : 0;
    }
  }
  mpfr_clears(sum, term, static_cast<mpfr_ptr>(nullptr));
  return distance;
}

void report(const char* what, const Distance& distance, std::size_t count) {
  std::printf("%s: worst %llu ulp, %zu of %zu not correctly rounded\n", what,
              static_cast<unsigned long long>(distance.worst), distance.different, count);
}

TEST(Softmax, IsNearTheExactValue) {
  constexpr std::size_t kRows = 40;
  constexpr std::size_t kWidth = 500;
  const auto check = [&](const Format& in, const Format& out, std::uint64_t bound,
                         const char* what) {
    const Tensor x = random_logits(in, kRows * kWidth, -6, 6);
    const Tensor y = softmax_forward({.rows = kRows, .width = kWidth, .output = &out}, x, kIeee);
    const Distance distance = from_exact(x, kRows, kWidth, y, false);
    report(what, distance, kRows * kWidth);
    EXPECT_LE(distance.worst, bound) << what;
    const std::size_t allowed = out.bits == 16 ? kRows * kWidth / 1000 : kRows * kWidth;
    EXPECT_LE(distance.different, allowed) << what;
  };
  check(kFp16, kFp16, 1, "fp16 to fp16");
  check(kBf16, kBf16, 1, "bf16 to bf16");
  check(kFp16, kFp32, 4, "fp16 to fp32");
  // x - m is rounded at a magnitude of 12 here, which exp turns into a relative error.
  check(kFp32, kFp32, 12, "fp32 to fp32");
}

TEST(Softmax, LogIsNearTheExactValue) {
  constexpr std::size_t kRows = 20;
  constexpr std::size_t kWidth = 500;
  const Tensor x = random_logits(kFp32, kRows * kWidth, -6, 6);
  const auto narrow =
      softmax_log_forward({.rows = kRows, .width = kWidth, .output = &kFp16}, x, kIeee);
  const Distance half = from_exact(x, kRows, kWidth, narrow, true);
  report("log, fp32 to fp16", half, kRows * kWidth);
  EXPECT_LE(half.worst, 1u);
  const auto wide =
      softmax_log_forward({.rows = kRows, .width = kWidth, .output = &kFp32}, x, kIeee);
  const Distance single = from_exact(x, kRows, kWidth, wide, true);
  report("log, fp32 to fp32", single, kRows * kWidth);
  EXPECT_LE(single.worst, 4u);
}

TEST(SoftmaxExact, IsTheRoundedExactValue) {
  constexpr std::size_t kRows = 6;
  constexpr std::size_t kWidth = 60;
  const auto check = [&](const Format& in, const Format& out, float low, float high) {
    const Tensor x = random_logits(in, kRows * kWidth, low, high);
    const SoftmaxParams params{.rows = kRows, .width = kWidth, .output = &out};
    EXPECT_EQ(from_exact(x, kRows, kWidth, softmax_exact(params, x), false).different, 0u);
    EXPECT_EQ(from_exact(x, kRows, kWidth, softmax_log_exact(params, x), true).different, 0u);
  };
  check(kFp32, kFp32, -6, 6);
  check(kFp32, kFp32, -100, 0);  // subnormal results, and some below them
  check(kFp16, kFp16, -20, 0);
  check(kBf16, kBf16, -4, 4);
  check(kFp32, kFp32, -1e-3f, 1e-3f);
}

TEST(SoftmaxExact, ExtremesNeedNoMorePrecision) {
  Tensor x = Tensor::zeros(kFp32, 4);
  x.set(0, formats::max_finite(kFp32));
  x.set(1, formats::max_finite(kFp32, true));
  x.set(2, formats::min_subnormal(kFp32));
  x.set(3, formats::infinity(kFp32, true));
  const SoftmaxParams params{.rows = 1, .width = 4, .output = &kFp32};
  const Tensor y = softmax_exact(params, x);
  EXPECT_EQ(y.at(0), formats::one(kFp32));
  EXPECT_EQ(y.at(1), 0u);
  const Tensor z = softmax_log_exact(params, x);
  EXPECT_EQ(z.at(0), formats::zero(kFp32, true));  // just below zero
  EXPECT_EQ(z.at(1), formats::infinity(kFp32, true));
  EXPECT_EQ(z.at(2), formats::max_finite(kFp32, true));
  EXPECT_EQ(z.at(3), formats::infinity(kFp32, true));
  x.set(0, formats::infinity(kFp32));
  EXPECT_TRUE(formats::is_nan(kFp32, softmax_exact(params, x).at(1)));
}

// exp(1) / (exp(1) + exp(0)) = 0.731..., its logarithm -0.313...; the other is -1.313...
TEST(SoftmaxExact, FormatsThatEndInOtherWays) {
  const auto row = [](const Format& in, const Format& out, const std::vector<Bits>& x) {
    return softmax_exact({.rows = 1, .width = x.size(), .output = &out}, Tensor::from_bits(in, x))
        .to_bits();
  };
  const auto log_row = [](const Format& in, const Format& out, const std::vector<Bits>& x) {
    return softmax_log_exact({.rows = 1, .width = x.size(), .output = &out},
                             Tensor::from_bits(in, x))
        .to_bits();
  };
  using List = std::vector<Bits>;
  // The largest fp4 encoding is a number; e4m3fn has a NaN, but 448 is not one.
  EXPECT_EQ((List{0x1, 0x1}), row(formats::kE2m1, formats::kE2m1, {0x7, 0x7}));
  EXPECT_EQ((List{0x7f, 0x7f}), row(formats::kE4m3fn, formats::kE4m3fn, {0x7f, 0x38}));
  EXPECT_EQ((List{0x38, 0x00}), row(formats::kE4m3fn, formats::kE4m3fn, {0x7e, 0x38}));
  // A scale format has no zero, and 2^-127 is slightly above.
  EXPECT_EQ((List{0x7e, 0x7d}), row(formats::kE8m0, formats::kE8m0, {0x7f, 0x00}));
  EXPECT_EQ((List{0xff, 0xff}), log_row(formats::kE8m0, formats::kE8m0, {0x7f, 0x00}));
  // -0.313 and -1.313 in e4m3fnuz. -896 is beyond e4m3fn, which then gives its NaN, and beyond
  // e2m1; the logarithm of a value just below one is a minus zero.
  EXPECT_EQ((List{0xb2, 0xc3}), log_row(formats::kE4m3fnuz, formats::kE4m3fnuz, {0x40, 0x00}));
  EXPECT_EQ((List{0x80, 0x7f}), log_row(formats::kE4m3fn, formats::kE4m3fn, {0x7e, 0xfe}));
  EXPECT_EQ((List{0x8, 0xf}), log_row(formats::kE4m3fn, formats::kE2m1, {0x7e, 0xfe}));
}

TEST(Softmax, EqualLogitsGiveOneOverWidth) {
  for (const std::size_t width : {1u, 2u, 3u, 5u, 7u, 63u, 64u, 65u, 512u, 2048u, 4097u}) {
    const Tensor x = constant(kFp16, width, 3.5f);
    const Tensor y = softmax_forward({.rows = 1, .width = width, .output = &kFp32}, x, kIeee);
    const Bits expected =
        soft::div(kFp32, 0x3f800000, soft::from_int(kFp32, static_cast<std::int64_t>(width)).bits)
            .bits;
    for (std::size_t i = 0; i < width; ++i) ASSERT_EQ(y.at(i), expected) << width;
  }
}

TEST(Softmax, AnExactShiftChangesNothing) {
  Tensor x = random_logits(kBf16, 333, 4, 8);
  const Tensor y = softmax_forward({.rows = 1, .width = 333, .output = &kFp16}, x, kIeee);
  for (std::size_t i = 0; i < x.count(); ++i) {
    x.set(i,
          encoded(kBf16, decoded(kBf16, x.at(i)) - 4));  // exact: the step of [4, 8) is finer below
  }
  EXPECT_EQ(softmax_forward({.rows = 1, .width = 333, .output = &kFp16}, x, kIeee), y);
}

TEST(Softmax, RowsWithoutAnAnswerAreNan) {
  const auto all_nan = [](const Tensor& x) {
    const Tensor y = softmax_forward({.rows = 1, .width = x.count(), .output = &kFp16}, x, kIeee);
    for (std::size_t i = 0; i < y.count(); ++i) {
      if (!formats::is_nan(kFp16, y.at(i))) return false;
    }
    return true;
  };
  Tensor x = Tensor::zeros(kFp16, 100);
  x.set(99, formats::quiet_nan(kFp16));
  EXPECT_TRUE(all_nan(x));
  x.set(99, formats::infinity(kFp16));
  EXPECT_TRUE(all_nan(x));
  for (std::size_t i = 0; i < 100; ++i) x.set(i, formats::infinity(kFp16, true));
  EXPECT_TRUE(all_nan(x));
  x.set(50, formats::max_finite(kFp16, true));  // one unmasked element takes everything
  const Tensor y = softmax_forward({.rows = 1, .width = 100, .output = &kFp16}, x, kIeee);
  EXPECT_EQ(y.at(50), formats::one(kFp16));
  EXPECT_EQ(y.at(49), 0u);
}

TEST(Softmax, BackwardOfAConstantGradientIsNearZero) {
  const Tensor x = random_logits(kFp32, 1000, -3, 3);
  const Tensor y = softmax_forward({.rows = 1, .width = 1000, .output = &kFp32}, x, kIeee);
  const Tensor dx = softmax_backward({.rows = 1, .width = 1000, .output = &kFp32}, y,
                                     constant(kFp32, 1000, 1), kIeee);
  for (std::size_t i = 0; i < 1000; ++i) {
    EXPECT_LE(std::abs(decoded(kFp32, dx.at(i))), 1e-6f * decoded(kFp32, y.at(i)));
  }
}

// What the call says when it refuses its operands; empty if it takes them.
std::string refusal(const std::function<Tensor()>& call) {
  try {
    static_cast<void>(call());
    return "";
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
}

TEST(Softmax, RefusesOperandsOfOtherSizes) {
  const SoftmaxParams params{.rows = 2, .width = 3, .output = &kFp16};
  const Tensor six = constant(kFp16, 6, 1);
  const auto message = [](const char* name) {
    return fmt::format("softmax: {} does not have the elements that its dimensions ask for", name);
  };
  for (const std::size_t count : {std::size_t{0}, std::size_t{5}, std::size_t{7}}) {
    const Tensor other = constant(kFp16, count, 1);
    EXPECT_EQ(message("x"), refusal([&] { return softmax_forward(params, other, kIeee); }));
    EXPECT_EQ(message("x"), refusal([&] { return softmax_log_forward(params, other, kIeee); }));
    EXPECT_EQ(message("x"), refusal([&] { return softmax_exact(params, other); }));
    EXPECT_EQ(message("x"), refusal([&] { return softmax_log_exact(params, other); }));
    EXPECT_EQ(message("y"), refusal([&] { return softmax_backward(params, other, six, kIeee); }));
    EXPECT_EQ(message("dy"), refusal([&] { return softmax_backward(params, six, other, kIeee); }));
    EXPECT_EQ(message("y"),
              refusal([&] { return softmax_log_backward(params, other, six, kIeee); }));
    EXPECT_EQ(message("dy"),
              refusal([&] { return softmax_log_backward(params, six, other, kIeee); }));
  }
  EXPECT_EQ("", refusal([&] { return softmax_backward(params, six, six, kIeee); }));
  EXPECT_EQ("softmax needs the format of its result",
            refusal([&] { return softmax_forward({.rows = 2, .width = 3}, six, kIeee); }));
}

TEST(SoftmaxExact, RefusesFormatsBeyondFp32) {
  for (const Format& format : formats::all_formats()) {
    if (has_exact_softmax(format)) continue;
    const SoftmaxParams narrow{.rows = 1, .width = 2, .output = &kFp32};
    const SoftmaxParams wide{.rows = 1, .width = 2, .output = &format};
    const Tensor of_format = Tensor::zeros(format, 2);
    const Tensor of_fp32 = Tensor::zeros(kFp32, 2);
    for (const auto exact : {softmax_exact, softmax_log_exact}) {
      EXPECT_EQ("softmax_exact: x is in a format beyond fp32",
                refusal([&] { return exact(narrow, of_format); }));
      EXPECT_EQ("softmax_exact: the result's format is beyond fp32",
                refusal([&] { return exact(wide, of_fp32); }));
    }
  }
  EXPECT_FALSE(has_exact_softmax(formats::kFp64));
  EXPECT_TRUE(has_exact_softmax(kFp32));
}

TEST(FixedPoint, AValueBeyondItsRangeEndsTheProgram) {
  EXPECT_EQ(191, FixedPoint(4, 1, 191).exponent());
  EXPECT_TRUE(FixedPoint(4, 0, 500).is_zero());
  EXPECT_DEATH(static_cast<void>(FixedPoint(4, 1, 192)), "");
  EXPECT_DEATH(static_cast<void>(FixedPoint(4, 3, 0).shift(191)), "");
}

}  // namespace
}  // namespace halfmark::operators
