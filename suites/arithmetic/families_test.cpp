// SPDX-License-Identifier: Apache-2.0
// Devices that make a mistake with a parameter, simulated by the host's own arithmetic: the
// diagnosis finds the parameter, and a device that does the same work rightly shows nothing.
#include "suites/arithmetic/families.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <set>
#include <string>

#include "reference/fast/floating_point.hpp"
#include "suites/arithmetic/suite.hpp"
#include "suites/core/diagnose/diagnose.hpp"
#include "suites/core/testing/suite_checks.hpp"

namespace halfmark::suites::arithmetic {
namespace {

using formats::Bits;

float number(Bits bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits)); }
Bits bits_of(float value) { return std::bit_cast<std::uint32_t>(value); }

using Device = std::function<float(float a, float b, float c)>;

// The name that the diagnosis gives first to a device's results; empty if they are right.
std::string named(std::string_view name, const std::function<Bits(const Operands&)>& device) {
  const Prepared prepared(suite(), parse_case("arithmetic", suite().axes, name));
  TensorSet got = prepared.expected.middle;
  const auto at = [&](const char* tensor, std::size_t i) {
    return prepared.inputs.contains(tensor) ? prepared.inputs.at(tensor).at(i) : 0;
  };
  for (std::size_t i = 0; i < got.at("d").count(); ++i)
    got.at("d").set(i, device({.a = at("a", i), .b = at("b", i), .c = at("c", i)}));
  if (compare(prepared.allowance(), got).mismatches == 0) return "";
  const auto found = diagnose(*prepared.problem, prepared.inputs, prepared.allowance(), got);
  if (found.empty() || found[0].contradicted > 0) return "unexplained";
  return found[0].hypothesis;
}

std::string named_in_fp32(std::string_view operation, std::string_view fill, const Device& device) {
  const fast::FloatingPointScope scope;
  const auto of_bits = [&](const Operands& x) {
    return bits_of(device(number(x.a), number(x.b), number(x.c)));
  };
  return named(fmt::format("arithmetic.fp32.{}.portable.n4096.{}.s7", operation, fill), of_bits);
}

// --- two roundings -------------------------------------------------------------------------------

// Keeps `bits` of a double, to nearest even or toward zero.
double kept(double value, int bits, bool is_cut = false) {
  if (!std::isfinite(value) || value == 0) return value;
  const int place = std::ilogb(value) - bits + 1;
  const double units = std::ldexp(value, -place);
  return std::ldexp(is_cut ? std::trunc(units) : std::nearbyint(units), place);
}

TEST(TwoRoundings, AFusedProductThroughDoubleIsNamed) {
  const Device device = [](float a, float b, float c) {
    return static_cast<float>(static_cast<double>(a) * b + c);
  };
  EXPECT_EQ("through-fp64", named_in_fp32("fma", "corners", device));
}

TEST(TwoRoundings, TheBitsOfAProductAreFound) {
  for (const int bits : {25, 28, 32}) {
    const auto device = [bits](float a, float b, float) {
      return static_cast<float>(kept(static_cast<double>(a) * b, bits));
    };
    EXPECT_EQ(fmt::format("rounded-first-to-{}-bits", bits), named_in_fp32("mul", "near", device));
  }
}

TEST(TwoRoundings, TheBitsThatAreKeptOfAProductAreFound) {
  for (const int bits : {25, 27, 30}) {
    const auto device = [bits](float a, float b, float) {
      return static_cast<float>(kept(static_cast<double>(a) * b, bits, true));
    };
    EXPECT_EQ(fmt::format("cut-first-to-{}-bits", bits), named_in_fp32("mul", "near", device));
  }
}

TEST(TwoRoundings, OfAConversionAreFound) {
  for (const int bits : {12, 14}) {
    const auto device = [bits](const Operands& x) {
      const auto few = static_cast<float>(kept(number(x.a), bits));
      return soft::convert(formats::kFp32, formats::kFp16, bits_of(few)).bits;
    };
    const fast::FloatingPointScope scope;
    EXPECT_EQ(fmt::format("rounded-first-to-{}-bits", bits),
              named("arithmetic.fp32.to_fp16.portable.n262144.near.s7", device));
  }
}

TEST(TwoRoundings, RightProductsShowNothing) {
  const Device device = [](float a, float b, float) { return static_cast<float>(kept(a * b, 53)); };
  EXPECT_EQ("", named_in_fp32("mul", "near", device));
}

TEST(TwoRoundings, AProductThatIsKeptToMoreBitsIsExcessPrecision) {
  const Device device = [](float a, float b, float c) {
    return static_cast<float>(kept(kept(static_cast<double>(a) * b, 32) + c, 32));
  };
  EXPECT_EQ("kept-to-32-bits", named_in_fp32("muladd", "near", device));
}

// --- subnormal results ---------------------------------------------------------------------------

// The exact product, cut to a multiple of the least subnormal where it is below the normal range.
float with_tiny_cut(float a, float b, float) {
  const double exact = static_cast<double>(a) * b;
  if (!(std::abs(exact) < 0x1p-126)) return static_cast<float>(exact);
  return static_cast<float>(std::trunc(exact * 0x1p149) * 0x1p-149);
}

TEST(SubnormalResults, ThatAreCutAreNamed) {
  EXPECT_EQ("subnormal-results-round-toward-zero", named_in_fp32("mul", "finite", with_tiny_cut));
}

// --- aligned terms -------------------------------------------------------------------------------

TEST(AlignedTerms, TheGuardBitsAreFound) {
  for (const int guard : {0, 1, 2}) {
    const auto device = [guard](float a, float b, float) {
      if (std::abs(a) < std::abs(b)) std::swap(a, b);
      const double place = std::ldexp(1.0, std::max(std::ilogb(a), -126) - 23 - guard);
      return static_cast<float>(a + std::trunc(b / place) * place);
    };
    EXPECT_EQ(fmt::format("aligned-with-{}-guard-bits", guard),
              named_in_fp32("add", "near", device));
  }
}

// --- reciprocals ---------------------------------------------------------------------------------

TEST(Reciprocals, OfFewBitsAreFound) {
  for (const int bits : {8, 12, 22}) {
    const auto device = [bits](float a, float b, float) {
      return a * static_cast<float>(kept(1.0 / b, bits));
    };
    EXPECT_EQ(fmt::format("reciprocal-of-{}-bits", bits), named_in_fp32("div", "near", device));
  }
}

TEST(Reciprocals, WithANewtonStepAreFound) {
  for (const int bits : {8, 11, 12}) {
    const auto fused = [bits](float a, float b, float) {
      const auto r = static_cast<float>(kept(1.0 / b, bits));
      return a * std::fma(r, std::fma(-b, r, 1.0F), r);
    };
    EXPECT_EQ(fmt::format("reciprocal-of-{}-bits-newton", bits),
              named_in_fp32("div", "near", fused));
    const auto separate = [bits](float a, float b, float) {
      const auto r = static_cast<float>(kept(1.0 / b, bits, true));
      volatile float product = b * r;
      volatile float rest = 2.0F - product;
      volatile float better = r * rest;
      return a * better;
    };
    EXPECT_EQ(fmt::format("reciprocal-cut-to-{}-bits-newton-separate", bits),
              named_in_fp32("div", "near", separate));
  }
}

TEST(Reciprocals, CorrectedByFusedRemaindersShowNothing) {
  const Device device = [](float a, float b, float) { return a / b; };
  EXPECT_EQ("", named_in_fp32("div", "near", device));
}

TEST(Reciprocals, OfScaledOperandsAreNamedAtTheEndsOfTheRange) {
  const Device device = [](float a, float b, float) {
    const bool is_special = a == 0 || b == 0 || !std::isfinite(a) || !std::isfinite(b);
    if (is_special) return a / b;
    const int p = std::ilogb(a), q = std::ilogb(b);
    const float quotient = std::ldexp(a, -p) * (1.0F / std::ldexp(b, -q));
    return std::ldexp(quotient, p - q);
  };
  EXPECT_EQ("reciprocal-scaled", named_in_fp32("div", "finite", device));
}

TEST(Reciprocals, OfRootsAreFound) {
  for (const int bits : {10, 12}) {
    const auto rough = [bits](float a, float, float) {
      return a * static_cast<float>(kept(1.0 / std::sqrt(static_cast<double>(a)), bits));
    };
    EXPECT_EQ(fmt::format("reciprocal-root-of-{}-bits", bits),
              named_in_fp32("sqrt", "near", rough));
    const auto better = [bits](float a, float, float) {
      const auto r = static_cast<float>(kept(1.0 / std::sqrt(static_cast<double>(a)), bits));
      volatile float half = 0.5F * a;
      volatile float square = r * r;
      volatile float product = half * square;
      volatile float rest = 1.5F - product;
      volatile float root = r * rest;
      return a * root;
    };
    EXPECT_EQ(fmt::format("reciprocal-root-of-{}-bits-newton-separate", bits),
              named_in_fp32("sqrt", "near", better));
  }
}

// --- ldexp ---------------------------------------------------------------------------------------

std::string named_scaling(std::string_view fill, const std::function<float(float, int)>& device) {
  const fast::FloatingPointScope scope;
  return named(fmt::format("arithmetic.fp32.ldexp.portable.n4096.{}.s7", fill),
               [&](const Operands& x) { return bits_of(device(number(x.a), exponent_of(x.b))); });
}

TEST(Scalings, TheLimitsOfTheExponentAreFound) {
  const auto clamped = [](int least, int most) {
    return named_scaling("finite",
                         [=](float a, int n) { return std::ldexp(a, std::clamp(n, least, most)); });
  };
  EXPECT_EQ("exponent-clamped--126-to-126", clamped(-126, 126));
  EXPECT_EQ("exponent-clamped--126-to-127", clamped(-126, 127));
  EXPECT_EQ("exponent-clamped--100-to-100", clamped(-100, 100));
  EXPECT_EQ("exponent-clamped-up-to-127", clamped(-10000, 127));
  EXPECT_EQ("", clamped(-400, 400));
}

TEST(Scalings, TheStepsThatRoundAreFound) {
  EXPECT_EQ("in-steps-of-60", named_scaling("ties", [](float a, int n) {
              for (; n < -60; n += 60) a *= 0x1p-60F;
              for (; n > 60; n -= 60) a *= 0x1p60F;
              return std::ldexp(a, n);
            }));
}

// --- comparisons ---------------------------------------------------------------------------------

TEST(Comparisons, OfNaNsAndZerosAreNamed) {
  const auto compared = [](std::string_view operation, bool (*device)(float, float)) {
    return named(
        fmt::format("arithmetic.fp32.{}.portable.n4096.corners.s7", operation),
        [&](const Operands& x) -> Bits { return device(number(x.a), number(x.b)) ? 1 : 0; });
  };
  EXPECT_EQ("nan-is-less", compared("lt", [](float a, float b) { return !(a >= b); }));
  EXPECT_EQ("less-or-equal", compared("lt", [](float a, float b) { return a <= b; }));
  EXPECT_EQ("", compared("lt", [](float a, float b) { return b > a; }));
  EXPECT_EQ("nan-is-equal", compared("eq", [](float a, float b) { return !(a < b || a > b); }));
  EXPECT_EQ("as-integers",
            compared("eq", [](float a, float b) { return bits_of(a) == bits_of(b); }));
  EXPECT_EQ("zeros-differ", compared("eq", [](float a, float b) {
              return a == b && std::signbit(a) == std::signbit(b);
            }));
  EXPECT_EQ("", compared("eq", [](float a, float b) { return a >= b && a <= b; }));
}

// --- names ---------------------------------------------------------------------------------------

TEST(Families, NamesDiffer) {
  for (const Operation& op : operations()) {
    std::set<std::string> names;
    for (const Member& member : families(op)) {
      EXPECT_TRUE(names.insert(member.name).second)
          << op.format << '.' << op.name << ' ' << member.name;
    }
  }
}

}  // namespace
}  // namespace halfmark::suites::arithmetic
