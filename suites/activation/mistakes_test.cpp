// SPDX-License-Identifier: Apache-2.0
// Devices with another constant, derivative or comparison, simulated by the host's own arithmetic,
// are named; a right one shows nothing.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>

#include "reference/fast/floating_point.hpp"
#include "reference/formats/classify.hpp"
#include "suites/activation/binding.hpp"
#include "suites/activation/suite.hpp"
#include "suites/core/bounds/interval.hpp"
#include "suites/core/diagnose/diagnose.hpp"
#include "suites/core/judge/classification.hpp"
#include "suites/core/testing/suite_checks.hpp"

namespace halfmark::suites::activation {
namespace {

using formats::Bits;
using formats::Format;
using formats::kFp16;
using Device = std::function<double(double x, double second)>;
using DeviceOfBits = std::function<Bits(Bits x, Bits second)>;

// The name that the diagnosis gives first to a device's results; empty if they are right.
std::string named_of_bits(const std::string& name, const DeviceOfBits& device) {
  const Prepared prepared(suite(), parse_case("activation", suite().axes, name));
  const std::string second(bind(prepared.problem->c()).row->second);
  TensorSet got = prepared.expected.middle;
  formats::Tensor& results = got.begin()->second;
  for (std::size_t i = 0; i < results.count(); ++i)
    results.set(i, device(prepared.inputs.at("x").at(i),
                          second.empty() ? Bits{0} : prepared.inputs.at(second).at(i)));
  if (compare(prepared.allowance(), got).mismatches == 0) return "";
  const auto found = diagnose(*prepared.problem, prepared.inputs, prepared.allowance(), got);
  if (found.empty() || found[0].contradicted > 0) return "unexplained";
  return found[0].hypothesis;
}

std::string named(const std::string& operation, const std::string& fill, const Device& device) {
  const fast::FloatingPointScope scope;
  const std::string size = fill == "all" ? "n65536" : "n4096";
  return named_of_bits("activation." + operation + ".fp16.library." + size + "." + fill + ".s7",
                       [&](Bits x, Bits second) {
                         return nearest(kFp16, device(value_of(kFp16, x), value_of(kFp16, second)));
                       });
}

const double kRight = std::sqrt(2 / std::acos(-1.0));

double gelu_tanh(double x, double slope, double cubic) {
  return 0.5 * x * (1 + std::tanh(slope * (x + cubic * x * x * x)));
}

TEST(ConstantsOfGelu, OfFewDigitsAreFound) {
  const auto with = [](double slope, double cubic) {
    return named("gelu_tanh", "all", [=](double x, double) { return gelu_tanh(x, slope, cubic); });
  };
  EXPECT_EQ("", with(kRight, 0.044715));
  EXPECT_EQ("cubic-0.0447", with(kRight, 0.0447));
  EXPECT_EQ("cubic-0.045", with(kRight, 0.045));
  EXPECT_EQ("cubic-0.04", with(kRight, 0.04));
  EXPECT_EQ("slope-0.8", with(0.8, 0.044715));
  EXPECT_EQ("slope-in-bf16", with(through(&formats::kBf16, kRight), 0.044715));
}

TEST(ConstantsOfGelu, OfTheErfFormAreFound) {
  const auto with = [](double slope) {
    return named("gelu", "all",
                 [=](double x, double) { return 0.5 * x * (1 + std::erf(slope * x)); });
  };
  EXPECT_EQ("", with(std::sqrt(0.5)));
  EXPECT_EQ("slope-0.7", with(0.7));
  EXPECT_EQ("slope-0.71", with(0.71));
}

TEST(DerivativesOfGelu, WithoutThatOfTheArgumentAreNamed) {
  const auto tanh_form = [](bool is_right) {
    return named("gelu_tanh-backward", "all", [=](double x, double dy) {
      const double t = std::tanh(kRight * (x + 0.044715 * x * x * x));
      const double inner = is_right ? kRight * (1 + 3 * 0.044715 * x * x) : 1;
      const double rest = std::abs(t) < 1 ? (1 - t * t) * 0.5 * x * inner : 0;
      return dy * (0.5 * (1 + t) + rest);
    });
  };
  EXPECT_EQ("", tanh_form(true));
  EXPECT_EQ("no-inner-derivative", tanh_form(false));
  const auto erf_form = [](bool is_right) {
    return named("gelu-backward", "all", [=](double x, double dy) {
      const double density = std::exp(-x * x / 2) / std::sqrt(std::acos(-1.0));
      return dy * (0.5 * (1 + std::erf(x * std::sqrt(0.5))) +
                   x * density * (is_right ? std::sqrt(0.5) : 1));
    });
  };
  EXPECT_EQ("", erf_form(true));
  EXPECT_EQ("no-inner-derivative", erf_form(false));
}

// Truncated, or as if whatever is left behind the half were a tie: right results tell them apart.
TEST(StoresOfGelu, OfSubnormalResultsAreFound) {
  const fast::FloatingPointScope scope;
  const auto stored = [](bool is_cut) {
    return named_of_bits("activation.gelu.fp16.library.n65536.all.s7", [=](Bits x, Bits) {
      const double value = value_of(kFp16, x);
      const double right = std::isinf(value) ? std::max(value, 0.0)
                                             : 0.5 * value * std::erfc(-value * std::sqrt(0.5));
      if (!(std::abs(right) < 0x1p-14)) return nearest(kFp16, right);
      const double places = std::abs(right) * 0x1p24;
      const double cut = std::floor(places);
      const bool is_up = !is_cut && places - cut >= 0.5 && std::fmod(cut, 2) == 1;
      return nearest(kFp16, std::copysign((cut + is_up) * 0x1p-24, right));
    });
  };
  EXPECT_EQ("subnormals-cut", stored(true));
  EXPECT_EQ("general-subnormals-too-near-zero", stored(false));
}

// A library that clamps the argument of tanh by fmin and fmax, which let a number win.
TEST(NanInGelu, MayBecomeANumberWhereNothingIsPromised) {
  const auto clamping = [](Bits x, Bits right) { return formats::is_nan(kFp16, x) ? 0 : right; };
  for (const char* name : {"activation.gelu_tanh.fp16.library.n65536.all.s7",
                           "activation.gelu_tanh.fp16.library.n4096.limits.s7"}) {
    const Prepared prepared(suite(), parse_case("activation", suite().axes, name));
    TensorSet got = prepared.expected.middle;
    formats::Tensor& y = got.at("y");
    for (std::size_t i = 0; i < y.count(); ++i)
      y.set(i, clamping(prepared.inputs.at("x").at(i), y.at(i)));
    const auto standing = [&](bool is_promised) {
      backends::DeviceInfo device;
      device.promises.push_back({"operators.nan", is_promised, "silent", "no document"});
      CaseResult result;
      result.mismatches = compare(prepared.allowance(), got).mismatches;
      result.explanations = diagnose(*prepared.problem, prepared.inputs, prepared.allowance(), got);
      decide_standing(result, prepared.problem->row(device), {device});
      return result.standing;
    };
    EXPECT_EQ(Standing::kDeviation, standing(false)) << name;
    EXPECT_EQ(Standing::kViolation, standing(true)) << name;
    std::size_t number = 0;
    while (formats::is_nan(kFp16, prepared.inputs.at("x").at(number))) ++number;
    y.set(number, 0x7bff);
    EXPECT_EQ(Standing::kViolation, standing(false)) << name << ": and is wrong elsewhere";
  }
}

// The gradient of ReLU where the device reads subnormal numbers as zeros: x alone, or dy, too.
TEST(GradientOfRelu, MayReadSubnormalsAsZerosWhereTheyAreNotPromised) {
  for (const char* tail : {"fp16.library.n65536.all", "fp16.library.n65536.tiny",
                           "bf16.library.n4096.bits", "fp32.library.n4096.bits"}) {
    const std::string name = std::string("activation.relu-backward.") + tail + ".s7";
    const Prepared prepared(suite(), parse_case("activation", suite().axes, name));
    const formats::Tensor& x = prepared.inputs.at("x");
    const formats::Tensor& dy = prepared.inputs.at("dy");
    const Format& f = *x.format;
    for (const bool both : {false, true}) {
      TensorSet got = prepared.expected.middle;
      formats::Tensor& dx = got.at("dx");
      for (std::size_t i = 0; i < x.count(); ++i) {
        const bool is_zero =
            formats::is_subnormal(f, x.at(i)) || (both && formats::is_subnormal(f, dy.at(i)));
        if (is_zero && !formats::is_zero(f, dx.at(i)))
          dx.set(i, formats::is_subnormal(f, x.at(i)) ? 0 : dy.at(i) & f.sign_mask());
      }
      CaseResult result;
      result.mismatches = compare(prepared.allowance(), got).mismatches;
      ASSERT_LT(0U, result.mismatches) << name;
      result.explanations = diagnose(*prepared.problem, prepared.inputs, prepared.allowance(), got);
      const auto standing = [&](bool is_promised) {
        backends::DeviceInfo device;
        device.promises.push_back({"fp32.subnormals", is_promised, "silent", "no document"});
        decide_standing(result, prepared.problem->row(device), {device});
        return result.standing;
      };
      EXPECT_EQ(Standing::kDeviation, standing(false)) << name << ' ' << both << result.reason;
      EXPECT_EQ(Standing::kViolation, standing(true)) << name << ' ' << both;
    }
  }
}

// Zeros of either sign are equal, so that < and <= give the same.
TEST(Choices, EachFormOfAMaximumIsNamed) {
  const auto chosen = [](const char* operation, Bits (*of)(Bits, Bits, double, double)) {
    return named_of_bits(
        std::string("activation.") + operation + ".fp16.library." +
            (std::string(operation) == "max" ? "n4096.special.s7" : "n65536.all.s7"),
        [&](Bits x, Bits y) { return of(x, y, value_of(kFp16, x), value_of(kFp16, y)); });
  };
  EXPECT_EQ("first-nan-dropped",
            chosen("max", [](Bits x, Bits y, double a, double b) { return a > b ? x : y; }));
  EXPECT_EQ("first-nan-dropped",
            chosen("max", [](Bits x, Bits y, double a, double b) { return a >= b ? x : y; }));
  EXPECT_EQ("second-nan-dropped",
            chosen("max", [](Bits x, Bits y, double a, double b) { return a < b ? y : x; }));
  EXPECT_EQ("second-nan-dropped",
            chosen("max", [](Bits x, Bits y, double a, double b) { return a <= b ? y : x; }));
  EXPECT_EQ("", chosen("max", [](Bits x, Bits y, double a, double b) {
              return a >= b || std::isnan(a) ? x : y;
            }));
  EXPECT_EQ("nan-dropped",
            chosen("relu", [](Bits x, Bits, double a, double) { return a > 0 ? x : Bits{0}; }));
  EXPECT_EQ("nan-dropped",
            chosen("relu", [](Bits x, Bits, double a, double) { return a >= 0 ? x : Bits{0}; }));
  EXPECT_EQ("", chosen("relu", [](Bits x, Bits, double a, double) { return a < 0 ? Bits{0} : x; }));
  EXPECT_EQ("",
            chosen("relu", [](Bits x, Bits, double a, double) { return a <= 0 ? Bits{0} : x; }));
}

}  // namespace
}  // namespace halfmark::suites::activation
