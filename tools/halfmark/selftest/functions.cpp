// SPDX-License-Identifier: Apache-2.0
// Elementary functions against the enclosures of their wide evaluations. Decides the operands for
// which those are used.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "reference/formats/text.hpp"
#include "reference/soft/codec.hpp"
#include "reference/soft/functions_detail.hpp"
#include "tools/halfmark/selftest/checks.hpp"

namespace halfmark::tools {
namespace {

using formats::Bits;
using formats::Format;

struct Enclosed {
  std::string_view name;
  soft::detail::WideEvaluation evaluate;
  bool positive_only;
  int max_exponent;  // of the operands that the evaluation takes
};

constexpr Enclosed kEnclosed[] = {
    {"exp", soft::detail::wide_exp, false, 6},
    {"exp2", soft::detail::wide_exp2, false, 6},
    {"log", soft::detail::wide_log, true, 6},
    {"log2", soft::detail::wide_log2, true, 6},
    {"rsqrt", soft::detail::wide_rsqrt, true, 6},
    {"tanh", soft::detail::wide_tanh, false, 2},
    {"erf", soft::detail::wide_erf, false, 1},
    {"sigmoid", soft::detail::wide_sigmoid, false, 4},
    {"gelu", soft::detail::wide_gelu, false, 1},
    {"gelu_tanh", soft::detail::wide_gelu_tanh, false, 1},
    {"sin", soft::detail::wide_sin, false, 127},
    {"cos", soft::detail::wide_cos, false, 127},
    {"tan", soft::detail::wide_tan, false, 127},
    {"asin", soft::detail::wide_asin, false, -1},
    {"acos", soft::detail::wide_acos, false, -1},
    {"atan", soft::detail::wide_atan, false, 127},
    {"sinh", soft::detail::wide_sinh, false, 6},
    {"cosh", soft::detail::wide_cosh, false, 6},
    {"exp10", soft::detail::wide_exp10, false, 5},
    {"expm1", soft::detail::wide_expm1, false, 4},
    {"log10", soft::detail::wide_log10, true, 6},
    {"log1p", soft::detail::wide_log1p, true, 127},
    {"cbrt", soft::detail::wide_cbrt, false, 127},
    {"erfc", soft::detail::wide_erfc, false, 1},
    {"sinpi", soft::detail::wide_sinpi, false, 6},
    {"cospi", soft::detail::wide_cospi, false, 6},
};

struct EnclosedBinary {
  std::string_view name;
  soft::detail::Scaled (*evaluate)(const soft::Value& x, const soft::Value& y, int limbs);
};

// Binary functions that need only integer arithmetic have a naive twin.
constexpr EnclosedBinary kEnclosedBinary[] = {{"pow", soft::detail::wide_pow},
                                              {"powr", soft::detail::wide_pow},
                                              {"atan2", soft::detail::wide_atan2}};

// The rounded value as soon as both ends of the enclosure round alike. If no precision suffices,
// the value is the only number of few bits in the narrowest enclosure: a midpoint of two encodings,
// as 7.5^3 is in fp16.
template <typename Evaluate>
std::optional<soft::Result> enclosed_result(const Format& f, const soft::Environment& env,
                                            const Evaluate& evaluate) {
  soft::detail::Bounds b{};
  const auto rounded = [&](const soft::detail::Magnitude& m) {
    return soft::round(f, b.negative, m.exponent, m.significand, env);
  };
  for (const int limbs : soft::detail::kPrecisions) {
    b = soft::detail::bounds(evaluate(limbs));
    if (rounded(b.low) == rounded(b.high)) return rounded(b.low);
  }
  const bool holds_one =
      b.low.exponent == b.high.exponent && b.high.significand - b.low.significand == 2;
  if (!holds_one) return std::nullopt;
  return rounded({.exponent = b.low.exponent, .significand = b.low.significand + 1});
}

const Enclosed* find_enclosed(std::string_view name) {
  for (const Enclosed& row : kEnclosed) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

// An operand in the domain of the evaluation, not near zero.
Bits operand(slow::Operands& operands, const Format& f, const Enclosed& function) {
  constexpr int kMinExponent = -12;
  for (;;) {
    const Bits bits = operands.any(f);
    if (formats::classify(f, bits) != formats::Class::kNormal) continue;
    const int exponent = formats::exponent_field(f, bits) - f.bias;
    if (exponent < kMinExponent || exponent > function.max_exponent) continue;
    return function.positive_only ? bits & f.magnitude_mask() : bits;
  }
}

void compare_once(Session& session, const soft::Function& function, const Format& f) {
  const Enclosed* row = find_enclosed(function.name);
  if (row == nullptr) {
    return session.compare(false, [&] { return fmt::format("{} has no twin", function.name); });
  }
  const Bits a = operand(session.operands(), f, *row);
  const soft::Environment env{.rounding = session.operands().environment().rounding};
  const soft::Result actual = function.evaluate(f, a, env);
  if ((actual.flags & soft::kInexact) == 0) return;  // representable: covered by known answers
  const soft::Value x = soft::unpack(f, a);
  const auto expected = enclosed_result(f, env, [&](int limbs) { return row->evaluate(x, limbs); });
  session.compare(expected.value_or(soft::Result{}), actual, f, [&] {
    return fmt::format("{}.{} ({}) {}", f.name, function.name, environment_text(env),
                       formats::hex(f, a));
  });
}

// A normal number from 2^-6 to 2^6: all powers of such numbers can be evaluated.
Bits moderate(slow::Operands& operands, const Format& f) {
  const Bits field = static_cast<Bits>(f.bias) - 6 + operands.word() % 12;
  return (operands.any(f) & f.fraction_mask()) | field << f.fraction_bits;
}

void compare_once(Session& session, const soft::BinaryFunction& function, const Format& f) {
  const auto* row =
      std::find_if(std::begin(kEnclosedBinary), std::end(kEnclosedBinary),
                   [&](const EnclosedBinary& known) { return known.name == function.name; });
  if (row == std::end(kEnclosedBinary)) return;  // see check_operations
  const Bits a = moderate(session.operands(), f);
  const Bits sign = session.operands().word() & f.sign_mask();
  const Bits b = moderate(session.operands(), f) | sign;
  const soft::Environment env{.rounding = session.operands().environment().rounding};
  const soft::Result actual = function.evaluate(f, a, b, env);
  if ((actual.flags & soft::kInexact) == 0 || a == b) return;
  const soft::Value x = soft::unpack(f, a);
  const soft::Value y = soft::unpack(f, b);
  const auto expected =
      enclosed_result(f, env, [&](int limbs) { return row->evaluate(x, y, limbs); });
  session.compare(expected.value_or(soft::Result{}), actual, f, [&] {
    return fmt::format("{}.{} ({}) {} {}", f.name, function.name, environment_text(env),
                       formats::hex(f, a), formats::hex(f, b));
  });
}

}  // namespace

void check_functions(Session& session, const Subject& subject) {
  constexpr const Format* kFormats[] = {&formats::kFp32, &formats::kFp16, &formats::kBf16};
  do {
    for (const soft::Function& function : subject.functions) {
      for (const Format* f : kFormats) compare_once(session, function, *f);
    }
    for (const soft::BinaryFunction& function : subject.binary_functions) {
      for (const Format* f : kFormats) compare_once(session, function, *f);
    }
  } while (session.goes_on());
}

}  // namespace halfmark::tools
