// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>

#include "reference/formats/classify.hpp"
#include "reference/formats/text.hpp"
#include "reference/models/arithmetic.hpp"
#include "reference/slow/dot.hpp"
#include "tools/halfmark/selftest/checks.hpp"

namespace halfmark::tools {
namespace {

using formats::Bits;
using formats::Format;

Bits finite(slow::Operands& operands, const Format& f) {
  Bits bits = operands.any(f) & f.mask();
  while (!formats::is_finite(f, bits)) bits = operands.any(f) & f.mask();
  return bits;
}

std::string text(const SumProblem& p) {
  std::string result =
      fmt::format("{} x {} to {}:", p.a_format->name, p.b_format->name, p.to->name);
  for (std::size_t k = 0; k < p.a.size(); ++k) {
    result +=
        fmt::format(" {}*{}", formats::hex(*p.a_format, p.a[k]), formats::hex(*p.b_format, p.b[k]));
  }
  return result;
}

const Format& any_format(slow::Operands& operands, formats::Use least) {
  for (;;) {
    const Format& f = formats::kFormats[operands.word() % formats::kFormats.size()];
    if (f.use >= least) return f;
  }
}

// Up to twelve products, half of them followed by their negation.
SumProblem cancelling(slow::Operands& operands) {
  SumProblem p{.a_format = &any_format(operands, formats::Use::kArithmetic),
               .b_format = &any_format(operands, formats::Use::kStorage),
               .a = {},
               .b = {},
               .to = &any_format(operands, formats::Use::kStorage)};
  const std::uint64_t count = 1 + operands.word() % 12;
  while (p.a.size() < count) {
    p.a.push_back(finite(operands, *p.a_format));
    p.b.push_back(finite(operands, *p.b_format));
    if (operands.word() % 2 == 0 || formats::is_zero(*p.a_format, p.a.back())) continue;
    p.a.push_back(p.a.back() ^ p.a_format->sign_mask());
    p.b.push_back(p.b.back());
  }
  return p;
}

slow::Exact school_sum(const SumProblem& p) {
  slow::Exact sum;
  for (std::size_t k = 0; k < p.a.size(); ++k) {
    sum = plus(
        sum, times(slow::exact_value(*p.a_format, p.a[k]), slow::exact_value(*p.b_format, p.b[k])));
  }
  return sum;
}

SumProblem plain(slow::Operands& operands, const models::Arithmetic& arithmetic) {
  constexpr std::array<const Format*, 5> kIn{&formats::kFp16, &formats::kBf16, &formats::kE4m3fn,
                                             &formats::kE5m2, &formats::kFp32};
  const Format& in = *kIn[operands.word() % kIn.size()];
  const Format* to = arithmetic.accumulator == nullptr ? &formats::kFp32 : arithmetic.accumulator;
  SumProblem p{.a_format = &in, .b_format = &in, .a = {}, .b = {}, .to = to};
  const std::uint64_t count = operands.word() % 20;
  const bool specials = operands.word() % 4 == 0;
  const auto any = [&] { return specials ? operands.any(in) & in.mask() : finite(operands, in); };
  for (std::uint64_t k = 0; k < count; ++k) {
    p.a.push_back(any());
    p.b.push_back(any());
  }
  return p;
}

}  // namespace

void check_exact_sums(Session& session, const Subject& subject) {
  do {
    const SumProblem p = cancelling(session.operands());
    const slow::Exact expected = school_sum(p);
    if (expected.numerator.is_zero()) continue;  // the sign of a zero is not determined by the sum
    const soft::Environment env = session.operands().environment(*p.to);
    session.compare(slow::round_exact(*p.to, expected, env), subject.exact_sum(p, env), *p.to, [&] {
      return fmt::format("exact sum ({}) {}", environment_text(env), text(p));
    });
  } while (session.goes_on());
}

void check_arithmetics(Session& session, const Subject& subject) {
  do {
    for (const models::NamedArithmetic& row : models::all_arithmetics()) {
      const models::Arithmetic& arithmetic = row.arithmetic;
      if (arithmetic.unit != nullptr || arithmetic.accumulator == nullptr) continue;
      const SumProblem p = plain(session.operands(), arithmetic);
      const slow::Number expected =
          slow::dot(row.name, {.format = p.a_format, .a = p.a, .b = p.b}, std::nullopt, {});
      const models::Encoded actual = subject.dot(row.name, p);
      session.compare({expected.bits, 0}, {actual.bits, 0}, *expected.format,
                      [&] { return fmt::format("{} of {}", row.name, text(p)); });
    }
  } while (session.goes_on());
}

}  // namespace halfmark::tools
