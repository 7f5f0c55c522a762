// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/ref/block.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reference/formats/text.hpp"
#include "reference/formats/ulp.hpp"
#include "tools/halfmark/ref/ref_names.hpp"

namespace halfmark::tools {

using formats::Bits;
using formats::Format;

std::string line(std::string_view name, std::string_view text) {
  return fmt::format("{:<10} {}\n", name, text);
}

std::string value_text(const Format& f, Bits bits) {
  if (!formats::is_finite(f, bits)) return formats::decimal(f, bits);
  return soft::decimal(soft::exact_number(f, bits), kMostDigits);
}

std::string describe(const Format& f, Bits bits) {
  const std::string hex_float = formats::hex_float(f, bits);
  const std::string value = value_text(f, bits);
  return fmt::format("0x{}  {}{}", formats::hex(f, bits), hex_float,
                     value == hex_float ? "" : "  " + value);
}

int ulp_exponent(const Format& f, Bits bits) {
  const int lowest_field = f.has_zero ? 1 : 0;
  return std::max(formats::exponent_field(f, bits), lowest_field) - f.bias - f.fraction_bits;
}

std::string error_in_ulps(const Format& f, Bits rounded, const soft::ExactNumber& exact) {
  const soft::ExactNumber error = soft::exact_number(f, rounded) - exact;
  if (error.is_zero()) return "0 ulp";
  const soft::ExactNumber ulps = error * soft::power_of_two(-ulp_exponent(f, rounded));
  return fmt::format("{} ulp", soft::decimal(ulps, kUlpDigits));
}

std::string neighbour_lines(const Format& f, Bits bits) {
  if (formats::is_nan(f, bits)) return {};
  const auto text = [&](Bits neighbour) {
    return neighbour == bits ? std::string("none") : describe(f, neighbour);
  };
  return line("below", text(formats::next_down(f, bits))) +
         line("above", text(formats::next_up(f, bits)));
}

std::string flags_text(unsigned flags) {
  return fmt::format("{:x} ({})", flags, ref_flag_names(flags));
}

}  // namespace halfmark::tools
