// SPDX-License-Identifier: Apache-2.0
// Shared by the fuzz targets of the reference: bytes as operands, and a comparison that reports a
// difference and aborts. Tests only.
#pragma once

#include <fuzzer/FuzzedDataProvider.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "reference/formats/text.hpp"
#include "reference/soft/codec.hpp"

namespace halfmark::slow {

[[noreturn]] inline void differ(const std::string& text) {
  std::fprintf(stderr, "differs: %s\n", text.c_str());
  std::abort();
}

inline void expect(const soft::Result& expected, const soft::Result& actual,
                   const formats::Format& f, const std::string& call) {
  if (expected == actual) return;
  differ(call + " in " + std::string(f.name) + ": expected " + formats::hex(f, expected.bits) +
         " flags " + std::to_string(expected.flags) + ", actual " + formats::hex(f, actual.bits) +
         " flags " + std::to_string(actual.flags));
}

inline const formats::Format& take_format(FuzzedDataProvider& data) {
  return formats::kFormats[data.ConsumeIntegralInRange<std::size_t>(0,
                                                                    formats::kFormats.size() - 1)];
}

inline formats::Bits take_bits(FuzzedDataProvider& data, const formats::Format& f) {
  return data.ConsumeIntegral<std::uint64_t>() & f.mask();
}

// Any environment for a result in the given format.
inline soft::Environment take_environment(FuzzedDataProvider& data, const formats::Format& result) {
  soft::Environment env;
  // Stochastic rounding follows the named directions.
  env.rounding = static_cast<soft::Rounding>(
      data.ConsumeIntegralInRange<std::size_t>(0, soft::kRoundings.size()));
  env.subnormals = data.PickValueInArray(soft::kSubnormalPolicies).value;
  env.overflow = data.PickValueInArray(soft::kOverflowPolicies).value;
  env.random_bits = data.ConsumeIntegralInRange(1, soft::max_random_bits(result));
  env.random = static_cast<std::uint32_t>(
      data.ConsumeIntegralInRange<std::uint64_t>(0, (std::uint64_t{1} << env.random_bits) - 1));
  return env;
}

}  // namespace halfmark::slow
