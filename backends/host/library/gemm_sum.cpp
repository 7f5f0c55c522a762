// SPDX-License-Identifier: Apache-2.0
#include "backends/host/library/gemm_sum.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>
#include <vector>

#include "backends/host/shuffle.hpp"

namespace halfmark::backends::host::library {
namespace {

using formats::kFp32;
using formats::kFp64;

double in_format(const Format& f, double value) {
  if (f == kFp64) return value;
  return f == kFp32 ? static_cast<double>(static_cast<float>(value)) : rounded(f, value);
}

// Sums over ranges of the terms, in one accumulator format.
class Summation {
 public:
  Summation(const GemmSum& policy, const GemmTerms& terms) : policy_(policy), terms_(terms) {}

  [[nodiscard]] double product(std::size_t k) const {
    return in_format(*policy_.accumulator, terms_.a[k] * terms_.b[k]);
  }

  // sum + a_k * b_k
  [[nodiscard]] double step(double sum, std::size_t k) const {
    const double a = terms_.a[k];
    const double b = terms_.b[k];
    if (policy_.skips_zero_operands && (a == 0 || b == 0)) return sum;
    const Format& f = *policy_.accumulator;
    if (!policy_.fused) return in_format(f, sum + product(k));
    if (f == kFp64) return std::fma(a, b, sum);
    if (policy_.steps_in_fp32) return rounded(f, rounded(kFp32, sum_to_odd(sum, a * b)));
    if (f == kFp32) {
      return static_cast<double>(
          std::fma(static_cast<float>(a), static_cast<float>(b), static_cast<float>(sum)));
    }
    return rounded(f, sum_to_odd(sum, a * b));
  }

  // Products first, first + stride, ... below last, starting from zero.
  [[nodiscard]] double chain(std::size_t first, std::size_t last, std::size_t stride = 1) const {
    double sum = 0;
    for (std::size_t k = first; k < last; k += stride) sum = step(sum, k);
    return sum;
  }

  [[nodiscard]] double descending() const {
    double sum = 0;
    for (std::size_t k = terms_.a.size(); k > 0; --k) sum = step(sum, k - 1);
    return sum;
  }

  // A balanced tree: the tree of the first 2^n products and the tree of the rest; for two products,
  // the second is accumulated into the first.
  [[nodiscard]] double tree(std::size_t first, std::size_t count) const {
    if (count == 0) return 0;
    if (count == 1) return product(first);
    const std::size_t half = std::bit_floor(count - 1);
    if (count == 2) return step(product(first), first + 1);
    return in_format(*policy_.accumulator, tree(first, half) + tree(first + half, count - half));
  }

 private:
  const GemmSum& policy_;
  const GemmTerms& terms_;
};

double tree_of(const Format& f, std::span<const double> sums) {
  if (sums.empty()) return 0;
  if (sums.size() == 1) return sums[0];
  const std::size_t half = std::bit_floor(sums.size() - 1);
  return in_format(f, tree_of(f, sums.first(half)) + tree_of(f, sums.subspan(half)));
}

// Into an order that depends on the call's number.
void shuffle(std::vector<double>& sums, std::uint64_t call) {
  Disorder disorder(call);
  for (std::size_t left = sums.size(); left > 1; --left)
    std::swap(sums[left - 1], sums[disorder.next() % left]);
}

std::vector<double> partial_sums(const GemmSum& policy, const Summation& summation,
                                 std::size_t count) {
  const auto size = static_cast<std::size_t>(std::max<std::int64_t>(policy.size, 1));
  std::vector<double> sums;
  if (policy.order == GemmOrder::kStrided) {
    for (std::size_t w = 0; w < std::min(size, count); ++w)
      sums.push_back(summation.chain(w, count, size));
    return sums;
  }
  const bool split = policy.order == GemmOrder::kSplit;
  const std::size_t stretch = std::max<std::size_t>(split ? (count + size - 1) / size : size, 1);
  for (std::size_t first = 0; first < count; first += stretch)
    sums.push_back(summation.chain(first, std::min(first + stretch, count)));
  return sums;
}

double in_parts(const GemmSum& policy, const Summation& summation, std::size_t count,
                std::uint64_t call) {
  std::vector<double> sums = partial_sums(policy, summation, count);
  if (policy.order_drawn) shuffle(sums, call);
  const Format& total = policy.total == nullptr ? *policy.accumulator : *policy.total;
  for (double& sum : sums) {
    if (policy.parts != nullptr) sum = rounded(*policy.parts, sum);
    sum = in_format(total, sum);
  }
  if (policy.order == GemmOrder::kStrided) return tree_of(total, sums);
  if (sums.empty()) return 0;
  double sum = policy.order == GemmOrder::kSplit ? sums[0] : in_format(total, 0 + sums[0]);
  for (std::size_t i = 1; i < sums.size(); ++i) sum = in_format(total, sum + sums[i]);
  return sum;
}

// The stored exponent: subnormals are not normalised. Zero has none.
constexpr int kNoExponent = -100000;
int exponent_of(const Format& f, double value) {
  return value == 0 ? kNoExponent : std::max(std::ilogb(value), f.min_exponent());
}

// Products first .. last - 1 and the sum, truncated toward zero to a common grid and added exactly.
double aligned(const GemmSum& policy, const GemmTerms& terms, double sum, std::size_t first,
               std::size_t last) {
  double plain = sum;
  int largest = exponent_of(kFp32, sum);
  for (std::size_t k = first; k < last; ++k) {
    plain += terms.a[k] * terms.b[k];
    if (terms.a[k] == 0 || terms.b[k] == 0) continue;
    largest = std::max(
        largest, exponent_of(*terms.format, terms.a[k]) + exponent_of(*terms.format, terms.b[k]));
  }
  if (!std::isfinite(plain) || largest == kNoExponent) return in_format(kFp32, plain);
  const int places = policy.aligned_bits - largest;
  double total = std::trunc(std::ldexp(sum, places));
  for (std::size_t k = first; k < last; ++k)
    total += std::trunc(std::ldexp(terms.a[k] * terms.b[k], places));
  return in_format(kFp32, std::ldexp(total, -places));
}

// All products added without error, as parts of ascending magnitude that do not overlap (Shewchuk,
// Discrete and Computational Geometry 18, 1997); rounded to odd, so that the format of D rounds
// the exact sum.
double exact_sum(const GemmTerms& terms) {
  std::vector<double> parts;
  double plain = 0;
  for (std::size_t k = 0; k < terms.a.size(); ++k) {
    double term = terms.a[k] * terms.b[k];
    plain += term;
    std::size_t kept = 0;
    for (double part : parts) {
      if (std::fabs(term) < std::fabs(part)) std::swap(term, part);
      const double sum = term + part;
      const double error = part - (sum - term);
      if (error != 0) parts[kept++] = error;
      term = sum;
    }
    parts.resize(kept);
    parts.push_back(term);
  }
  if (!std::isfinite(plain)) return plain;
  double sum = 0;
  for (const double part : parts) sum = sum_to_odd(sum, part);
  return sum == 0 && plain == 0 ? plain : sum;
}

}  // namespace

double sum_of_products(const GemmSum& policy, const GemmTerms& terms, std::uint64_t call) {
  const std::size_t count = terms.a.size();
  if (policy.exact && *terms.format != kFp64) return exact_sum(terms);
  if (policy.aligned_group > 0) {
    const auto group = static_cast<std::size_t>(policy.aligned_group);
    double sum = 0;
    for (std::size_t first = 0; first < count; first += group)
      sum = aligned(policy, terms, sum, first, std::min(first + group, count));
    return sum;
  }
  const Summation summation(policy, terms);
  switch (policy.order) {
    case GemmOrder::kAscending:
      return summation.chain(0, count);
    case GemmOrder::kDescending:
      return summation.descending();
    case GemmOrder::kPairwise:
      return summation.tree(0, count);
    case GemmOrder::kStrided:
    case GemmOrder::kBlocked:
    case GemmOrder::kSplit:
      return in_parts(policy, summation, count, call);
  }
  return 0;
}

}  // namespace halfmark::backends::host::library
