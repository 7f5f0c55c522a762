// SPDX-License-Identifier: Apache-2.0
// Every operation of every arithmetic format in any environment, compared with the naive twin.
#include "reference/slow/fuzz.hpp"
#include "reference/slow/slow.hpp"
#include "reference/soft/soft.hpp"

using namespace halfmark;

namespace {

using formats::Bits;
using formats::Format;
using soft::Environment;
using soft::Result;

struct Call {
  const Format& f;
  Bits a, b, c;
  std::int32_t n;
  Environment env;
};

struct Operation {
  const char* name;
  Result (*expected)(const Call&);
  Result (*actual)(const Call&);
};

// clang-format off
constexpr Operation kOperations[] = {
    {"add", [](auto& x) { return slow::add(x.f, x.a, x.b, x.env); }, [](auto& x) { return soft::add(x.f, x.a, x.b, x.env); }},
    {"sub", [](auto& x) { return slow::sub(x.f, x.a, x.b, x.env); }, [](auto& x) { return soft::sub(x.f, x.a, x.b, x.env); }},
    {"mul", [](auto& x) { return slow::mul(x.f, x.a, x.b, x.f, x.env); }, [](auto& x) { return soft::mul(x.f, x.a, x.b, x.f, x.env); }},
    {"div", [](auto& x) { return slow::div(x.f, x.a, x.b, x.env); }, [](auto& x) { return soft::div(x.f, x.a, x.b, x.env); }},
    {"fma", [](auto& x) { return slow::fma(x.f, x.a, x.b, x.f, x.c, x.env); }, [](auto& x) { return soft::fma(x.f, x.a, x.b, x.f, x.c, x.env); }},
    {"sqrt", [](auto& x) { return slow::sqrt(x.f, x.a, x.env); }, [](auto& x) { return soft::sqrt(x.f, x.a, x.env); }},
    {"rint", [](auto& x) { return slow::rint(x.f, x.a, x.env); }, [](auto& x) { return soft::rint(x.f, x.a, x.env); }},
    {"ldexp", [](auto& x) { return slow::ldexp(x.f, x.a, x.n, x.env); }, [](auto& x) { return soft::ldexp(x.f, x.a, x.n, x.env); }},
    {"minimum", [](auto& x) { return slow::minimum(x.f, x.a, x.b, x.env); }, [](auto& x) { return soft::minimum(x.f, x.a, x.b, x.env); }},
    {"maximum", [](auto& x) { return slow::maximum(x.f, x.a, x.b, x.env); }, [](auto& x) { return soft::maximum(x.f, x.a, x.b, x.env); }},
    {"minimum_number", [](auto& x) { return slow::minimum_number(x.f, x.a, x.b, x.env); }, [](auto& x) { return soft::minimum_number(x.f, x.a, x.b, x.env); }},
    {"maximum_number", [](auto& x) { return slow::maximum_number(x.f, x.a, x.b, x.env); }, [](auto& x) { return soft::maximum_number(x.f, x.a, x.b, x.env); }},
    {"eq", [](auto& x) { return slow::eq(x.f, x.a, x.b, x.env); }, [](auto& x) { return soft::eq(x.f, x.a, x.b, x.env); }},
    {"lt", [](auto& x) { return slow::lt(x.f, x.a, x.b, x.env); }, [](auto& x) { return soft::lt(x.f, x.a, x.b, x.env); }},
    {"le", [](auto& x) { return slow::le(x.f, x.a, x.b, x.env); }, [](auto& x) { return soft::le(x.f, x.a, x.b, x.env); }},
};
// clang-format on

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  FuzzedDataProvider data(bytes, size);
  while (data.remaining_bytes() >= 32) {
    const Format& f = slow::take_format(data);
    if (f.use < formats::Use::kArithmetic) continue;
    const Call call{.f = f,
                    .a = slow::take_bits(data, f),
                    .b = slow::take_bits(data, f),
                    .c = slow::take_bits(data, f),
                    .n = data.ConsumeIntegralInRange<std::int32_t>(-3000, 3000),
                    .env = slow::take_environment(data, f)};
    for (const Operation& operation : kOperations) {
      slow::expect(operation.expected(call), operation.actual(call), f,
                   std::string(operation.name) + " " + formats::hex(f, call.a) + " " +
                       formats::hex(f, call.b) + " " + formats::hex(f, call.c) + " " +
                       std::to_string(call.n));
    }
  }
  return 0;
}
