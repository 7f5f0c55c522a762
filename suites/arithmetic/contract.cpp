// SPDX-License-Identifier: Apache-2.0
#include "suites/arithmetic/contract.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>

namespace halfmark::suites::arithmetic {
namespace {

constexpr std::string_view kHalfRounded =
    "IEEE 754-2019, 5.4.1 formatOf general-computational operations, and 4.3.1 roundTiesToEven; "
    "promised by the device as correctly rounded fp16 division and square root";
constexpr std::string_view kSinglePromise =
    "IEEE 754-2019, 5.4.1; OpenCL C 1.2, 7.4 relative error as ULPs: x + y, x - y, x * y and fma "
    "correctly rounded";
constexpr std::string_view kHalfPromise =
    "IEEE 754-2019, 5.4.1; OpenCL 1.2 extension cl_khr_fp16, 9.5: half operations correctly "
    "rounded";

constexpr std::string_view kThroughSingle =
    "OpenCL C 1.2, 6.12.7 vload_half, vstore_half_rte and 7.4 relative error as ULPs; double "
    "rounding is innocuous from 24 to 11 bits: Figueroa, ACM SIGNUM Newsletter 30(3), 1995";

constexpr ContractRow exact(std::string_view id, std::string_view promise, std::string_view source,
                            std::span<const Freedom> freedoms) {
  return {.id = id,
          .tier = Tier::kExact,
          .promise = promise,
          .source = source,
          .freedoms = freedoms,
          .bound_ulps = 0};
}

constexpr std::span<const Freedom> kSingle = kFp32Freedoms;
constexpr std::span<const Freedom> kHalf = kFp16Freedoms;

// The operation's own bound decides; the row records it in whole ULPs.
constexpr ContractRow within(std::string_view id, std::string_view promise, std::string_view source,
                             std::span<const Freedom> freedoms, std::uint64_t bound_ulps) {
  return {.id = id,
          .tier = Tier::kBounded,
          .promise = promise,
          .source = source,
          .freedoms = freedoms,
          .bound_ulps = bound_ulps};
}

constexpr ContractRow kRows[] = {
    exact("arithmetic.fp32.add", "a + b is the exact sum, rounded once to nearest even",
          kSinglePromise, kSingle),
    exact("arithmetic.fp32.sub", "a - b is the exact difference, rounded once to nearest even",
          kSinglePromise, kSingle),
    exact("arithmetic.fp32.mul", "a * b is the exact product, rounded once to nearest even",
          kSinglePromise, kSingle),
    exact("arithmetic.fp32.fma",
          "fma(a, b, c) is the exact a * b + c, rounded once to nearest even", kSinglePromise,
          kSingle),
    exact("arithmetic.fp32.muladd",
          "a * b + c with contraction off is two operations, each rounded once",
          "IEEE 754-2019, 10.4 literal meaning; OpenCL C 1.2, 6.12.2 FP_CONTRACT OFF", kSingle),
    exact("arithmetic.fp32.div", "a / b is the exact quotient, rounded once to nearest even",
          "IEEE 754-2019, 5.4.1; promised by the device as correctly rounded division", kSingle),
    within("arithmetic.fp32.div.ulp", "a / b is within 2.5 ULP of the exact quotient",
           "OpenCL C 1.2, 7.4 relative error as ULPs: x / y <= 2.5 ulp", kSingle, 3),
    exact("arithmetic.fp32.sqrt", "sqrt(a) is the exact root, rounded once to nearest even",
          "IEEE 754-2019, 5.4.1; promised by the device as correctly rounded square root", kSingle),
    within("arithmetic.fp32.sqrt.ulp", "sqrt(a) is within 3 ULP of the exact root",
           "OpenCL C 1.2, 7.4 relative error as ULPs: sqrt <= 3 ulp", kSingle, 3),
    exact(
        "arithmetic.fp32.rint", "rint(a) is the nearest integral value, ties to even",
        "IEEE 754-2019, 5.3.1 roundToIntegralTiesToEven; OpenCL C 1.2, 7.4: rint correctly rounded",
        kSingle),
    exact("arithmetic.fp32.ldexp", "ldexp(a, n) is a * 2^n, rounded once to nearest even",
          "IEEE 754-2019, 5.3.3 scaleB; OpenCL C 1.2, 7.4: ldexp correctly rounded", kSingle),
    exact("arithmetic.fp32.lt", "a < b compares values; false when either is NaN",
          "IEEE 754-2019, 5.6.1 compareSignalingLess", kSingle),
    exact("arithmetic.fp32.eq", "a == b compares values; +0 equals -0; false when either is NaN",
          "IEEE 754-2019, 5.6.1 compareQuietEqual", kSingle),
    exact("arithmetic.fp32.to_fp16",
          "storing fp32 as fp16 rounds once to nearest even, subnormal results kept",
          "IEEE 754-2019, 5.4.2 convertFormat; OpenCL C 1.2, 6.12.7 vstore_half", {}),
    exact("arithmetic.fp32.to_bf16", "storing fp32 as bf16 rounds once to nearest even",
          "IEEE 754-2019, 5.4.2 convertFormat; Halfmark kernels/prelude.hk, integer code", {}),
    exact("arithmetic.fp16.to_fp32", "loading fp16 as fp32 is exact, subnormals included",
          "IEEE 754-2019, 5.4.2 convertFormat; OpenCL C 1.2, 6.12.7 vload_half", {}),
    exact("arithmetic.bf16.to_fp32", "loading bf16 as fp32 is exact",
          "IEEE 754-2019, 5.4.2 convertFormat; Halfmark kernels/prelude.hk, integer code", {}),
    exact("arithmetic.fp16.add_in_fp32",
          "a + b of fp16 numbers in fp32, rounded once more, is the exact sum rounded once",
          kThroughSingle, kSingle),
    exact("arithmetic.fp16.sub_in_fp32",
          "a - b of fp16 numbers in fp32, rounded once more, is the exact difference rounded once",
          kThroughSingle, kSingle),
    exact("arithmetic.fp16.mul_in_fp32",
          "a * b of fp16 numbers in fp32, rounded once more, is the exact product rounded once",
          kThroughSingle, kSingle),
    exact("arithmetic.fp16.div_in_fp32",
          "a / b of fp16 numbers in fp32, rounded once more, is the exact quotient rounded once",
          kThroughSingle, kSingle),
    exact("arithmetic.fp16.add", "a + b in fp16 is the exact sum, rounded once to fp16",
          kHalfPromise, kHalf),
    exact("arithmetic.fp16.sub", "a - b in fp16 is the exact difference, rounded once to fp16",
          kHalfPromise, kHalf),
    exact("arithmetic.fp16.mul", "a * b in fp16 is the exact product, rounded once to fp16",
          kHalfPromise, kHalf),
    exact("arithmetic.fp16.div", "a / b in fp16 is the exact quotient, rounded once to fp16",
          kHalfRounded, kHalf),
    within("arithmetic.fp16.div.ulp", "a / b in fp16 is within 1 ULP of the exact quotient",
           "OpenCL C 3.0, 7.4 relative error as ULPs, half precision: x / y <= 1 ulp, by "
           "OpenCL-Docs 1293 (2025); correctly rounded before",
           kHalf, 1),
    exact("arithmetic.fp16.sqrt", "sqrt(a) in fp16 is the exact root, rounded once to fp16",
          kHalfRounded, kHalf),
    within("arithmetic.fp16.sqrt.ulp", "sqrt(a) in fp16 is within 1.5 ULP of the exact root",
           "OpenCL C 3.0, 7.4 relative error as ULPs, half precision: sqrt <= 1.5 ulp, by "
           "OpenCL-Docs 1386 (2025); correctly rounded before",
           kHalf, 2),
    exact("arithmetic.fp16.fma", "fma in fp16 is the exact a * b + c, rounded once to fp16",
          kHalfPromise, kHalf),
    exact("arithmetic.fp16.muladd",
          "a * b + c in fp16 with contraction off is two operations, each rounded to fp16",
          "IEEE 754-2019, 10.4 literal meaning; OpenCL C 1.2, 6.12.2 FP_CONTRACT OFF", kHalf),
};

constexpr NotAssertedRow kNotAsserted[] = {
    {"payload and sign of NaN results",
     "IEEE 754-2019, 6.2.3 recommends and does not require; NaN compares as a class"},
    {"exception flags of the device", "no interface of the devices exposes them"},
    {"rounding directions other than to nearest even", "kernels cannot choose one on every device"},
};

}  // namespace

std::span<const ContractRow> contract() { return kRows; }

std::span<const NotAssertedRow> not_asserted() { return kNotAsserted; }

const ContractRow& row_for(const Operation& operation) {
  const std::string id = fmt::format("arithmetic.{}.{}{}", operation.format, entry_name(operation),
                                     is_bounded(operation) ? ".ulp" : "");
  const auto* found = std::find_if(std::begin(kRows), std::end(kRows),
                                   [&](const ContractRow& r) { return r.id == id; });
  if (found == std::end(kRows)) throw std::logic_error("no contract row " + id);
  return *found;
}

}  // namespace halfmark::suites::arithmetic
