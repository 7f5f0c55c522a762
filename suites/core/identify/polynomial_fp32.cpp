// SPDX-License-Identifier: Apache-2.0
#include "suites/core/identify/polynomial_fp32.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <span>

namespace halfmark::suites {
namespace {

constexpr std::uint32_t kFractionBits = 23, kBias = 127;

// Of each half binade from 2^-12 on, the coefficients of tanh in ascending powers.
constexpr std::uint32_t kTanh[32][7] = {
    {0x00000000, 0x3f800000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000},
    {0x39bfffff, 0x3f800018, 0xbe4e0ff1, 0x45b3ae96, 0xcc981a1b, 0x52f688d5, 0xd8995ed1},
    {0x39ffffff, 0x3f7fffe8, 0x3d25b1b1, 0xc414eb20, 0x4a7edd3d, 0xd0505c72, 0x558285ea},
    {0x3a3ffffe, 0x3f7fffda, 0x3d6b6dab, 0xc450e02e, 0x4ab1007c, 0xd08f98e3, 0x55b2cd69},
    {0x3a7ffffb, 0x3f7fffdc, 0x3c9fb1d5, 0xc3152b4e, 0x48fedd9c, 0xce505cc9, 0x53028625},
    {0x3abffff7, 0x3f7fffdc, 0xbabff06f, 0xbead2f56, 0x41a557b5, 0xc7162b8a, 0x4bc9991f},
    {0x3affffeb, 0x3f7fffac, 0x3c07b3f6, 0xc2162e02, 0x477ee32a, 0xcc5061d6, 0x5082898a},
    {0x3b3fffdc, 0x3f7fff70, 0xbb3fc1bc, 0xbeb4bd5a, 0x422557f5, 0xc7162bdf, 0x4b4999b3},
    {0x3b7fffab, 0x3f7ffeec, 0x3a9f5921, 0xc11a59a4, 0x45ff3ce4, 0xca50b37f, 0x4e02c07c},
    {0x3bbfff70, 0x3f7ffdc0, 0xbbbf06f2, 0xbed2f507, 0x42a55641, 0xc7162a3a, 0x4ac99764},
    {0x3bfffeab, 0x3f7ffbed, 0xbbb0f402, 0xc020d32c, 0x446e0867, 0xc8422086, 0x4b72c822},
    {0x3c3ffdc0, 0x3f7ff704, 0xbc47db9e, 0x3dd0f506, 0xc33dc19a, 0x471a714e, 0xca40c0e1},
    {0x3c7ffaab, 0x3f7feff5, 0xbc73d5e7, 0xbf2a75e2, 0x42915214, 0xc5ece1f1, 0x489413e4},
    {0x3cbff701, 0x3f7fdbca, 0xbca25bda, 0xbff950e3, 0x43af4fad, 0xc70e3d90, 0x49b12224},
    {0x3cffeaad, 0x3f7fbfff, 0xbcfca780, 0xbed47334, 0x4110fe88, 0xc3eba94a, 0x46134c4e},
    {0x3d3fdc08, 0x3f7f7041, 0xbd40e07c, 0xbe809b8c, 0xc1099b75, 0x43e0c424, 0xc60c2d57},
    {0x3d7faacd, 0x3f7f009b, 0xbd7dab03, 0xbeb64532, 0x3fc8a8dc, 0xc21f4552, 0x43c83910},
    {0x3dbf7081, 0x3f7dc36c, 0xbdbe4a0f, 0xbe961a5b, 0xbfbeaef5, 0x42217cc8, 0xc3c872d1},
    {0x3dfeacc9, 0x3f7c0aa8, 0xbdfb14a5, 0xbe9b63ac, 0xbe365aad, 0x405e7dc4, 0xc186bc9e},
    {0x3e3dc7fd, 0x3f7734b8, 0xbe36cc8d, 0xbea0d4b2, 0x3f4d9652, 0xc10dd401, 0x42325bc3},
    {0x3e7acbf5, 0x3f70a4de, 0xbe6bd102, 0xbe828a77, 0x3ddfa08f, 0x3e96b602, 0xbf2ffa4a},
    {0x3eb77a9f, 0x3f5f1fd8, 0xbe9fe7c5, 0xbe378612, 0x3e34e9b8, 0xbd1a6d2f, 0x3d9a203c},
    {0x3eec9a9f, 0x3f495493, 0xbeba0f10, 0xbdc20908, 0x3e2d07a6, 0xbd393883, 0xbc545a43},
    {0x3f22991f, 0x3f18b9ec, 0xbec206a8, 0x3d2d3957, 0x3dc63567, 0xbd674682, 0xbae08fee},
    {0x3f42f7d6, 0x3ed706cb, 0xbea3c388, 0x3dd46e89, 0x3cdaeb78, 0xbd310016, 0x3c80225d},
    {0x3f67b7cc, 0x3e390b06, 0xbe277d62, 0x3db3f629, 0xbcd17537, 0xb961e269, 0x3b1fd1df},
    {0x3f76ca83, 0x3d90b11f, 0xbd8b7960, 0x3d2c5e7b, 0xbc92829c, 0x3ba32495, 0xba36b9d1},
    {0x3f7ebbe9, 0x3c21a053, 0xbc209f49, 0x3bd20403, 0xbb43ab99, 0x3a7680d5, 0xb91de544},
    {0x3f7fd40c, 0x3aaf7fdb, 0xbaad44ca, 0x3a59dfae, 0xb9b471dd, 0x38b3173c, 0xb71f100f},
    {0x3f7fff32, 0x37ccc1a3, 0xb7c6eeac, 0x3770af45, 0xb6baad5a, 0x35a9deea, 0xb408e2ed},
    {0x3f7ffffc, 0x355c6733, 0xb663aa41, 0x372cc014, 0xb78bafc7, 0x375c3f2a, 0xb685fec8},
    {0x3f800000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000, 0x00000000},
};

float of_bits(std::uint32_t bits) { return std::bit_cast<float>(bits); }

// By Horner's rule; the coefficients in descending powers.
float polynomial(std::span<const float> coefficients, float x) {
  float p = coefficients[0];
  for (const float next : coefficients.subspan(1)) p = std::fma(p, x, next);
  return p;
}

// Of 1 / m in the log's step i, 1 + i / 32 <= m < 1 + (i + 1) / 32 before it is halved: the value
// at the middle, rounded to 5 significant bits.
float reciprocal_of_step(std::uint32_t i) {
  const double at_middle = (i < 16 ? 1 : 2) * 64.0 / (64.0 + 2 * i + 1);
  const double unit = at_middle < 1 ? 1.0 / 32 : 1.0 / 16;
  return static_cast<float>(std::round(at_middle / unit) * unit);
}

// r approximates 1 / m, and log m is that of m r and this constant: less log r, and less the bias
// of the exponent times log 2.
struct LogStep {
  float reciprocal, constant;
};

std::array<LogStep, 32> log_steps() {
  std::array<LogStep, 32> steps{};
  for (std::uint32_t i = 0; i < steps.size(); ++i) {
    const float r = reciprocal_of_step(i);
    const double logarithms = kBias * std::log(2.0) + std::log(static_cast<double>(r));
    steps[i] = {r, static_cast<float>(-logarithms)};
  }
  return steps;
}

}  // namespace

float exp_of_degree5(float x) {
  constexpr float kLeast = -0x1.5d58ap+6F, kMost = 0x1.62e43p+6F;
  constexpr float kLog2E = 0x1.715476p+0F, kLn2 = 0x1.62e43p-1F;
  constexpr float kCoefficients[] = {0x1.0f9f9cp-7F, 0x1.573a1ap-5F, 0x1.555a8p-3F,
                                     0x1.fffdc6p-2F, 0x1.fffff6p-1F, 1.0F};
  if (x < kLeast) return 0;
  x = x > kMost || std::isnan(x) ? kMost : x;
  const float scaled = x * kLog2E;
  const float n = std::floor(scaled + 0.5F);
  const float p = polynomial(kCoefficients, std::fma(-n, kLn2, x));
  // Made of its exponent's bits, 2^-127 is zero.
  const auto exponent = static_cast<std::uint32_t>(static_cast<int>(n) - 1) + kBias;
  return p * of_bits(exponent << kFractionBits) * 2;
}

float log_of_degree5(float x) {
  constexpr float kLn2 = 0x1.62e43p-1F;
  constexpr float kCoefficients[] = {0x1.999146p-3F, -0x1.000956p-2F, 0x1.555556p-2F, -0.5F, 1.0F};
  static const std::array<LogStep, 32> kSteps = log_steps();
  if (x == 0) return -std::numeric_limits<float>::infinity();
  if (!(x > 0)) return std::numeric_limits<float>::quiet_NaN();
  if (std::isinf(x)) return x;
  const auto bits = std::bit_cast<std::uint32_t>(x);
  const std::uint32_t fraction = bits & ((1U << kFractionBits) - 1);
  const std::uint32_t step = fraction >> (kFractionBits - 5), halved = step >> 4;
  const auto exponent = static_cast<float>((bits >> kFractionBits) + halved);
  const float m = of_bits(((kBias - halved) << kFractionBits) | fraction);
  const auto [reciprocal, constant] = kSteps[step];
  const float z = std::fma(reciprocal, m, -1.0F);
  const float small = polynomial(kCoefficients, z) * z;
  const float large = std::fma(exponent, kLn2, constant);
  const float sum = small + large;
  return sum + ((sum - large) - small);
}

float tanh_of_degree6(float x) {
  constexpr float kLinear = 0x1.bb67aep-12F, kSaturated = 0x1.205966p+3F;
  constexpr std::uint32_t kLowerEnd = 0xffc00000, kFirst = 0x39800000;
  const float size = std::fabs(x);
  if (size < kLinear || std::isnan(x)) return x;
  if (size >= kSaturated) return std::copysign(1.0F, x);
  const std::uint32_t lower = std::bit_cast<std::uint32_t>(size) & kLowerEnd;
  const auto& c = kTanh[(lower - kFirst) >> (kFractionBits - 1)];
  float p = of_bits(c[6]);
  for (std::size_t degree = 6; degree-- > 0;)
    p = std::fma(p, size - of_bits(lower), of_bits(c[degree]));
  return std::copysign(p, x);
}

float short_erf_of(float x, float e) {
  constexpr float kCoefficients[] = {1.061405429F, -1.453152027F, 1.421413741F, -0.284496736F,
                                     0.254829592F};
  const float t = 1.0F / std::fma(0.3275911F, std::fabs(x), 1.0F);
  const float size = std::fma(-e * t, polynomial(kCoefficients, t), 1.0F);
  return std::signbit(x) ? -size : size;
}

}  // namespace halfmark::suites
