// SPDX-License-Identifier: Apache-2.0
// Functions on tensors equal those of the soft-float, for any number of threads, with or without
// a table.
#include "reference/fast/functions.hpp"

#include <gtest/gtest.h>

#include "reference/fast/hostile.hpp"
#include "reference/fast/testing/operands.hpp"

namespace halfmark::fast {
namespace {

using formats::Format;
using formats::Tensor;

Tensor by_soft(const soft::Function& function, const Tensor& x, const soft::Environment& env) {
  Tensor result = Tensor::zeros(*x.format, x.count());
  for (std::size_t i = 0; i < x.count(); ++i) {
    result.set(i, function.evaluate(*x.format, x.at(i), env).bits);
  }
  return result;
}

TEST(FastFunctions, SweepsOfNarrowFormats) {
  for (const Format* format : {&formats::kE4m3fn, &formats::kE5m2fnuz, &formats::kE2m3}) {
    const Tensor all = every_encoding(*format);
    ASSERT_EQ(std::size_t{1} << format->bits, all.count());
    for (const soft::Function& function : soft::kFunctions) {
      for (const unsigned threads : {1U, 3U}) {
        EXPECT_EQ(by_soft(function, all, {}), evaluate(function, all, {}, {.threads = threads}))
            << function.name << ' ' << format->name;
      }
    }
  }
}

TEST(FastFunctions, TensorsLongerThanTheTable) {
  std::mt19937_64 random(1);
  const Tensor x = testing::filled(formats::kE5m2, 5000, testing::Fill::kEveryEncoding, random);
  for (const soft::Function& function : soft::kFunctions) {
    const soft::Environment up{.rounding = soft::Rounding::kUp};
    EXPECT_EQ(by_soft(function, x, up), evaluate(function, x, up, {.threads = 2})) << function.name;
  }
}

TEST(FastFunctions, WideFormatsAndHostileHosts) {
  std::mt19937_64 random(2);
  const Tensor x = testing::filled(formats::kFp32, 1100, testing::Fill::kNormal, random);
  for (const soft::Function& function : soft::kFunctions) {
    const Tensor expected = by_soft(function, x, {});
    for (const std::uint64_t state : kHostStates) {
      const HostileHost host(state);
      EXPECT_EQ(expected, evaluate(function, x, {}, {.threads = 2})) << function.name;
    }
  }
}

TEST(FastFunctions, OfTwoOperands) {
  std::mt19937_64 random(3);
  const Tensor a = testing::filled(formats::kFp32, 1100, testing::Fill::kNormal, random);
  const Tensor b = testing::filled(formats::kFp32, 1100, testing::Fill::kNormal, random);
  for (const soft::BinaryFunction& function : soft::kBinaryFunctions) {
    const Tensor result = evaluate(function, a, b, {}, {.threads = 2});
    for (std::size_t i = 0; i < a.count(); ++i) {
      ASSERT_EQ(function.evaluate(formats::kFp32, a.at(i), b.at(i), {}).bits, result.at(i))
          << function.name;
    }
  }
  const Tensor shorter = Tensor::zeros(formats::kFp32, 3);
  const soft::BinaryFunction& power = soft::kBinaryFunctions[0];
  EXPECT_THROW(static_cast<void>(evaluate(power, a, shorter)), std::invalid_argument);
}

TEST(FastFunctions, RefusesFormatsWithoutFunctions) {
  const Tensor wide = Tensor::zeros(formats::kFp64, 1);
  EXPECT_THROW(static_cast<void>(evaluate(soft::kFunctions[0], wide)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(every_encoding(formats::kFp32)), std::invalid_argument);
}

}  // namespace
}  // namespace halfmark::fast
