// SPDX-License-Identifier: Apache-2.0
//
// Tests the device's fp16 against an integer oracle, which finds every result by comparing the
// exact value with the midpoints between neighbouring encodings. Also tests the floating-point
// state that kernels run in.
#include <array>
#include <bit>
#include <cstdint>
#include <random>
#include <tuple>

#include "backends/host/float_state.hpp"
#include "backends/host/host_test.hpp"

namespace halfmark::backends::host {
namespace {

using Half = std::uint16_t;
using Wide = __int128;

constexpr Half kInfinity = 0x7c00;
constexpr Half kNan = 0x7e00;

[[nodiscard]] bool is_nan(unsigned half) { return (half & 0x7fff) > kInfinity; }
[[nodiscard]] bool is_infinity(unsigned half) { return (half & 0x7fff) == kInfinity; }
[[nodiscard]] bool is_negative(unsigned half) { return (half & 0x8000) != 0; }

// |half| in units of 2^-24; infinity continues the scale at 2^16, as rounding requires.
[[nodiscard]] Wide magnitude(unsigned half) {
  const unsigned exponent = half >> 10 & 31;
  const unsigned fraction = half & 0x3ff;
  return exponent == 0 ? Wide{fraction} : Wide{fraction + 1024} << (exponent - 1);
}
[[nodiscard]] Wide value(unsigned half) {
  return is_negative(half) ? -magnitude(half) : magnitude(half);
}

// The encoding to which a positive number rounds. order(m) compares the number with m * 2^-25.
template <typename Order>
[[nodiscard]] Half rounded(bool negative, Order&& order) {
  unsigned low = 0, high = kInfinity;  // the result is in [low, high]
  while (low < high) {
    const unsigned middle = (low + high) / 2;
    const int side = order(magnitude(middle) + magnitude(middle + 1));
    if (side < 0 || (side == 0 && middle % 2 == 0)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return static_cast<Half>(low | (negative ? 0x8000u : 0u));
}

[[nodiscard]] int compare(Wide a, Wide b) { return a < b ? -1 : a > b ? 1 : 0; }

// exact * 2^-scale, rounded; a zero gets the given sign.
[[nodiscard]] Half rounded_integer(Wide exact, int scale, bool negative_zero) {
  if (exact == 0) return negative_zero ? 0x8000 : 0;
  const Wide size = exact < 0 ? -exact : exact;
  return rounded(exact < 0,
                 [&](Wide half_units) { return compare(size, half_units << (scale - 25)); });
}

[[nodiscard]] Half expected_fma(unsigned a, unsigned b, unsigned c) {
  const bool negative = is_negative(a) != is_negative(b);
  if (is_nan(a) || is_nan(b) || is_nan(c)) return kNan;
  if (is_infinity(a) || is_infinity(b)) {
    if (magnitude(a) == 0 || magnitude(b) == 0) return kNan;
    if (is_infinity(c) && is_negative(c) != negative) return kNan;
    return negative ? 0xfc00 : kInfinity;
  }
  if (is_infinity(c)) return static_cast<Half>(c);
  return rounded_integer(value(a) * value(b) + (value(c) << 24), 48, negative && is_negative(c));
}

[[nodiscard]] Half expected_add(unsigned a, unsigned b) { return expected_fma(a, 0x3c00, b); }
[[nodiscard]] Half expected_sub(unsigned a, unsigned b) { return expected_add(a, b ^ 0x8000); }
[[nodiscard]] Half expected_mul(unsigned a, unsigned b) {
  // The added zero has the product's sign, so it changes nothing.
  return expected_fma(a, b, is_negative(a) != is_negative(b) ? 0x8000 : 0);
}

[[nodiscard]] Half expected_div(unsigned a, unsigned b) {
  const bool negative = is_negative(a) != is_negative(b);
  const unsigned sign = negative ? 0x8000 : 0;
  if (is_nan(a) || is_nan(b) || (is_infinity(a) && is_infinity(b))) return kNan;
  if (magnitude(a) == 0 && magnitude(b) == 0) return kNan;
  if (is_infinity(a) || magnitude(b) == 0) return static_cast<Half>(sign | kInfinity);
  if (is_infinity(b) || magnitude(a) == 0) return static_cast<Half>(sign);
  return rounded(negative, [&](Wide half_units) {
    return compare(magnitude(a) << 25, half_units * magnitude(b));
  });
}

[[nodiscard]] Half expected_sqrt(unsigned a) {
  if (is_nan(a)) return kNan;
  if (magnitude(a) == 0) return static_cast<Half>(a);
  if (is_negative(a)) return kNan;
  if (is_infinity(a)) return kInfinity;
  return rounded(
      false, [&](Wide half_units) { return compare(magnitude(a) << 26, half_units * half_units); });
}

[[nodiscard]] Half expected_from_float(float number) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(number);
  const bool negative = bits >> 31 != 0;
  const int exponent = static_cast<int>(bits >> 23 & 255);
  if (exponent == 255)
    return (bits & 0x7fffff) != 0 ? kNan : static_cast<Half>(kInfinity | (negative ? 0x8000 : 0));
  if (exponent > 150) return static_cast<Half>(kInfinity | (negative ? 0x8000 : 0));
  if (exponent < 90) return negative ? 0x8000 : 0;
  // In units of 2^-60.
  const Wide size = Wide{(bits & 0x7fffff) | 0x800000} << (exponent - 90);
  return rounded_integer(negative ? -size : size, 60, negative);
}

[[nodiscard]] bool same(unsigned expected, unsigned actual) {
  return is_nan(expected) ? is_nan(actual) : expected == actual;
}

class Random {
 public:
  explicit Random(std::uint32_t seed) : engine_(seed) {}
  [[nodiscard]] std::uint32_t operator()() { return static_cast<std::uint32_t>(engine_()); }

 private:
  std::mt19937 engine_;
};

constexpr std::array<Half, 26> kCorners = {0x0000, 0x0001, 0x0002, 0x0003, 0x01ff, 0x0200, 0x03ff,
                                           0x0400, 0x0401, 0x07ff, 0x1000, 0x13ff, 0x2c01, 0x3555,
                                           0x3800, 0x3bff, 0x3c00, 0x3c01, 0x3fff, 0x4000, 0x5bff,
                                           0x77ff, 0x7bfe, 0x7bff, 0x7c00, 0x7e01};

struct Operands {
  std::vector<Half> a, b, c;
  void add(unsigned x, unsigned y, unsigned z) {
    a.push_back(static_cast<Half>(x));
    b.push_back(static_cast<Half>(y));
    c.push_back(static_cast<Half>(z));
  }
};

// Every triple of corners with both signs of two of them, random triples, and addends near the
// product, far below it and far above it, where double rounding of an fma would show.
[[nodiscard]] Operands operands() {
  Operands set;
  for (const unsigned x : kCorners) {
    for (const unsigned y : kCorners) {
      for (const unsigned z : kCorners) {
        for (const unsigned signs : {0u, 1u, 2u, 3u})
          set.add(x | (signs & 1) << 15, y, z | (signs & 2) << 14);
      }
    }
  }
  Random random(20240607);
  for (int i = 0; i < 150000; ++i) {
    const std::uint32_t word = random();
    set.add(word, word >> 16, random());
  }
  for (int i = 0; i < 150000; ++i) {
    const std::uint32_t word = random();
    const unsigned x = word & 0xffff, y = word >> 16;
    const unsigned product = expected_mul(x, y);
    const unsigned shift = (random() % 50) << 10;
    set.add(x, y,
            (random() % 2 == 0 ? product ^ 0x8000 ^ (random() & 7)
                               : (product & 0x83ff) | (shift & 0x7c00)));
  }
  return set;
}

constexpr const char* kArithmetic = R"(
HM_KERNEL half_all(HM_GLOBAL const HM_HALF* a, HM_GLOBAL const HM_HALF* b, HM_GLOBAL const HM_HALF* c, HM_GLOBAL HM_HALF* out,
                   int n) {
  int i = HM_GID(0) * HM_LSIZE(0) + HM_LID(0);
  if (i >= n) return;
  hm_half_t x = hm_half_from_bits(a[i]), y = hm_half_from_bits(b[i]), z = hm_half_from_bits(c[i]);
  out[6 * i] = hm_half_to_bits(hm_hadd(x, y));
  out[6 * i + 1] = hm_half_to_bits(hm_hsub(x, y));
  out[6 * i + 2] = hm_half_to_bits(hm_hmul(x, y));
  out[6 * i + 3] = hm_half_to_bits(hm_hdiv(x, y));
  out[6 * i + 4] = hm_half_to_bits(hm_hsqrt(x));
  out[6 * i + 5] = hm_half_to_bits(hm_hfma(x, y, z));
}
HM_KERNEL half_sqrt(HM_GLOBAL HM_HALF* data) {
  int i = HM_GID(0) * HM_LSIZE(0) + HM_LID(0);
  data[i] = hm_half_to_bits(hm_hsqrt(hm_half_from_bits(data[i])));
}
HM_KERNEL widen(HM_GLOBAL const HM_HALF* in, HM_GLOBAL float* out, int n) {
  int i = HM_GID(0) * HM_LSIZE(0) + HM_LID(0);
  if (i < n) out[i] = hm_half_load(in, i);
}
HM_KERNEL narrow(HM_GLOBAL const float* in, HM_GLOBAL HM_HALF* out, int n) {
  int i = HM_GID(0) * HM_LSIZE(0) + HM_LID(0);
  if (i < n) hm_half_store(out, i, in[i]);
}
HM_KERNEL single(HM_GLOBAL const float* a, HM_GLOBAL float* out) {
  out[0] = a[0] * a[1];
  out[1] = a[2] + a[3];
  out[2] = HM_LDEXP(a[4], -140);
  out[3] = HM_NATIVE_DIV(a[5], a[6]);
  out[4] = HM_RINT(a[7]);
}
)";

// Tests both conversions: the processor's (if it has one) and the integer code.
class HalfTest : public HostTest, public testing::WithParamInterface<bool> {
 protected:
  [[nodiscard]] std::unique_ptr<DriverProgram> build() {
    std::vector<Define> defines;
    if (GetParam()) defines.push_back({"HM_HOST_INTEGER_HALF", "1"});
    device_ = open();
    return device_->build(kArithmetic, defines);
  }
  [[nodiscard]] static Grid grid_for(std::size_t count) {
    return {.groups = {static_cast<std::uint32_t>((count + 255) / 256), 1, 1},
            .items = {256, 1, 1}};
  }
  std::unique_ptr<DriverDevice> device_;
};

TEST_P(HalfTest, EveryOperationRoundsOnce) {
  const Operands set = operands();
  const auto program = build();
  const std::size_t count = set.a.size();
  const auto a = upload(*device_, set.a), b = upload(*device_, set.b), c = upload(*device_, set.c);
  std::vector<Half> actual(6 * count);
  const auto out = upload(*device_, actual);
  const std::vector<DriverArgument> arguments = {a.get(), b.get(), c.get(), out.get(),
                                                 static_cast<std::int32_t>(count)};
  program->launch("half_all", grid_for(count), arguments);
  download(*out, actual);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const unsigned x = set.a[i], y = set.b[i], z = set.c[i];
    const std::array<Half, 6> expected = {expected_add(x, y), expected_sub(x, y),
                                          expected_mul(x, y), expected_div(x, y),
                                          expected_sqrt(x),   expected_fma(x, y, z)};
    for (std::size_t operation = 0; operation < 6; ++operation) {
      if (same(expected[operation], actual[6 * i + operation])) continue;
      if (++wrong > 10) continue;
      ADD_FAILURE() << std::hex << "operation " << operation << " of " << x << " " << y << " " << z
                    << ": expected " << expected[operation] << ", got "
                    << actual[6 * i + operation];
    }
  }
  EXPECT_EQ(wrong, 0u);
}

TEST_P(HalfTest, EverySquareRoot) {
  const auto program = build();
  std::vector<Half> data(65536);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<Half>(i);
  const auto buffer = upload(*device_, data);
  const std::vector<DriverArgument> arguments = {buffer.get()};
  program->launch("half_sqrt", grid_for(data.size()), arguments);
  download(*buffer, data);
  for (unsigned i = 0; i < 65536; ++i)
    ASSERT_TRUE(same(expected_sqrt(i), data[i])) << std::hex << i;
}

TEST_P(HalfTest, EveryWideningIsExact) {
  const auto program = build();
  std::vector<Half> in(65536);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<Half>(i);
  std::vector<float> out(in.size());
  const auto from = upload(*device_, in), to = upload(*device_, out);
  const std::vector<DriverArgument> arguments = {from.get(), to.get(), 65536};
  program->launch("widen", grid_for(in.size()), arguments);
  download(*to, out);
  for (unsigned i = 0; i < 65536; ++i) {
    if (is_nan(i)) {
      ASSERT_NE(out[i], out[i]);
    } else {
      ASSERT_EQ(std::bit_cast<std::uint32_t>(out[i]) >> 31, i >> 15);
      ASSERT_EQ(is_infinity(i) ? kInfinity : magnitude(i),
                is_infinity(i) ? expected_from_float(out[i]) & 0x7fff
                               : static_cast<Wide>(std::abs(out[i]) * 0x1p24f));
    }
  }
}

TEST_P(HalfTest, NarrowingRoundsToNearestEven) {
  const auto program = build();
  std::vector<float> in;
  for (unsigned i = 0; i < kInfinity; ++i) {
    const float middle = static_cast<float>(magnitude(i) + magnitude(i + 1)) * 0x1p-25f;
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(middle);
    for (const std::uint32_t near : {bits - 1, bits, bits + 1}) {
      in.push_back(std::bit_cast<float>(near));
      in.push_back(std::bit_cast<float>(near | 0x80000000));
    }
  }
  Random random(5);
  for (int i = 0; i < 300000; ++i) in.push_back(std::bit_cast<float>(random()));
  for (const std::uint32_t bits :
       {0u, 1u, 0x7fffffu, 0x7f7fffffu, 0x7f800000u, 0x7f800001u, 0x7fc00000u, 0xffffffffu}) {
    in.push_back(std::bit_cast<float>(bits));
  }
  std::vector<Half> out(in.size());
  const auto from = upload(*device_, in), to = upload(*device_, out);
  const std::vector<DriverArgument> arguments = {from.get(), to.get(),
                                                 static_cast<std::int32_t>(in.size())};
  program->launch("narrow", grid_for(in.size()), arguments);
  download(*to, out);
  for (std::size_t i = 0; i < in.size(); ++i) {
    ASSERT_TRUE(same(expected_from_float(in[i]), out[i]))
        << std::hex << std::bit_cast<std::uint32_t>(in[i]);
  }
}

INSTANTIATE_TEST_SUITE_P(Conversions, HalfTest, testing::Bool(), [](const auto& parameter) {
  return parameter.param ? "Integer" : "Native";
});

using FloatStateTest = HostTest;

// The host program may have left its thread in any floating-point state; kernels must not see that
// state, and it must survive.
TEST_F(FloatStateTest, HostileStateReachesNoKernel) {
  const std::vector<float> in = {0x1p-100f, 0x1.8p-30f, 0x1.8p-126f, -0x1p-126f,
                                 1.5f,      1.0f,       3.0f,        3.5f};
  // 1.5 * 2^-130, 2^-127, 1.5 * 2^-140, a third (rounded up), and 4.
  const std::vector<std::uint32_t> expected = {0x000c0000, 0x00400000, 0x00000300, 0x3eaaaaab,
                                               0x40800000};
  const auto device = open();
  const auto program = device->build(kArithmetic, {});
  const auto a = upload(*device, in);
  std::vector<std::uint32_t> out(5);
  const auto to = upload(*device, out);
  const std::vector<DriverArgument> arguments = {a.get(), to.get()};
  FloatControl hostile = FloatControl::ieee();
#if defined(__x86_64__)
  hostile.word = 0x1f80 | 0x8040 | 0x6000;  // FTZ, DAZ, toward zero
#elif defined(__aarch64__)
  hostile.word = 1u << 24 | 3u << 22;  // FZ, toward zero
#endif
  for (const std::uint32_t groups : {1u, 8u}) {
    const FloatStateScope state(hostile);
    program->launch("single", {.groups = {groups, 1, 1}}, arguments);
#if defined(__x86_64__)
    EXPECT_EQ(_mm_getcsr() & 0xffc0u, hostile.word & 0xffc0u);
#endif
    download(*to, out);
    EXPECT_EQ(expected, out);
  }
}

}  // namespace
}  // namespace halfmark::backends::host
