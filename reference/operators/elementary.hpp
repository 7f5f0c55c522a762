// SPDX-License-Identifier: Apache-2.0
// The elementary functions of Halfmark's specified kernels: exp, log, GELU and its derivative,
// each a fixed sequence of fp32 operations that IEEE 754 rounds correctly. The sequence is the
// specification; kernels/elementary.hk states the same sequence in the kernel dialect, and a
// test compares the two. The functions are accurate to about one last place, but what they
// promise is reproducibility: every device that adds, multiplies, fuses and divides correctly
// gives the same bits.
//
// This file does not decide how a device rounds or flushes: each operation asks the Machine, so a
// hypothesis about a device evaluates the same sequence.
//
// Assumptions: (1) values are fp32 encodings; (2) comparisons see the encodings unchanged, even on
// a machine that flushes subnormals; (3) every NaN is the default quiet NaN.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/models/machine.hpp"
#include "reference/operators/fp32.hpp"
#include "reference/soft/soft.hpp"

namespace halfmark::operators {

/// A constant of the specification: its name in kernel text and its fp32 encoding.
struct Constant {
  std::string_view name;
  std::uint32_t bits;
};

/// The only list of these constants; kernels receive it as definitions. The polynomials are
/// weighted minimax fits whose coefficients were rounded one at a time, starting with the lowest.
inline constexpr std::array kElementaryConstants{
    Constant{"HM_EXP_LOW", 0xc2d00000},         // -104: exp(-104) rounds to zero
    Constant{"HM_EXP_HIGH", 0x42b20000},        // 89: exp(89) overflows
    Constant{"HM_EXP_LOG2E", 0x3fb8aa3b},       // 1 / ln 2
    Constant{"HM_EXP_MAGIC", 0x4b400000},       // 1.5 * 2^23: adding it rounds to an integer
    Constant{"HM_EXP_NEG_LN2_HI", 0xbf317200},  // 16 bits, so that n * hi is exact
    Constant{"HM_EXP_NEG_LN2_LO", 0xb5bfbe8e},
    Constant{"HM_EXP_C2", 0x3efffffe},
    Constant{"HM_EXP_C3", 0x3e2aaa49},
    Constant{"HM_EXP_C4", 0x3d2aac57},
    Constant{"HM_EXP_C5", 0x3c091cc0},
    Constant{"HM_EXP_C6", 0x3ab527b6},
    Constant{"HM_LOG_TWO23", 0x4b000000},
    Constant{"HM_LOG_LN2_HI", 0x3f317200},
    Constant{"HM_LOG_LN2_LO", 0x35bfbe8e},
    Constant{"HM_LOG_C2", 0xbf000000},
    Constant{"HM_LOG_C3", 0x3eaaaaa4},
    Constant{"HM_LOG_C4", 0xbe800004},
    Constant{"HM_LOG_C5", 0x3e4cd23d},
    Constant{"HM_LOG_C6", 0xbe2aadc8},
    Constant{"HM_LOG_C7", 0x3e119d60},
    Constant{"HM_LOG_C8", 0xbdfe1e93},
    Constant{"HM_LOG_C9", 0x3df36fc1},
    Constant{"HM_LOG_C10", 0xbdeed0d8},
    Constant{"HM_LOG_C11", 0x3d89e1b9},
    Constant{"HM_GELU_CUBIC", 0x3d372713},   // 0.044715
    Constant{"HM_GELU_CUBIC3", 0x3e095d4f},  // 3 * 0.044715
    Constant{"HM_GELU_SLOPE", 0x3fcc422a},   // 2 * sqrt(2 / pi)
    Constant{"HM_GELU_NEG_SLOPE", 0xbfcc422a},
    Constant{"HM_GELU_LIMIT", 0x41800000},  // 16: beyond it the sigmoid is 0 or 1 exactly
    Constant{"HM_GELU_NEG_LIMIT", 0xc1800000},
};

/// The constants as compile-time definitions for kernel text, e.g. {"HM_EXP_C2", "0x3efffffeu"}.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> elementary_defines();

/// e^x. n = round(x / ln 2) by the magic number, r = x - n ln 2 in two fused steps, a polynomial of
/// degree 6 in r by fused Horner steps, then two multiplications by powers of two; the first is
/// exact, so a subnormal result is rounded once. exp(NaN) = NaN.
[[nodiscard]] formats::Bits exp(const models::Machine& machine, formats::Bits x);

/// ln x. x = 2^k m with m in [sqrt(1/2), sqrt 2), f = m - 1, s = f*f, then
/// fma(k, hi, fma(s, Q(f), k * lo) + f). log(0) = -inf, log(negative) = NaN.
[[nodiscard]] formats::Bits log(const models::Machine& machine, formats::Bits x);

/// GELU in its tanh form, computed without tanh: x / (1 + exp(-2z)), z = sqrt(2/pi) (x + 0.044715
/// x^3). No overflow turns into a NaN: +inf gives +inf, everything below -16 gives -0.
[[nodiscard]] formats::Bits gelu(const models::Machine& machine, formats::Bits x);

/// d gelu / dx = s (1 + x 2z' (1 - s)), s = 1 / (1 + exp(-2z)); x is first clamped to [-16, 16].
[[nodiscard]] formats::Bits gelu_derivative(const models::Machine& machine, formats::Bits x);

}  // namespace halfmark::operators
