// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "reference/formats/classify.hpp"
#include "tools/halfmark/selftest/checks.hpp"

namespace halfmark::tools {
namespace {

constexpr int kProblems = 200;

// One scale in four has any size; the others are close to one, so that the sum keeps some digits.
void add_scales(const models::Unit& unit, slow::Operands& operands, bool specials, SumProblem& p) {
  const formats::Format& f = *unit.scale;
  const auto any = [&] {
    formats::Bits bits = operands.any(f) & f.mask();
    while (!specials && !formats::is_finite(f, bits)) bits = operands.any(f) & f.mask();
    return bits;
  };
  const auto ordinary = [&] {
    const std::uint64_t word = operands.word();
    const auto field = static_cast<formats::Bits>(f.bias) - 3 + (word >> 40 & 7);
    return field << f.fraction_bits | (word & f.fraction_mask());
  };
  for (std::size_t k = 0; k < p.a.size(); k += static_cast<std::size_t>(unit.scale_block)) {
    p.a_scales.push_back(operands.word() % 4 == 0 ? any() : ordinary());
    p.b_scales.push_back(operands.word() % 4 == 0 ? any() : ordinary());
  }
}

// Up to two full blocks and a partial one, with operands of every class.
SumProblem problem_of(const models::Unit& unit, slow::Operands& operands) {
  SumProblem p{.a_format = unit.a[operands.word() % unit.a.size()],
               .b_format = unit.b[operands.word() % unit.b.size()],
               .a = {},
               .b = {},
               .to = unit.output};
  const auto count = 1 + operands.word() % (2 * static_cast<std::size_t>(unit.block) + 3);
  const bool specials = operands.word() % 8 == 0;
  const auto any = [&](const formats::Format& f) {
    formats::Bits bits = operands.any(f) & f.mask();
    while (!specials && !formats::is_finite(f, bits)) bits = operands.any(f) & f.mask();
    return bits;
  };
  for (std::uint64_t k = 0; k < count; ++k) {
    p.a.push_back(any(*p.a_format));
    p.b.push_back(any(*p.b_format));
  }
  if (unit.scale != nullptr) add_scales(unit, operands, specials, p);
  return p;
}

}  // namespace

std::uint64_t unit_digest(const models::Unit& unit, decltype(Subject::unit_dot) evaluate) {
  slow::Operands operands(1);
  std::uint64_t digest = 0xcbf29ce484222325;  // FNV-1a over words
  for (int i = 0; i < kProblems; ++i) {
    const SumProblem p = problem_of(unit, operands);
    formats::Bits c = operands.any(*unit.output) & unit.output->mask();
    if (formats::is_nan(*unit.output, c)) c = 0;
    formats::Bits d = evaluate(unit, p, {unit.output, c}).bits;
    if (formats::is_nan(*unit.output, d)) d = formats::quiet_nan(*unit.output);
    digest = (digest ^ d) * 0x100000001b3;
  }
  return digest;
}

void check_units(Session& session, const Subject& subject) {
  for (const UnitDigest& row : unit_digests()) {
    const models::Unit* unit = models::find_unit(row.unit);
    const std::uint64_t actual = unit == nullptr ? 0 : unit_digest(*unit, subject.unit_dot);
    session.compare(row.digest == actual, [&] {
      return fmt::format("{}: expected digest {:016x} of {} answers, actual {:016x}", row.unit,
                         row.digest, kProblems, actual);
    });
  }
}

}  // namespace halfmark::tools
