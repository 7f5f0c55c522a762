// SPDX-License-Identifier: Apache-2.0
#include "suites/gemm/refusals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "reference/soft/soft.hpp"
#include "suites/core/case/errors.hpp"
#include "suites/gemm/launch.hpp"

namespace halfmark::suites::gemm {
namespace {

// Most terms of a bounded fp16 sum: with these, no permitted fill comes near 65504.
constexpr std::size_t kMostNarrowTerms = 2048;

bool is_library(std::string_view provider) {
  return provider == "library" || provider == "library2";
}

// 8-bit and tf32 matrices: only for libraries, and on data whose sums, over blocks as long as those
// of libraries, are exact in any accumulator that matrix units have for them; in 8 bits also on
// others, whose bound is as wide as those units need.
void refuse_narrow(const Binding& bound, const Case& c) {
  if (bound.operands->storage_bytes() > 1 && *bound.operands != formats::kTf32) return;
  const bool is_by_library = is_library(bound.provider);
  const bool has_bound = bound.fill == "normal" && bound.operands->storage_bytes() == 1;
  const bool is_exact = has_bound || bound.fill == "integer" || bound.fill == "positive" ||
                        bound.fill == "ones" || bound.fill == "zeros" ||
                        bound.fill == "permutation";
  if (!is_by_library || !is_exact) {
    throw UsageError(
        fmt::format("case '{}' does not exist; matrices of {} are multiplied by libraries, on the "
                    "fills integer, positive, ones, zeros and permutation, in 8 bits normal, too",
                    print(c), c.word("format")));
  }
}

// Strides of 2^29 elements: only for libraries, and only between rows.
void refuse_near(const Binding& bound, const Case& c) {
  if (bound.variant->far.empty()) return;
  const std::size_t rows = bound.variant->far == "b" ? bound.problem.k : bound.problem.m;
  const bool is_by_library = is_library(bound.provider);
  if (!is_by_library || bound.transpose_a || bound.transpose_b || rows < 5) {
    throw UsageError(fmt::format(
        "case '{}' does not exist; matrices whose offsets pass 2^31 are multiplied by libraries, "
        "layout nn, and have 5 rows or more",
        print(c)));
  }
}

// The call is made twice, only for the sum, and multiplying by eight must not overflow.
void refuse_unrelated(const Binding& bound, const Case& c) {
  constexpr std::size_t kMostTerms = 4096;
  if (bound.fill != "related") return;
  if (bound.variant->name == "plain" && bound.problem.k <= kMostTerms) return;
  throw UsageError(fmt::format(
      "case '{}' does not exist; the fill related is one of plain products of up to {} terms",
      print(c), kMostTerms));
}

// Common formulas give NaN at infinities, where smooth activations have limits.
void refuse_infinite(const Binding& bound, const Case& c) {
  constexpr std::string_view kFills[] = {"nonfinite", "special", "finite", "border"};
  if (!is_smooth(bound.variant->activation) ||
      std::find(std::begin(kFills), std::end(kFills), bound.fill) == std::end(kFills))
    return;
  throw UsageError(fmt::format(
      "case '{}' does not exist; what a smooth activation makes of infinities is not asserted",
      print(c)));
}

// Sums in fp16: only for libraries, where no order can overflow, with scalars that such a library
// accepts, and without activations, whose format is unspecified.
void refuse_narrow_sums(const Binding& bound, const Case& c) {
  constexpr std::string_view kFills[] = {"integer", "ones", "normal",    "uniform", "cancel",
                                         "splitk",  "ties", "subnormal", "tiny",    "related"};
  if (bound.is_portable() || *bound.accumulator == formats::kFp32) return;
  const auto is_told = [&](formats::Bits scalar) {
    const formats::Bits narrow = soft::convert(formats::kFp32, *bound.accumulator, scalar).bits;
    return soft::convert(*bound.accumulator, formats::kFp32, narrow).bits == scalar;
  };
  if (bound.has_c() && (!is_told(bound.variant->alpha) || !is_told(bound.variant->beta))) {
    throw UsageError(
        fmt::format("case '{}' does not exist; a library that sums in {} takes alpha and beta in "
                    "it: ask abhalf",
                    print(c), bound.accumulator->name));
  }
  if (is_smooth(bound.variant->activation)) {
    throw UsageError(
        fmt::format("case '{}' does not exist; no smooth activation is asked for behind sums in {}",
                    print(c), bound.accumulator->name));
  }
  if (contract_row_of(bound).tier != Tier::kBounded) return;
  const bool stays =
      bound.problem.k <= kMostNarrowTerms &&
      std::find(std::begin(kFills), std::end(kFills), bound.fill) != std::end(kFills);
  if (!stays || !is_library(bound.provider)) {
    throw UsageError(
        fmt::format("case '{}' does not exist; only libraries have sums in {}, of up to {} terms, "
                    "that stay within "
                    "its range",
                    print(c), bound.accumulator->name, kMostNarrowTerms));
  }
}

}  // namespace

void refuse_impossible(const Binding& bound, const Case& c) {
  refuse_narrow(bound, c);
  refuse_near(bound, c);
  refuse_unrelated(bound, c);
  refuse_infinite(bound, c);
  refuse_narrow_sums(bound, c);
  const operators::GemmProblem& p = bound.problem;
  constexpr std::size_t kMostOffsets = std::size_t{1} << 31;
  if (p.m == 0 || p.n == 0 || p.m >= kMostOffsets || p.n >= kMostOffsets || p.k >= kMostOffsets) {
    throw UsageError(
        fmt::format("case '{}' has no output; m and n must be from 1 to 2^31 - 1", print(c)));
  }
  // Some interfaces launch 65535 groups at most along the second dimension of a grid.
  constexpr std::size_t kMostRows = std::size_t{65535} * kTileRows;
  if (bound.is_portable() && p.m > kMostRows) {
    throw UsageError(fmt::format(
        "case '{}' does not exist; products with more than {} rows are multiplied by libraries",
        print(c), kMostRows));
  }
  if (bound.a.count >= kMostOffsets || bound.b.count >= kMostOffsets ||
      bound.d.count >= kMostOffsets) {
    throw UsageError(fmt::format(
        "case '{}' is too large; each matrix must have less than 2^31 elements", print(c)));
  }
  if (*bound.accumulator != formats::kFp32 && bound.operands != bound.accumulator) {
    throw UsageError(
        fmt::format("case '{}' does not exist; {} accumulates only operands of its own format",
                    print(c), bound.accumulator->name));
  }
  if (bound.is_portable() && bound.variant->pieces != Pieces::kNone) {
    throw UsageError(fmt::format(
        "case '{}' does not exist; the portable kernel has one route: ask a library", print(c)));
  }
  if (bound.is_portable() && !bound.variant->plain_epilogue()) {
    throw UsageError(fmt::format(
        "case '{}' does not exist; the portable kernel ends with the product: ask a library",
        print(c)));
  }
}

}  // namespace halfmark::suites::gemm
