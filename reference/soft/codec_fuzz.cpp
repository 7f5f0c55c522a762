// SPDX-License-Identifier: Apache-2.0
// Converts any encoding to any format in any environment and compares with the naive twin; also
// checks that unpack followed by round gives back the encoding.
#include "reference/slow/fuzz.hpp"
#include "reference/slow/slow.hpp"
#include "reference/soft/convert.hpp"

using namespace halfmark;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  FuzzedDataProvider data(bytes, size);
  while (data.remaining_bytes() >= 12) {
    const formats::Format& from = slow::take_format(data);
    const formats::Format& to = slow::take_format(data);
    const formats::Bits a = slow::take_bits(data, from);
    const soft::Environment env = slow::take_environment(data, to);
    slow::expect(slow::convert(from, to, a, env), soft::convert(from, to, a, env), to,
                 "convert " + formats::hex(from, a) + " from " + std::string(from.name));
    if (!formats::is_nan(from, a)) {
      slow::expect({a, 0}, soft::round(from, soft::unpack(from, a), {}), from, "unpack and round");
    }
  }
  return 0;
}
