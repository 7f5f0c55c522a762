// SPDX-License-Identifier: Apache-2.0
// Compares sums of products of any two formats, added in two parts and rounded to any format, with
// schoolbook arithmetic.
#include "reference/models/exact_sum.hpp"
#include "reference/slow/exact.hpp"
#include "reference/slow/fuzz.hpp"

using namespace halfmark;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  FuzzedDataProvider data(bytes, size);
  const formats::Format& fa = slow::take_format(data);
  const formats::Format& fb = slow::take_format(data);
  const formats::Format& to = slow::take_format(data);
  const soft::Environment env = slow::take_environment(data, to);
  models::ExactSum parts[2];
  slow::Exact expected;
  for (int i = 0; data.remaining_bytes() >= 16 && i < 200; ++i) {
    const formats::Bits a = slow::take_bits(data, fa);
    const formats::Bits b = slow::take_bits(data, fb);
    if (!formats::is_finite(fa, a) || !formats::is_finite(fb, b)) continue;
    parts[i % 2].add_product(fa, a, fb, b);
    expected = plus(expected, times(slow::exact_value(fa, a), slow::exact_value(fb, b)));
  }
  if (expected.numerator.is_zero()) return 0;  // another test checks the sign of a zero
  parts[0].add(parts[1]);
  slow::expect(slow::round_exact(to, expected, env), parts[0].round(to, env), to, "exact sum");
  return 0;
}
