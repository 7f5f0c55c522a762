// SPDX-License-Identifier: Apache-2.0
// Every encoding of the 16-bit formats, converted to every format and rounded to integers, in every
// environment, against the naive twin.
#include <gtest/gtest.h>

#include "reference/slow/check.hpp"
#include "reference/slow/operands.hpp"
#include "reference/slow/slow.hpp"
#include "reference/soft/convert.hpp"

namespace halfmark::soft {
namespace {

class ConvertExhaustive : public testing::TestWithParam<Format> {};

TEST_P(ConvertExhaustive, EveryEncodingOfSixteenBitFormats) {
  const Format& f = GetParam();
  slow::Checker rint("rint");
  slow::Checker convert("convert from " + std::string(f.name));
  for (const Environment& env : slow::all_environments()) {
    for (Bits a = 0; a <= f.mask(); ++a) {
      rint.expect(slow::rint(f, a, env), soft::rint(f, a, env), f, env, {a});
      for (const Format& to : {formats::kFp16, formats::kBf16, formats::kFp32}) {
        convert.expect(slow::convert(f, to, a, env), soft::convert(f, to, a, env), to, env, {a});
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, ConvertExhaustive,
                         testing::Values(formats::kFp16, formats::kBf16),
                         [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace halfmark::soft
