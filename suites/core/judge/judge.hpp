// SPDX-License-Identifier: Apache-2.0
// The judge: compares a device's outputs with the expected ones under one contract row. Counts
// mismatches and remembers a few elements; formats no text, launches nothing, and knows no
// operator. Assumes: NaN compares as a class (IEEE 754-2019, 6.2.1 leaves payload and sign of a NaN
// result open), except in outputs that hold integers.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "suites/core/case/contract.hpp"
#include "suites/core/execute/plan.hpp"

namespace halfmark::suites {

struct Mismatch {
  std::string tensor;
  std::size_t index = 0;
  formats::Bits expected = 0, actual = 0;
  std::uint64_t ulps = 0;  // encodings between them; kIncomparable for a NaN and a number. Of
                           // integers, the difference
};

struct Comparison {
  std::uint64_t elements = 0, mismatches = 0;
  // The first ones in order, then the worst of the others, then one of each kind (a number for a
  // NaN, ...) that is not among them.
  std::vector<Mismatch> shown;
  std::map<std::string, std::vector<std::size_t>> wrong;  // all of them, ascending, by tensor
};

/// The signed integer that a word of the format's width holds.
[[nodiscard]] std::int64_t integer_in(const formats::Format& format, formats::Bits bits);

/// Whether `actual` is accepted for `expected`: same bits, both NaN, or within the bound.
[[nodiscard]] bool agrees(const formats::Format& format, formats::Bits expected,
                          formats::Bits actual, std::uint64_t bound_ulps);

/// What is allowed: the bits of `expected`, encodings within a bound of them, or, if there is an
/// enclosure, the values in it (`expected` then serves only for display).
struct Allowance {
  const TensorSet& expected;
  std::uint64_t bound_ulps = 0;
  const Enclosure* enclosure = nullptr;
  /// The outputs that hold integers, of which nothing but the bits of `expected` is allowed.
  std::vector<std::string> integers = {};
};

/// The allowance of one tensor, looked up once. A view: the allowance must outlive it.
class Allowed {
 public:
  Allowed(const Allowance& all, const std::string& name);
  [[nodiscard]] bool operator()(std::size_t index, formats::Bits actual) const;
  [[nodiscard]] bool holds_integers() const { return holds_integers_; }

 private:
  const formats::Tensor& expected_;
  const formats::Tensor* low_ = nullptr;
  const formats::Tensor* high_ = nullptr;
  const std::vector<std::int32_t>* steps_ = nullptr;
  std::uint64_t bound_ulps_;
  bool holds_integers_;
};

[[nodiscard]] Comparison compare(const Allowance& allowed, const TensorSet& actual);
[[nodiscard]] inline Comparison compare(const TensorSet& expected, const TensorSet& actual,
                                        std::uint64_t bound_ulps) {
  return compare({expected, bound_ulps}, actual);
}

/// Why the case would pass a kernel that computes nothing: the first impostor (all zeros, a copy of
/// an input, one constant) that the allowance accepts. If the row has a bound, impostors also
/// include the right numbers in the wrong positions, and results that are all off by more than any
/// sensible bound. Empty if the pass is earned.
[[nodiscard]] std::string unearned(const TensorSet& inputs, const Allowance& allowed);
[[nodiscard]] inline std::string unearned(const TensorSet& inputs, const TensorSet& expected,
                                          std::uint64_t bound_ulps) {
  return unearned(inputs, {expected, bound_ulps});
}

}  // namespace halfmark::suites
