// SPDX-License-Identifier: Apache-2.0
// Answers worked out by hand from IEEE 754-2019 and, for the small formats, from the specifications
// named in formats/format.hpp. Every operation, direction, policy and flag occurs.
#include "tools/halfmark/selftest/known_answers.hpp"

#include <fmt/format.h>

#include "reference/formats/text.hpp"
#include "tools/halfmark/selftest/checks.hpp"

namespace halfmark::tools {
namespace {

using soft::Overflow;
using soft::Rounding;
using soft::Subnormals;

constexpr soft::Environment kNear{};
constexpr soft::Environment kZero{.rounding = Rounding::kTowardZero};
constexpr soft::Environment kDown{.rounding = Rounding::kDown};
constexpr soft::Environment kUp{.rounding = Rounding::kUp};
constexpr soft::Environment kAway{.rounding = Rounding::kNearAway};
constexpr soft::Environment kFlushIn{.subnormals = Subnormals::kFlushIn};
constexpr soft::Environment kFlushOut{.subnormals = Subnormals::kFlushOut};
constexpr soft::Environment kFlush{.subnormals = Subnormals::kFlush};
constexpr soft::Environment kSaturate{.overflow = Overflow::kSaturate};

// clang-format off
constexpr KnownAnswer kAnswers[] = {
    // 1 + 2^-11 is a tie.
    {"fp16", "add", {0x3c00, 0x1000}, kNear, {0x3c00, 1}},
    {"fp16", "add", {0x3c00, 0x1000}, kAway, {0x3c01, 1}},
    {"fp16", "add", {0x3c00, 0x1000}, kUp, {0x3c01, 1}},
    {"fp16", "add", {0x3c00, 0x1000}, kDown, {0x3c00, 1}},
    {"fp16", "add", {0xbc00, 0x9000}, kDown, {0xbc01, 1}},
    {"fp16", "add", {0xbc00, 0x9000}, kZero, {0xbc00, 1}},
    {"fp16", "add", {0x3c01, 0x1000}, kNear, {0x3c02, 1}},
    {"fp16", "add", {0x7bff, 0x4c00}, kNear, {0x7c00, 5}},    // 65504 + 16 = 65520, the first infinity
    {"fp16", "add", {0x7bff, 0x4c00}, kZero, {0x7bff, 1}},    // ... which is no overflow downward
    {"fp16", "add", {0x7bff, 0x4c00}, kSaturate, {0x7bff, 5}},
    {"fp16", "add", {0x7c00, 0xfc00}, kNear, {0x7e00, 16}},
    {"fp16", "add", {0x7e00, 0x3c00}, kNear, {0x7e00, 0}},
    {"fp16", "add", {0x7d00, 0x3c00}, kNear, {0x7e00, 16}},   // signaling
    {"fp16", "add", {0x0001, 0x0001}, kFlushIn, {0x0000, 0}},
    {"fp16", "add", {0x8001, 0x8001}, kFlush, {0x8000, 0}},
    {"fp16", "sub", {0x3c00, 0x3c00}, kNear, {0x0000, 0}},
    {"fp16", "sub", {0x3c00, 0x3c00}, kDown, {0x8000, 0}},
    {"fp16", "sub", {0x0400, 0x0001}, kNear, {0x03ff, 0}},    // exact subnormal: no flag
    {"fp16", "sub", {0x0400, 0x0001}, kFlushOut, {0x0000, 3}},
    {"fp16", "mul", {0x0001, 0x3800}, kNear, {0x0000, 3}},    // 2^-25, half the smallest subnormal
    {"fp16", "mul", {0x0001, 0x3800}, kUp, {0x0001, 3}},
    {"fp16", "mul", {0x0001, 0x3800}, kAway, {0x0001, 3}},
    {"fp16", "mul", {0x03ff, 0x3c01}, kNear, {0x0400, 1}},    // rounds up to normal in 11 bits too: not tiny
    {"fp16", "mul", {0x0000, 0x7c00}, kNear, {0x7e00, 16}},
    {"fp16", "mul", {0x7800, 0xf800}, kUp, {0xfbff, 5}},
    {"fp16", "div", {0x3c00, 0x4200}, kNear, {0x3555, 1}},
    {"fp16", "div", {0x3c00, 0x4200}, kUp, {0x3556, 1}},
    {"fp16", "div", {0xbc00, 0x0000}, kNear, {0xfc00, 8}},
    {"fp16", "div", {0x0000, 0x0000}, kNear, {0x7e00, 16}},
    {"fp16", "fma", {0x3c01, 0x3c01, 0xbc02}, kNear, {0x0010, 0}},  // (1 + 2^-10)^2 - (1 + 2^-9) = 2^-20
    {"fp16", "fma", {0x3c00, 0x3c01, 0x8000}, kNear, {0x3c01, 0}},
    {"fp16", "fma", {0x0000, 0x7c00, 0x7e00}, kNear, {0x7e00, 16}},
    {"fp16", "sqrt", {0x4000}, kNear, {0x3da8, 1}},
    {"fp16", "sqrt", {0x4400}, kNear, {0x4000, 0}},
    {"fp16", "sqrt", {0xbc00}, kNear, {0x7e00, 16}},
    {"fp16", "sqrt", {0x8000}, kNear, {0x8000, 0}},
    {"fp16", "rint", {0x4100}, kNear, {0x4000, 1}},           // 2.5
    {"fp16", "rint", {0x4100}, kAway, {0x4200, 1}},
    {"fp16", "rint", {0xb800}, kNear, {0x8000, 1}},           // -0.5
    {"fp16", "rint", {0xb800}, kDown, {0xbc00, 1}},
    {"fp16", "min", {0x8000, 0x0000}, kNear, {0x8000, 0}},
    {"fp16", "min", {0x7e00, 0x3c00}, kNear, {0x7e00, 0}},
    {"fp16", "max", {0x8000, 0x0000}, kNear, {0x0000, 0}},
    {"fp16", "minnum", {0x7e00, 0x3c00}, kNear, {0x3c00, 0}},
    {"fp16", "maxnum", {0x7d00, 0x3c00}, kNear, {0x3c00, 16}},
    {"fp16", "eq", {0x8000, 0x0000}, kNear, {1, 0}},
    {"fp16", "eq", {0x7e00, 0x7e00}, kNear, {0, 0}},
    {"fp16", "lt", {0x7e00, 0x3c00}, kNear, {0, 16}},
    {"fp16", "le", {0x3c00, 0x3c00}, kNear, {1, 0}},
    {"fp16", "ldexp", {0x3c00}, kNear, {0x0001, 0}, -24},
    {"fp16", "ldexp", {0x3c00}, kNear, {0x7c00, 5}, 16},
    // 2^-14 - 2^-26: delivered as the smallest normal number, but still tiny, since with an
    // unbounded exponent it is 0x1.ffe...p-15 rounded to 11 bits.
    {"fp32", "to_fp16", {0x387fe000}, kNear, {0x0400, 3}},
    {"fp32", "to_fp16", {0x387fe000}, kFlushOut, {0x0000, 3}},
    {"fp32", "to_fp16", {0x387ff000}, kNear, {0x0400, 1}},    // rounds to 2^-14 in 11 bits: not tiny
    {"fp32", "to_bf16", {0x3f808000}, kNear, {0x3f80, 1}},
    {"fp32", "to_bf16", {0x3f818000}, kNear, {0x3f82, 1}},
    {"fp32", "to_tf32", {0x3f801000}, kAway, {0x1fc01, 1}},
    {"fp32", "to_e4m3fn", {0x43e80000}, kNear, {0x7e, 1}},    // 464 is a tie; 448 is even
    {"fp32", "to_e4m3fn", {0x43e80001}, kNear, {0x7f, 5}},
    {"fp32", "to_e4m3fn", {0x7f800000}, kSaturate, {0x7e, 5}},
    {"fp32", "to_e5m2", {0x7f800000}, kNear, {0x7c, 0}},
    {"fp32", "to_e4m3fnuz", {0x80000000}, kNear, {0x00, 0}},  // no minus zero
    {"fp32", "to_e5m2fnuz", {0x7fc00000}, kNear, {0x80, 0}},
    {"fp32", "to_e2m1", {0x40a00000}, kNear, {0x6, 1}},       // 5, between 4 and 6
    {"fp32", "to_e2m1", {0x7fc00000}, kNear, {0x7, 16}},      // no NaN
    {"fp32", "to_e3m2", {0x41f00000}, kNear, {0x1f, 5}},      // 30 above 28
    {"fp32", "to_e2m3", {0x3f880000}, kNear, {0x08, 1}},      // 1.0625, a tie
    {"fp32", "to_e8m0", {0x40400000}, kNear, {0x81, 1}},      // 3: to 4, the larger exponent even
    {"fp32", "to_fp64", {0x00000001}, kNear, {0x36a0000000000000, 0}},
    {"fp64", "to_fp32", {0x3ff0000010000000}, kNear, {0x3f800000, 1}},
    {"fp64", "mul", {0x3ff0000000000001, 0x3ff0000000000001}, kNear, {0x3ff0000000000002, 1}},
    {"fp32", "fma", {0x3f800001, 0x3f800001, 0xbf800002}, kNear, {0x28800000, 0}},
    {"fp32", "exp", {0x3f800000}, kNear, {0x402df854, 1}},
    {"fp32", "exp2", {0x3f800000}, kNear, {0x40000000, 0}},
    {"fp32", "log", {0x00000000}, kNear, {0xff800000, 8}},
    {"fp32", "log2", {0x41000000}, kNear, {0x40400000, 0}},
    {"fp32", "rsqrt", {0x40800000}, kNear, {0x3f000000, 0}},
    {"fp32", "tanh", {0x7f800000}, kNear, {0x3f800000, 0}},
    {"fp32", "erf", {0x80000000}, kNear, {0x80000000, 0}},
    {"fp32", "sigmoid", {0x00000000}, kNear, {0x3f000000, 0}},
    {"fp32", "gelu", {0x3f800000}, kNear, {0x3f57625f, 1}},
    {"fp32", "gelu_tanh", {0x00000000}, kNear, {0x00000000, 0}},
    {"fp32", "sin", {0x7f800000}, kNear, {0x7fc00000, 16}},
    {"fp32", "cos", {0x80000000}, kNear, {0x3f800000, 0}},
    {"fp32", "tan", {0x80000000}, kNear, {0x80000000, 0}},
    {"fp32", "asin", {0x3f800001}, kNear, {0x7fc00000, 16}},
    {"fp32", "acos", {0xbf800000}, kNear, {0x40490fdb, 1}},   // pi
    {"fp32", "atan", {0xff800000}, kNear, {0xbfc90fdb, 1}},   // -pi/2
    {"fp32", "sinh", {0xff800000}, kNear, {0xff800000, 0}},
    {"fp32", "cosh", {0x80000000}, kNear, {0x3f800000, 0}},
    {"fp32", "exp10", {0x41200000}, kNear, {0x501502f9, 0}},  // 10^10, exact
    {"fp32", "expm1", {0xff800000}, kNear, {0xbf800000, 0}},
    {"fp32", "log10", {0x501502f9}, kNear, {0x41200000, 0}},
    {"fp32", "log1p", {0xbf800000}, kNear, {0xff800000, 8}},
    {"fp32", "cbrt", {0xc1d80000}, kNear, {0xc0400000, 0}},   // -27
    {"fp32", "erfc", {0xff800000}, kNear, {0x40000000, 0}},
    {"fp32", "sinpi", {0xc0a00000}, kNear, {0x80000000, 0}},  // -5
    {"fp32", "cospi", {0xc0200000}, kNear, {0x00000000, 0}},  // -2.5
    {"fp32", "pow", {0x80000000, 0xc0400000}, kNear, {0xff800000, 8}},   // (-0)^-3
    {"fp32", "pow", {0x45800800, 0x40000000}, kNear, {0x4b801000, 1}},   // 4097^2, halfway
    {"fp32", "pow", {0xbf800000, 0x7f800000}, kNear, {0x3f800000, 0}},   // (-1)^infinity
    {"fp32", "powr", {0x3f800000, 0x7f800000}, kNear, {0x7fc00000, 16}},
    {"fp32", "atan2", {0x80000000, 0x80000000}, kNear, {0xc0490fdb, 1}},  // -pi
    {"fp32", "hypot", {0x7f800000, 0x7fc00000}, kNear, {0x7f800000, 0}},
    {"fp32", "fmod", {0xc0a00000, 0x40400000}, kNear, {0xc0000000, 0}},   // -5 - 3 (-1)
    {"fp32", "remainder", {0xc0a00000, 0x40400000}, kNear, {0x3f800000, 0}},
};
// clang-format on

const RefOperation* find(const Subject& subject, const formats::Format& f, std::string_view name) {
  for (const RefOperation& row : subject.operations(f)) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

}  // namespace

std::span<const KnownAnswer> known_answers() { return kAnswers; }

void check_known_answers(Session& session, const Subject& subject) {
  for (const KnownAnswer& answer : kAnswers) {
    const formats::Format& f = *formats::find_format(answer.format);
    const RefOperation* row = find(subject, f, answer.operation);
    if (row == nullptr) {
      session.compare(false, [&] { return fmt::format("{} is missing", answer.operation); });
      continue;
    }
    const formats::Format& to = row->to == nullptr ? f : *row->to;
    const RefOperands x{.bits = answer.operands, .integer = answer.integer};
    session.compare(answer.result, row->evaluate(f, to, x, answer.env), to, [&] {
      return fmt::format("{}.{} ({}) {:x} {:x} {:x}", f.name, row->name,
                         environment_text(answer.env), x.bits[0], x.bits[1], x.bits[2]);
    });
  }
}

}  // namespace halfmark::tools
