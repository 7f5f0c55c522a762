// SPDX-License-Identifier: Apache-2.0
#include "suites/arithmetic/bounded.hpp"

#include <algorithm>

#include "reference/fast/parallel.hpp"
#include "reference/formats/classify.hpp"
#include "reference/soft/soft.hpp"

namespace halfmark::suites::arithmetic {
namespace {

using formats::Bits;
using formats::Format;

bool is_edge(const Format& f, Bits bits) {
  return formats::is_zero(f, bits) || !formats::is_finite(f, bits);
}

}  // namespace

operators::UlpRange range_of(const Operation& operation, const Operands& x) {
  const Format& f = *operation.operand;
  const bool divides = plain_name(operation) == "div";
  const auto function = [&](const Format& g, const soft::Environment& environment) {
    const Bits a = soft::convert(f, g, x.a).bits;
    return divides ? soft::div(g, a, soft::convert(f, g, x.b).bits, environment)
                   : soft::sqrt(g, a, environment);
  };
  const bool is_exact = is_edge(f, x.a) || (divides && is_edge(f, x.b));
  return operators::ulp_range(f, function, {.ulps = operation.ulps, .exact_number = is_exact});
}

Operands operands_at(const TensorSet& inputs, std::size_t index) {
  const auto at = [&](const char* name) {
    const auto found = inputs.find(name);
    return found == inputs.end() ? 0 : found->second.at(index);
  };
  return {.a = at("a"), .b = at("b"), .c = at("c")};
}

Enclosure enclosure_of(const Operation& operation, const TensorSet& inputs) {
  const std::size_t count = inputs.at("a").count();
  formats::Tensor low = formats::Tensor::zeros(*operation.result, count);
  formats::Tensor high = low;
  constexpr std::size_t kPart = 512;
  fast::for_each_part(
      (count + kPart - 1) / kPart, 0, fast::Direction::kNearEven, [&](std::size_t part) {
        for (std::size_t i = part * kPart; i < std::min(count, (part + 1) * kPart); ++i) {
          const operators::UlpRange range = range_of(operation, operands_at(inputs, i));
          low.set(i, range.low);
          high.set(i, range.high);
        }
      });
  Enclosure enclosure;
  enclosure.low.emplace("d", std::move(low));
  enclosure.high.emplace("d", std::move(high));
  return enclosure;
}

}  // namespace halfmark::suites::arithmetic
