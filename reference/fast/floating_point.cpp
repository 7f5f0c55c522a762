// SPDX-License-Identifier: Apache-2.0
#include "reference/fast/floating_point.hpp"

#include <bit>
#include <stdexcept>
#include <string>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace halfmark::fast {
namespace {

#if defined(__x86_64__)
// MXCSR: all exceptions masked, no FTZ (bit 15), no DAZ (bit 6), rounding control in bits 13
// and 14.
constexpr std::uint64_t control_word(Direction direction) {
  return direction == Direction::kTowardZero ? 0x7f80 : 0x1f80;
}
#elif defined(__aarch64__)
// FPCR, and FPSR in the upper half: no traps, no FZ, no FZ16, no default NaN, no alternative half,
// rounding mode in bits 22 and 23.
constexpr std::uint64_t control_word(Direction direction) {
  return direction == Direction::kTowardZero ? std::uint64_t{3} << 22 : 0;
}
#else
constexpr std::uint64_t control_word(Direction) { return 0; }
#endif

// The compiler cannot see through these, so every operation below happens at run time.
float opaque(float value) {
  volatile float seen = value;
  return seen;
}
std::uint32_t bits(float value) { return std::bit_cast<std::uint32_t>(value); }

constexpr float kHalfUlp = 0x1p-24F;  // of 1
constexpr float kSmallestNormal = 0x1p-126F;

bool rounds(Direction direction) {
  const float one = opaque(1.0F);
  const float odd = opaque(0x1.000002p0F);
  const bool nearest = direction == Direction::kNearEven;
  const bool ties = opaque(one + opaque(kHalfUlp)) == 1.0F &&
                    opaque(odd + opaque(kHalfUlp)) == (nearest ? 0x1.000004p0F : 0x1.000002p0F);
  const float third = opaque(one / opaque(3.0F));
  const float minus_third = opaque(opaque(-1.0F) / opaque(3.0F));
  const std::uint32_t expected = nearest ? 0x3eaaaaab : 0x3eaaaaaa;
  return ties && bits(third) == expected && bits(minus_third) == (expected | 0x80000000);
}

bool keeps_subnormal_results() {
  return bits(opaque(opaque(kSmallestNormal) * opaque(0.5F))) == 0x00400000;
}
bool keeps_subnormal_operands() {
  return bits(opaque(opaque(std::bit_cast<float>(1U)) * opaque(0x1p100F))) == 0x27000000;  // 2^-49
}

// States that fp32 arithmetic does not reveal: FZ16, default NaNs and the alternative half.
bool has_ordinary_halves() {
#if defined(__aarch64__)
  return (floating_point_control() & 0x06080000) == 0;
#else
  return true;
#endif
}

bool obeys_the_source() {
  const float big = opaque(0x1p25F);
  const float one = opaque(1.0F);
  const bool ordered = (big + one) - big == 0.0F;
  const float nan = opaque(std::bit_cast<float>(0x7fc00000U));
  const bool knows_nan = nan != nan;  // NOLINT(misc-redundant-expression)
  const float minus_zero = opaque(-0.0F);
  const bool knows_signed_zero = bits(minus_zero + 0.0F) == 0;
  const float factor = opaque(0x1.002p0F);
  const bool unfused = factor * factor - opaque(factor * factor) == 0.0F;
  return ordered && knows_nan && knows_signed_zero && unfused;
}

}  // namespace

std::uint64_t floating_point_control() {
#if defined(__x86_64__)
  return _mm_getcsr();
#elif defined(__aarch64__)
  std::uint64_t control = 0;
  std::uint64_t status = 0;
  asm volatile("mrs %0, fpcr" : "=r"(control));
  asm volatile("mrs %0, fpsr" : "=r"(status));
  return status << 32 | control;
#else
  return 0;
#endif
}

void set_floating_point_control([[maybe_unused]] std::uint64_t control) {
#if defined(__x86_64__)
  _mm_setcsr(static_cast<unsigned>(control));
#elif defined(__aarch64__)
  asm volatile("msr fpcr, %0" : : "r"(control & 0xffffffffU) : "memory");
  asm volatile("msr fpsr, %0" : : "r"(control >> 32) : "memory");
#endif
}

FloatingPointScope::FloatingPointScope(Direction direction) : saved_(floating_point_control()) {
  set_floating_point_control(control_word(direction));
}

FloatingPointScope::~FloatingPointScope() { set_floating_point_control(saved_); }

void require_sound_arithmetic(Direction direction) {
  const auto require = [](bool holds, const char* what) {
    if (!holds) throw std::runtime_error(std::string("reference/fast: this thread's ") + what);
  };
  require(rounds(direction), "the floating-point unit ignores the rounding mode that was set");
  require(keeps_subnormal_results(), "floating point flushes subnormal results");
  require(keeps_subnormal_operands(), "floating point flushes subnormal operands");
  require(has_ordinary_halves(), "control register asks for halves other than those of IEEE 754");
  require(obeys_the_source(),
          "code was compiled to fuse, reorder or ignore special values (-ffast-math?)");
}

}  // namespace halfmark::fast
