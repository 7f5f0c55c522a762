// SPDX-License-Identifier: Apache-2.0
// Libraries that omit lanes from their sums, round the logarithm of a sum, or mask with a finite
// number, computed here only from the formula: the diagnosis must name the mistake from the bits.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "suites/core/bounds/interval.hpp"
#include "suites/core/testing/suite_checks.hpp"
#include "suites/softmax/suite.hpp"

namespace halfmark::suites::softmax {
namespace {

constexpr std::size_t kRows = 4, kWidth = 192;
using Row = std::vector<double>;

// The diagnosis of a library that returns this for a row.
std::string class_of(const std::string& operation, const std::function<Row(const Row&)>& library) {
  const Case c = parse_case("softmax", suite().axes,
                            "softmax." + operation + ".fp32.out-fp32.library.r4n192.normal.s7");
  const Prepared prepared(suite(), c);
  TensorSet actual = prepared.expected.middle;
  for (std::size_t r = 0; r < kRows; ++r) {
    Row x(kWidth);
    for (std::size_t i = 0; i < kWidth; ++i)
      x[i] = value_of(formats::kFp32, prepared.inputs.at("x").at(r * kWidth + i));
    const Row y = library(x);
    for (std::size_t i = 0; i < kWidth; ++i)
      actual.at("y").set(r * kWidth + i, nearest(formats::kFp32, y[i]));
  }
  const auto found = diagnose(*prepared.problem, prepared.inputs, prepared.allowance(), actual);
  return found.empty() || found[0].contradicted > 0 ? "" : found[0].finding_class;
}

Row softmax_of(const Row& x, const std::function<bool(std::size_t)>& is_summed) {
  const double largest = *std::max_element(x.begin(), x.end());
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += is_summed(i) ? std::exp(x[i] - largest) : 0;
  Row y = x;
  for (double& v : y) v = std::exp(v - largest) / sum;
  return y;
}

TEST(SoftmaxSlips, TheFormulaIsNotAccused) {
  EXPECT_EQ("", class_of("forward", [](const Row& x) {
              return softmax_of(x, [](std::size_t) { return true; });
            }));
}

TEST(SoftmaxSlips, LanesOfAWave) {
  for (const std::size_t kept : {48u, 32u}) {
    EXPECT_EQ("wave_width", class_of("forward", [kept](const Row& x) {
                return softmax_of(x, [kept](std::size_t i) { return i % 64 < kept; });
              }));
  }
}

// As a library does (reports/published): every second row is read right behind the first.
TEST(SoftmaxSlips, RowsInPairs) {
  constexpr std::size_t kStep = kWidth + 3;
  const Case c =
      parse_case("softmax", suite().axes, "softmax.forward.fp32.out-fp32.library.r4n192.padded.s7");
  const Prepared prepared(suite(), c);
  const formats::Tensor& x = prepared.inputs.at("x");
  TensorSet actual{{"y", prepared.inputs.at("y")}};  // what lies there before
  for (std::size_t r = 0; r < kRows; ++r) {
    const std::size_t start = r / 2 * 2 * kStep + r % 2 * kWidth;
    Row row(kWidth);
    for (std::size_t i = 0; i < kWidth; ++i) row[i] = value_of(formats::kFp32, x.at(start + i));
    const Row y = softmax_of(row, [](std::size_t) { return true; });
    for (std::size_t i = 0; i < kWidth; ++i)
      actual.at("y").set(start + i, nearest(formats::kFp32, y[i]));
  }
  const auto found = diagnose(*prepared.problem, prepared.inputs, prepared.allowance(), actual);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ("rows-dense-in-groups-of-2", found[0].hypothesis);
  EXPECT_EQ("layout", found[0].finding_class);
  EXPECT_EQ(0u, found[0].contradicted);
}

TEST(SoftmaxSlips, ALogarithmInAnotherFormat) {
  EXPECT_EQ("early_round", class_of("log-forward", [](const Row& x) {
              const double largest = *std::max_element(x.begin(), x.end());
              double sum = 0;
              for (const double v : x) sum += std::exp(v - largest);
              Row y = x;
              for (double& v : y) v = v - largest - through(&formats::kBf16, std::log(sum));
              return y;
            }));
}

// The first rows are fully hidden.
std::string told_of_mask(double hidden_by) {
  const Case c = parse_case("softmax", suite().axes,
                            "softmax.forward.fp16.out-fp16.library.r16n100.causal.s7");
  const Prepared prepared(suite(), c);
  TensorSet actual = prepared.expected.middle;
  constexpr std::size_t kColumns = 100;
  for (std::size_t r = 0; r < 16; ++r) {
    Row x(kColumns);
    for (std::size_t i = 0; i < kColumns; ++i) {
      const auto value = [&](const char* name) {
        return value_of(formats::kFp16, prepared.inputs.at(name).at(r * kColumns + i));
      };
      x[i] = single(value("x") + (std::isinf(value("mask")) ? hidden_by : value("mask")));
    }
    const Row y = softmax_of(x, [](std::size_t) { return true; });
    for (std::size_t i = 0; i < kColumns; ++i)
      actual.at("y").set(r * kColumns + i, nearest(formats::kFp16, y[i]));
  }
  const auto found = diagnose(*prepared.problem, prepared.inputs, prepared.allowance(), actual);
  return found.empty() || found[0].contradicted > 0 ? "" : found[0].finding_class;
}

TEST(SoftmaxSlips, AMaskOfAFiniteNumber) {
  EXPECT_EQ("", told_of_mask(-std::numeric_limits<double>::infinity()));
  for (const double number : {-1e4, -3e4, -1e9}) EXPECT_EQ("masked_row", told_of_mask(number));
}

// What a card of cuDNN 9.14 on an H200 suggests: rows of 100 are padded to 128 with the lowest
// number, so that a row of nothing else is 1/128, and one of -inf is 0.
TEST(SoftmaxSlips, PaddingByTheLowestNumber) {
  const Case c =
      parse_case("softmax", suite().axes, "softmax.forward.fp32.out-fp32.library.r16n100.mask.s7");
  const Prepared prepared(suite(), c);
  const auto named = [&](std::optional<formats::Bits> of_lowest) {
    TensorSet actual = prepared.expected.middle;
    for (const std::size_t row : {1U, 9U, 3U, 11U}) {
      for (std::size_t i = 0; i < 100 && (of_lowest || row % 8 == 1); ++i)
        actual.at("y").set(row * 100 + i, row % 8 == 1 ? 0 : *of_lowest);
    }
    const auto found = diagnose(*prepared.problem, prepared.inputs, prepared.allowance(), actual);
    return found.empty() || found[0].contradicted > 0 ? "" : found[0].hypothesis;
  };
  EXPECT_EQ("padding-is-lowest-to-1", named(0x3c000000));
  EXPECT_EQ("padding-is-zero-to-1-in-part", named(0));
  EXPECT_EQ("masked-row-is-zero", named(std::nullopt));
}

}  // namespace
}  // namespace halfmark::suites::softmax
