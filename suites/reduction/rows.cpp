// SPDX-License-Identifier: Apache-2.0
#include "suites/reduction/rows.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "reference/formats/ulp.hpp"
#include "reference/models/exact_sum.hpp"
#include "reference/soft/soft.hpp"
#include "suites/core/suite/block_sizes.hpp"

namespace halfmark::suites::reduction {

using formats::Bits;
using formats::Format;

Sum sum_of(const Row& x) {
  models::ExactSum exact;
  double sizes = 0;
  int place = 127;
  for (std::size_t i = 0; i < x.width(); ++i) {
    const Bits bits = x.at(i);
    exact.add(x.format(), bits);
    if (!formats::is_finite(x.format(), bits) || formats::is_zero(x.format(), bits)) continue;
    sizes = sizes + std::abs(value_of(x.format(), bits));
    place = std::min(place, formats::lowest_bit(x.format(), bits));
  }
  const double value = std::bit_cast<double>(exact.round(formats::kFp64).bits);
  // Multiples of the last place up to 2^24 of it are fp32 numbers: nothing is ever rounded.
  const bool all_representable = !(std::ldexp(1, 24 + place) < sizes);
  if (all_representable) return {value, 0, sizes};
  return {value, sum_error(x.width()) * sizes * (1 + 0x1p-10), sizes};
}

Bits greatest(const Row& x, bool (*passes)(std::size_t)) {
  Bits found = formats::infinity(x.format(), true);
  for (std::size_t i = 0; i < x.width(); ++i) {
    const Bits bits = x.at(i);
    if (formats::is_nan(x.format(), bits)) {
      if (passes(i)) return bits;
    } else if (formats::ordered(x.format(), found) < formats::ordered(x.format(), bits)) {
      found = bits;
    }
  }
  return found;
}

Bits greater(const Format& f, Bits a, Bits b) {
  if (formats::is_nan(f, a)) return a;
  if (formats::is_nan(f, b)) return b;
  return formats::ordered(f, a) < formats::ordered(f, b) ? b : a;
}

std::vector<std::size_t> limits_below(std::size_t width) {
  constexpr std::size_t kMost = 65536;
  std::vector<std::size_t> limits = power_blocks(kMost);
  limits.insert(limits.end(), {32767, 65535});  // the largest numbers of 15 and 16 bits
  std::ranges::sort(limits);
  std::erase_if(limits, [width](std::size_t limit) { return limit >= width; });
  return limits;
}

Bits in_output(const Binding& b, Bits single) {
  return *b.output == formats::kFp32 ? single
                                     : soft::convert(formats::kFp32, *b.output, single).bits;
}

}  // namespace halfmark::suites::reduction
