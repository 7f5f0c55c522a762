// SPDX-License-Identifier: Apache-2.0
// exp, log, GELU and its derivative in vector lanes against the sequences of
// reference/operators/elementary.hpp, on every target: a grid over all fp32 encodings, which covers
// every exponent and sign, and every fp16 and bf16 number.
#include "reference/operators/elementary.hpp"

#include <gtest/gtest.h>

#include <bit>

#include "reference/fast/buffer.hpp"
#include "reference/fast/elementary_kernels.hpp"
#include "reference/fast/floating_point.hpp"

namespace halfmark::fast {
namespace {

using formats::Bits;
using formats::kFp32;

struct Pair {
  const char* name;
  Bits (*soft)(const models::Machine&, Bits);
  ElementaryKernels::Map ElementaryKernels::* fast;
};

constexpr Pair kPairs[] = {
    {"exp", operators::exp, &ElementaryKernels::exp},
    {"log", operators::log, &ElementaryKernels::log},
    {"gelu", operators::gelu, &ElementaryKernels::gelu},
    {"gelu_derivative", operators::gelu_derivative, &ElementaryKernels::gelu_derivative}};

Bits canonical(Bits bits) {
  return formats::is_nan(kFp32, bits) ? formats::quiet_nan(kFp32) : bits;
}

void expect_soft(const Pair& pair, const std::vector<Bits>& operands) {
  for (const Target target : host_targets()) {
    const ElementaryKernels* kernels = elementary_kernels(target);
    if (kernels == nullptr) continue;
    const Buffer<float> values = make_buffer<float>(operands.size());
    for (std::size_t i = 0; i < operands.size(); ++i) {
      values[i] = std::bit_cast<float>(static_cast<std::uint32_t>(operands[i]));
    }
    {
      const FloatingPointScope scope;
      (kernels->*pair.fast)(values.get(), operands.size());
    }
    for (std::size_t i = 0; i < operands.size(); ++i) {
      ASSERT_EQ(pair.soft({}, operands[i]), canonical(std::bit_cast<std::uint32_t>(values[i])))
          << pair.name << ", " << to_string(target) << std::hex << ", x " << operands[i];
    }
  }
}

TEST(FastElementary, AGridOverAllEncodings) {
  std::vector<Bits> operands;
  for (Bits i = 0; i < std::size_t{1} << 17; ++i)
    operands.push_back(i << 15 | (i * 0x9e37 & 0x7fff));
  for (const Pair& pair : kPairs) expect_soft(pair, operands);
}

// Infinities, zeros and every number determined by its upper half: all of bf16.
TEST(FastElementary, EveryUpperHalf) {
  std::vector<Bits> operands;
  for (Bits i = 0; i < std::size_t{1} << 16; ++i) operands.push_back(i << 16);
  for (const Pair& pair : kPairs) expect_soft(pair, operands);
}

TEST(FastElementary, EveryFp16Number) {
  std::vector<Bits> operands;
  for (Bits i = 0; i < std::size_t{1} << 16; ++i) {
    operands.push_back(soft::convert(formats::kFp16, kFp32, i).bits);
  }
  for (const Pair& pair : kPairs) expect_soft(pair, operands);
}

}  // namespace
}  // namespace halfmark::fast
