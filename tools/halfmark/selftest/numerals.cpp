// SPDX-License-Identifier: Apache-2.0
// Numerals that are hard to read: decimals far from any encoding, midpoints in hexadecimal, and
// what the printers give.
#include <fmt/format.h>

#include "reference/formats/classify.hpp"
#include "reference/formats/text.hpp"
#include "reference/slow/exact.hpp"
#include "tools/halfmark/selftest/checks.hpp"

namespace halfmark::tools {
namespace {

using formats::Bits;
using formats::Format;

// DIGITSe-PLACES as the twin's exact number and as text.
void compare_numeral(Session& session, const Subject& subject, const Format& f) {
  slow::Operands& operands = session.operands();
  const std::uint64_t digits = (operands.word() >> operands.word() % 62) | 1;
  const auto places = static_cast<int>(operands.word() % 62);
  const bool negative = operands.word() % 2 != 0;
  const soft::Environment env = operands.environment(f);
  slow::Exact exact{.negative = negative, .numerator = slow::Natural(digits)};
  for (int i = 0; i < places; ++i) exact.denominator = exact.denominator * slow::Natural(10);
  const std::string text = fmt::format("{}{}e-{}", negative ? "-" : "", digits, places);
  session.compare(slow::round_exact(f, exact, env), subject.read(f, text, env), f, [&] {
    return fmt::format("{} in {} ({})", text, f.name, environment_text(env));
  });
}

// In hex, a midpoint of two neighbours followed by zeros and a one: readers that round twice, or
// that read only a limited number of digits, get it wrong.
void compare_midpoint(Session& session, const Subject& subject, const Format& f) {
  slow::Operands& operands = session.operands();
  const std::uint64_t odd = operands.word() >> (63 - f.precision()) | 1;
  const auto zeros = static_cast<int>(operands.word() % 40);
  const auto range = static_cast<std::uint64_t>(f.max_exponent() - f.min_place());
  const int exponent = f.min_place() - 3 + static_cast<int>(operands.word() % range);
  const soft::Environment env = operands.environment(f);
  const slow::Exact exact{
      .numerator = slow::Natural(odd).shifted_left(4 * (zeros + 1)) + slow::Natural(1),
      .exponent = exponent - 4 * (zeros + 1)};
  const std::string text = fmt::format("0x{:x}.{:0>{}}p{}", odd, 1, zeros + 1, exponent);
  session.compare(slow::round_exact(f, exact, env), subject.read(f, text, env), f, [&] {
    return fmt::format("{} in {} ({})", text, f.name, environment_text(env));
  });
}

void compare_printed(Session& session, const Subject& subject, const Format& f) {
  const Bits bits = session.operands().any(f) & f.mask();
  if (!formats::is_finite(f, bits)) return;
  for (const std::string& text : {formats::decimal(f, bits), formats::hex_float(f, bits)}) {
    const Bits actual = subject.read(f, text, {}).bits;
    session.compare({bits, 0}, {actual, 0}, f,
                    [&] { return fmt::format("{} of {}, printed and read", text, f.name); });
  }
}

}  // namespace

void check_numerals(Session& session, const Subject& subject) {
  do {
    for (const Format& f : formats::all_formats()) {
      compare_numeral(session, subject, f);
      compare_midpoint(session, subject, f);
      compare_printed(session, subject, f);
    }
  } while (session.goes_on());
}

}  // namespace halfmark::tools
