// SPDX-License-Identifier: Apache-2.0
// Turns a bound in ULP into the range of encodings that it allows. The exact value is known to lie
// between its two directed roundings, and on which side of their midpoint; no step rounds: an
// encoding is allowed exactly if some value in that half interval is within the bound of it. Past
// the largest finite number the value is looked up in a format with more exponents, which shows
// whether it is close to that number. Says also what flushing adds to a range. Decides no bound.
//
// A ULP is that of the exact value: the distance between the numbers around it (the definition of
// J.-M. Muller, On the definition of ulp(x), 2005); at a number itself, the distance to the next
// greater magnitude; past the largest finite number, the last such distance.
//
// Assumptions: (1) the format is fp16 or fp32; (2) the function is rounded correctly in every
// direction, in fp32 and in formats of as many bits with more exponents too.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "reference/formats/format.hpp"
#include "reference/soft/environment.hpp"

namespace halfmark::operators {

/// A bound in ULP. Specifications state whole and half ULPs (2.5 ulp for a quotient).
struct Ulps {
  std::uint64_t halves = 0;

  constexpr Ulps() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): a whole number of ULP is one
  constexpr Ulps(std::uint64_t whole) : halves(2 * whole) {}
  [[nodiscard]] static constexpr Ulps and_a_half(std::uint64_t whole) {
    Ulps ulps(whole);
    ++ulps.halves;
    return ulps;
  }
  [[nodiscard]] constexpr std::uint64_t whole() const { return halves / 2; }
  [[nodiscard]] constexpr bool is_whole() const { return halves % 2 == 0; }
  /// The whole ULPs recorded in a contract row; verdicts use the range around the exact value.
  [[nodiscard]] constexpr std::uint64_t rounded_up() const { return (halves + 1) / 2; }
  [[nodiscard]] constexpr bool operator==(const Ulps&) const = default;
};

/// A function at fixed operands, which are numbers of every format that it is asked for.
using AtOperands =
    std::function<soft::Result(const formats::Format&, const soft::Environment& environment)>;

struct Nearness {
  Ulps ulps;
  std::optional<formats::Bits> absolute = {};  // in place of ULPs: an error, as an fp64 number
  bool of_rounded = false;    // counted from the correctly rounded result, not from the exact value
  bool exact_number = false;  // a value that is a number of the format admits no error
  bool may_saturate = false;  // the largest finite number instead of infinity
};

/// The smallest and largest encoding allowed; both NaN where the function's value is NaN.
struct UlpRange {
  formats::Bits low = 0, high = 0;
};

[[nodiscard]] UlpRange ulp_range(const formats::Format& format, const AtOperands& function,
                                 const Nearness& nearness);

/// An operand as it is, and as a device may read it that flushes subnormals.
[[nodiscard]] std::vector<formats::Bits> readings(const formats::Format& format,
                                                  formats::Bits operand);

/// Whether the result lies in the range, or is a zero for a number below the normal ones there.
[[nodiscard]] bool is_within_or_flushed(const formats::Format& format, const UlpRange& range,
                                        formats::Bits result);

}  // namespace halfmark::operators
