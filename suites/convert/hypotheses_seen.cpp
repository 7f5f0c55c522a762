// SPDX-License-Identifier: Apache-2.0
// What implementations of conversions do with a parameter that only a failure shows.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <set>
#include <string>
#include <utility>

#include "reference/formats/classify.hpp"
#include "reference/soft/soft.hpp"
#include "suites/convert/binding.hpp"
#include "suites/convert/faithful.hpp"

namespace halfmark::suites::convert {
namespace {

using formats::Bits;

Bits away(const Binding& b, Bits x) {
  const bool is_negative = formats::sign(b.stored(), x);
  return converted(b, x,
                   {.rounding = is_negative ? soft::Rounding::kDown : soft::Rounding::kUp,
                    .overflow = b.overflow});
}

// The exponent of a normal result that is not exact, before it is rounded.
std::optional<int> inexact_binade(const Binding& b, Bits x) {
  const Bits near =
      converted(b, x, {.rounding = soft::Rounding::kTowardZero, .overflow = b.overflow});
  if (!formats::is_finite(*b.to, near) || near == away(b, x)) return std::nullopt;
  const int exponent = formats::exponent_field(*b.to, near) - b.to->bias;
  return exponent < b.to->min_exponent() ? std::nullopt : std::optional(exponent);
}

// After all that follow one rule.
Hypothesis faithful_by_no_rule(const TensorSet& outputs) {
  return {
      .name = "faithful-by-no-rule",
      .finding_class = "cvt_round",
      .sentence = "each result is one of the two numbers next to its operand, by no single rule",
      .evaluate =
          [got = outputs.at("y")](const Case& c, const TensorSet& in) {
            const Binding b = bind(c);
            const formats::Tensor& x = in.at("x");
            formats::Tensor y = formats::Tensor::zeros(*b.to, x.count());
            for (std::size_t i = 0; i < x.count(); ++i) {
              const bool is_open = i < got.count() && is_faithful(b, x.at(i), got.at(i));
              y.set(i, is_open ? got.at(i) : plain(b, x.at(i)));
            }
            return TensorSet{{"y", std::move(y)}};
          },
      .freedoms = {std::string(kFaithful)},
      .tier = 1};
}

// Nothing if a wrong result is exact, subnormal or infinite.
std::optional<Hypothesis> away_in_binades(const Case& c, const Places& wrong) {
  if (wrong.empty()) return std::nullopt;
  const Binding bound = bind(c);
  const formats::Tensor x = make_inputs(c).at("x");
  std::set<int> binades;
  for (const std::size_t i : wrong.begin()->second) {
    const std::optional<int> binade = inexact_binade(bound, x.at(i));
    if (!binade) return std::nullopt;
    binades.insert(*binade);
  }
  Hypothesis hypothesis{
      .name = "away-in-binades",
      .finding_class = "cvt_round",
      .sentence = fmt::format("inexact results are rounded away from zero in the binades of 2^{}",
                              fmt::join(binades, ", 2^")),
      .evaluate = [binades](const Case& which, const TensorSet& in) {
        const Binding b = bind(which);
        return TensorSet{{"y", mapped(b, in.at("x"), [&](Bits bits) {
                            const std::optional<int> binade = inexact_binade(b, bits);
                            return binade && binades.contains(*binade) ? away(b, bits)
                                                                       : plain(b, bits);
                          })}};
      }};
  return with_freedom(std::move(hypothesis), kFaithful);
}

}  // namespace

std::vector<Hypothesis> hypotheses_seen_in(const Case& c, const Places& wrong,
                                           const TensorSet& outputs) {
  std::vector<Hypothesis> list;
  if (std::optional<Hypothesis> binades = away_in_binades(c, wrong))
    list.push_back(std::move(*binades));
  list.push_back(faithful_by_no_rule(outputs));
  return list;
}

}  // namespace halfmark::suites::convert
