// SPDX-License-Identifier: Apache-2.0
// Every row against its naive twin (slow/unit.hpp), on hostile operands: subnormals, infinities,
// NaNs, zeros of both signs, exponents spread wider than any grid, cancellation, and every kind
// of c.
#include <gtest/gtest.h>

#include "reference/formats/classify.hpp"
#include "reference/formats/text.hpp"
#include "reference/models/unit.hpp"
#include "reference/slow/effort.hpp"
#include "reference/slow/unit_problems.hpp"

namespace halfmark::models {
namespace {

const int kProblems = slow::effort(10000, 150);  // per unit

std::string words(const Format& f, const std::vector<Bits>& bits) {
  std::string text;
  for (const Bits x : bits) text += formats::hex(f, x) + " ";
  return text;
}

std::string describe(const slow::UnitProblem& p) {
  return "a " + words(*p.a_format, p.a) + "b " + words(*p.b_format, p.b) +
         (p.c ? "c " + formats::hex(*p.c->format, p.c->bits) : std::string("no c"));
}

TEST(UnitTwin, EveryRowAgrees) {
  std::size_t finite = 0;
  std::size_t compared = 0;
  for (const Unit& unit : all_units()) {
    slow::UnitProblems problems(unit, 1);
    for (int i = 0; i < kProblems; ++i) {
      const slow::UnitProblem p = problems.next();
      const Bits expected = slow::unit_dot(unit, p);
      const Bits actual = slow::fast_unit_dot(unit, p);
      ASSERT_EQ(formats::hex(*unit.output, expected), formats::hex(*unit.output, actual))
          << unit.name << "\n"
          << describe(p);
      ++compared;
      if (formats::is_finite(*unit.output, actual) && !formats::is_zero(*unit.output, actual)) {
        ++finite;
      }
    }
  }
  // Special values hide everything else in a problem, so most problems must have none.
  EXPECT_GT(finite * 3, compared * 2);
}

}  // namespace
}  // namespace halfmark::models
