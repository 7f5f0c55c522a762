// SPDX-License-Identifier: Apache-2.0
// Reads any text as an encoding: accepted text must print as the same encoding, and printed text
// must be accepted.
#include "reference/slow/fuzz.hpp"

using namespace halfmark;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  FuzzedDataProvider data(bytes, size);
  const formats::Format& f = slow::take_format(data);
  const formats::Bits bits = slow::take_bits(data, f);
  if (formats::parse_hex(f, formats::hex(f, bits)) != bits) slow::differ(formats::hex(f, bits));
  (void)formats::decimal(f, bits);
  (void)formats::hex_float(f, bits);
  const std::string text = data.ConsumeRemainingBytesAsString();
  const auto read = formats::parse_hex(f, text);
  if (!read) return 0;
  if (*read > f.mask()) slow::differ("too wide: " + text);
  if (formats::parse_hex(f, formats::hex(f, *read)) != *read) slow::differ(text);
  return 0;
}
