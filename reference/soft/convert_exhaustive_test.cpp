// SPDX-License-Identifier: Apache-2.0
// Every encoding of the formats of sixteen bits and fewer, converted to every format and rounded to
// integers, in one environment after the other, against the naive twin. (full_narrow_test.cpp has
// all environments.)
#include <gtest/gtest.h>

#include "reference/slow/check.hpp"
#include "reference/slow/operands.hpp"
#include "reference/slow/slow.hpp"
#include "reference/soft/convert.hpp"

namespace halfmark::soft {
namespace {

class ConvertExhaustive : public testing::TestWithParam<Format> {};

TEST_P(ConvertExhaustive, EveryEncodingIntoEveryFormat) {
  const Format& f = GetParam();
  const auto& environments = slow::all_policies();
  slow::Checker rint("rint");
  slow::Checker convert("convert from " + std::string(f.name));
  // Each encoding is checked in `meetings` environments, those of the narrow formats in all
  // of them.
  const std::size_t meetings = f.bits <= 8 ? environments.size() : 1;
  std::size_t turn = 0;
  for (Bits a = 0; a <= f.mask(); ++a) {
    for (std::size_t i = 0; i < meetings; ++i) {
      const Environment& env = environments[turn++ % environments.size()];
      rint.expect(slow::rint(f, a, env), soft::rint(f, a, env), f, env, {a});
      for (const Format& to : formats::kFormats) {
        convert.expect(slow::convert(f, to, a, env), soft::convert(f, to, a, env), to, env, {a});
      }
    }
    turn += a % 64 == 0 ? 7 : 0;  // so that the environments do not keep step with the low bits
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, ConvertExhaustive,
                         testing::ValuesIn(slow::formats_where([](const Format& f) {
                           return f.bits <= 16;
                         })),
                         [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace halfmark::soft
