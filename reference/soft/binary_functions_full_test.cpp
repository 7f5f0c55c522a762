// SPDX-License-Identifier: Apache-2.0
// The long test of the functions of two operands: a million random pairs of fp32 each (a twentieth
// in ci/test) against MPFR, most of them where the function is neither tiny nor saturated.
#include <gtest/gtest.h>

#include "reference/slow/check_binary_functions.hpp"
#include "reference/slow/cores.hpp"
#include "reference/slow/effort.hpp"
#include "reference/slow/operands.hpp"

namespace halfmark::soft {
namespace {

const auto kRandom = slow::effort<std::uint64_t>(1000000, 50000);

class FullBinaryFunctions : public testing::TestWithParam<BinaryFunction> {};

// Three times out of four the magnitude is within 2^-12 to 2^12.
Bits operand(slow::Operands& operands) {
  const Bits any = operands.any(formats::kFp32);
  if (operands.word() % 4 == 0) return any;
  return (any & 0x807fffff) | (127 - 12 + operands.word() % 25) << 23;
}

TEST_P(FullBinaryFunctions, OfRandomFp32) {
  slow::on_every_core([&](unsigned index, unsigned count) {
    const Format& f = formats::kFp32;
    slow::BinaryChecker checker(GetParam(), f);
    slow::Operands operands(2000 + index);
    for (std::uint64_t i = 0; i < kRandom / count; ++i) {
      Bits a = operand(operands);
      if (operands.word() % 8 != 0) a &= f.magnitude_mask();
      checker.expect(a, operand(operands), operands.environment(f));
    }
  });
}

INSTANTIATE_TEST_SUITE_P(All, FullBinaryFunctions, testing::ValuesIn(kBinaryFunctions),
                         [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace halfmark::soft
