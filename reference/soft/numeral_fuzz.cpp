// SPDX-License-Identifier: Apache-2.0
// Reads any text as a numeral: it must never crash. Short decimals are compared with the naive
// twin. For all others, rounding the numeral must equal rounding its exact value, and the directed
// roundings must enclose it.
#include "reference/formats/ulp.hpp"
#include "reference/slow/exact.hpp"
#include "reference/slow/fuzz.hpp"
#include "reference/soft/numeral.hpp"

using namespace halfmark;

namespace {

void check_against_twin(const soft::Numeral& numeral, const formats::Format& f,
                        const soft::Environment& env, const std::string& text) {
  const bool small = !numeral.hex && !numeral.digits.empty() && numeral.digits.size() <= 18 &&
                     numeral.exponent >= -60 && numeral.exponent <= 60;
  if (!small) return;
  slow::Exact exact{.negative = numeral.negative,
                    .numerator = slow::Natural(std::stoull(numeral.digits))};
  slow::Natural& scaled = numeral.exponent < 0 ? exact.denominator : exact.numerator;
  for (std::int64_t i = std::abs(numeral.exponent); i > 0; --i) scaled = scaled * slow::Natural(10);
  slow::expect(slow::round_exact(f, exact, env), round(f, numeral, env), f, text);
}

void check_directions(const soft::Numeral& numeral, const formats::Format& f,
                      const std::string& text) {
  const auto directed = [&](soft::Rounding rounding) {
    return round(f, numeral, {.rounding = rounding}).bits;
  };
  const formats::Bits down = directed(soft::Rounding::kDown);
  const formats::Bits up = directed(soft::Rounding::kUp);
  if (formats::is_nan(f, down) || formats::is_nan(f, up)) return;
  const formats::Bits near = directed(soft::Rounding::kNearEven);
  if (formats::is_nan(f, near)) return;  // overflow in a format without infinity
  const bool enclosed = formats::ordered(f, down) <= formats::ordered(f, near) &&
                        formats::ordered(f, near) <= formats::ordered(f, up) &&
                        formats::ulp_distance(f, down, up) <= 1;
  if (!enclosed) slow::differ("directions of " + text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  FuzzedDataProvider data(bytes, size);
  const formats::Format& f = slow::take_format(data);
  const soft::Environment env = slow::take_environment(data, f);
  const std::string text = data.ConsumeRemainingBytesAsString();
  const auto numeral = soft::parse_numeral(text);
  if (!numeral || numeral->kind != soft::Numeral::Kind::kFinite) return 0;
  check_against_twin(*numeral, f, env, text);
  check_directions(*numeral, f, text);
  if (std::abs(numeral->exponent) > 3000) return 0;  // slow, and adds no information
  const auto exact = soft::exact_number(*numeral);
  if (exact) slow::expect(round(f, *exact, env), round(f, *numeral, env), f, text);
  return 0;
}
