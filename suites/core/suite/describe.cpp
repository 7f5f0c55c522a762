// SPDX-License-Identifier: Apache-2.0
#include "suites/core/suite/describe.hpp"

#include <fmt/format.h>

#include <cstdint>

#include "reference/formats/text.hpp"
#include "suites/core/suite/metamorphic.hpp"

namespace halfmark::suites {
namespace {

OperandText text_of(const Operand& o) {
  if (o.format == nullptr) {
    return {o.label, fmt::format("{:08x}", o.bits),
            std::to_string(static_cast<std::int32_t>(o.bits))};
  }
  return {o.label, formats::hex(*o.format, o.bits), formats::hex_float(*o.format, o.bits)};
}

}  // namespace

std::string describe_value(const Problem& problem, std::string_view tensor,
                           const formats::Format& format, formats::Bits bits) {
  return problem.holds_integers(name_in_first(tensor)) ? std::to_string(integer_in(format, bits))
                                                       : formats::hex_float(format, bits);
}

Extent extent_of(const Problem& problem, std::string_view tensor, std::size_t count) {
  const Extent whole{.rows = 1, .columns = count};
  const Extent extent = problem.extent(name_in_first(tensor));
  return extent.rows * extent.columns == count ? extent : whole;
}

Element describe_element(const Problem& problem, const TensorSet& inputs,
                         const formats::Format& format, const Mismatch& m) {
  Element e{.tensor = m.tensor,
            .index = m.index,
            .operands = {},
            .expected_hex = formats::hex(format, m.expected),
            .expected_value = describe_value(problem, m.tensor, format, m.expected),
            .actual_hex = formats::hex(format, m.actual),
            .actual_value = describe_value(problem, m.tensor, format, m.actual),
            .ulps = m.ulps};
  for (const Operand& o : problem.operands(inputs, name_in_first(m.tensor), m.index)) {
    e.operands.push_back(text_of(o));
  }
  return e;
}

}  // namespace halfmark::suites
