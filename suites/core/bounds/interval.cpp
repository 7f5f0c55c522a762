// SPDX-License-Identifier: Apache-2.0
#include "suites/core/bounds/interval.hpp"

#include <bit>

#include "reference/soft/soft.hpp"

namespace halfmark::suites {
namespace {

using formats::Bits;
using formats::Format;

// With a constant format, conversions take a fraction of the time, and bounds consist of them.
template <typename Conversion>
auto with_constant(const Format& format, Conversion convert) {
  if (&format == &formats::kFp16) return convert(formats::kFp16);
  if (&format == &formats::kBf16) return convert(formats::kBf16);
  if (&format == &formats::kFp32) return convert(formats::kFp32);
  return convert(format);
}

}  // namespace

double value_of(const Format& format, Bits bits) {
  return with_constant(format, [&](const Format& from) __attribute__((always_inline)) {
    return std::bit_cast<double>(soft::convert(from, formats::kFp64, bits).bits);
  });
}

Bits nearest(const Format& format, double value) {
  return with_constant(format, [&](const Format& to) __attribute__((always_inline)) {
    return soft::convert(formats::kFp64, to, std::bit_cast<std::uint64_t>(value)).bits;
  });
}

}  // namespace halfmark::suites
