// SPDX-License-Identifier: Apache-2.0
#include "tools/halfmark/selftest/session.hpp"

#include <fmt/format.h>

#include "reference/formats/text.hpp"

namespace halfmark::tools {

bool Session::goes_on() {
  constexpr std::uint64_t kLeast = 16;  // also the number of calls between two looks at the clock
  ++questions_;
  return questions_ < kLeast || questions_ % kLeast != 0 || SelftestClock::now() < end_;
}

void Session::compare(const soft::Result& expected, const soft::Result& actual,
                      const formats::Format& f, const std::function<std::string()>& call) {
  compare(expected == actual, [&] {
    return fmt::format("{}: expected {} flags {:x} ({}), actual {} flags {:x} ({})", call(),
                       formats::hex(f, expected.bits), expected.flags,
                       formats::hex_float(f, expected.bits), formats::hex(f, actual.bits),
                       actual.flags, formats::hex_float(f, actual.bits));
  });
}

std::string environment_text(const soft::Environment& env) {
  std::string text = fmt::format("{} {} {}", soft::to_string(env.rounding),
                                 soft::to_string(env.subnormals), soft::to_string(env.overflow));
  if (env.rounding == soft::Rounding::kStochastic) {
    text += fmt::format(" random {:x}/2^{}", env.random, env.random_bits);
  }
  return text;
}

}  // namespace halfmark::tools
