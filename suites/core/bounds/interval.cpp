// SPDX-License-Identifier: Apache-2.0
#include "suites/core/bounds/interval.hpp"

#include <bit>

#include "reference/soft/soft.hpp"

namespace halfmark::suites {

double value_of(const formats::Format& format, formats::Bits bits) {
  return std::bit_cast<double>(soft::convert(format, formats::kFp64, bits).bits);
}

formats::Bits nearest(const formats::Format& format, double value) {
  return soft::convert(formats::kFp64, format, std::bit_cast<std::uint64_t>(value)).bits;
}

}  // namespace halfmark::suites
