// SPDX-License-Identifier: Apache-2.0
// Conversions against the soft-float, bit for bit: every encoding of the narrow formats to every
// format, and fp32 words next to every midpoint of every narrower format, on every target.
#include "reference/fast/convert.hpp"

#include <gtest/gtest.h>

#include "reference/fast/hostile.hpp"
#include "reference/fast/testing/operands.hpp"
#include "reference/formats/classify.hpp"
#include "reference/soft/soft.hpp"

namespace halfmark::fast {
namespace {

using formats::Bits;
using formats::Format;
using formats::kFp32;
using formats::Tensor;
using testing::Fill;

void expect_soft(const Tensor& from, const Format& to, const soft::Environment& environment = {}) {
  Tensor expected = Tensor::zeros(to, from.count());
  for (std::size_t i = 0; i < from.count(); ++i) {
    expected.set(i, soft::convert(*from.format, to, from.at(i), environment).bits);
  }
  for (const Target target : host_targets()) {
    for (const unsigned threads : {1U, 3U}) {
      const Tensor actual = convert(from, to, environment, {.threads = threads, .target = target});
      for (std::size_t i = 0; expected != actual && i < expected.count(); ++i) {
        ASSERT_EQ(expected.at(i), actual.at(i))
            << from.format->name << " to " << to.name << ", " << to_string(target) << std::hex
            << ": " << from.at(i);
      }
      ASSERT_EQ(expected, actual);
    }
  }
}

TEST(FastConvert, EveryEncodingOfTheNarrowFormats) {
  for (const Format& from : formats::all_formats()) {
    if (from.bits > 16) continue;
    Tensor all = Tensor::zeros(from, std::size_t{1} << from.bits);
    for (std::size_t i = 0; i < all.count(); ++i) all.set(i, i);
    for (const Format& to : formats::all_formats()) {
      if (from.bits == 16 && to.bits == 64) continue;  // tested below, with random operands
      expect_soft(all, to);
    }
  }
}

TEST(FastConvert, WideFormatsAtRandom) {
  std::mt19937_64 random(1);
  for (const Format* from : {&kFp32, &formats::kTf32, &formats::kFp64, &formats::kBf16}) {
    for (const Fill fill : testing::kFills) {
      const Tensor x = testing::filled(*from, 5000, fill, random);
      for (const Format& to : formats::all_formats()) expect_soft(x, to);
    }
  }
}

// The value of an encoding in fp32 and the midpoints above it, each with its two neighbours.
TEST(FastConvert, BesideEveryMidpoint) {
  for (const Format& to : formats::all_formats()) {
    if (to.bits > 16 || !to.has_zero) continue;
    std::vector<Bits> words;
    for (Bits bits = 0; bits <= formats::max_finite(to); ++bits) {
      const Bits low = soft::convert(to, kFp32, bits).bits;
      const Bits high = bits == formats::max_finite(to)
                            ? low + (Bits{1} << (kFp32.fraction_bits - to.fraction_bits))
                            : soft::convert(to, kFp32, bits + 1).bits;
      const Bits sum =
          soft::add(kFp32, soft::ldexp(kFp32, low, -1).bits, soft::ldexp(kFp32, high, -1).bits)
              .bits;
      for (const Bits center : {low, sum}) {
        for (const Bits word : {center - (center == 0 ? 0 : 1), center, center + 1}) {
          words.push_back(word);
          words.push_back(word | kFp32.sign_mask());
        }
      }
    }
    expect_soft(Tensor::from_bits(kFp32, words), to);
  }
}

TEST(FastConvert, EveryLength) {
  std::mt19937_64 random(2);
  for (const std::size_t count : {0U, 1U, 7U, 8U, 9U, 15U, 16U, 17U, 4095U, 4097U, 13000U}) {
    const Tensor x = testing::filled(kFp32, count, Fill::kNormal, random);
    for (const Format* to : {&formats::kFp16, &formats::kE4m3fn, &formats::kTf32}) {
      expect_soft(x, *to);
    }
  }
}

TEST(FastConvert, HostileHostStatesDoNotShow) {
  std::mt19937_64 random(3);
  for (const std::uint64_t state : kHostStates) {
    const HostileHost host(state);
    for (const Fill fill : {Fill::kSubnormal, Fill::kNormal, Fill::kEveryEncoding}) {
      for (const Format* from : {&kFp32, &formats::kFp16, &formats::kBf16, &formats::kE5m2}) {
        const Tensor x = testing::filled(*from, 600, fill, random);
        for (const Format& to : formats::all_formats()) expect_soft(x, to);
      }
    }
  }
}

TEST(FastConvert, OtherEnvironmentsAreTheSoftFloats) {
  std::mt19937_64 random(4);
  const Tensor x = testing::filled(kFp32, 1000, Fill::kEveryEncoding, random);
  for (const Format& to : formats::all_formats()) {
    expect_soft(x, to, {.rounding = soft::Rounding::kTowardZero});
    expect_soft(x, to, {.overflow = soft::Overflow::kSaturate});
    expect_soft(x, to, {.subnormals = soft::Subnormals::kFlush});
  }
}

}  // namespace
}  // namespace halfmark::fast
