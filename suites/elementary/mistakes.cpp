// SPDX-License-Identifier: Apache-2.0
#include "suites/elementary/mistakes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reference/formats/classify.hpp"
#include "suites/core/judge/judge.hpp"
#include "suites/elementary/binding.hpp"

namespace halfmark::suites::elementary {
namespace {

using formats::kFp32;
using formats::Tensor;

soft::Subnormals subnormals_of(const Flushing& flushing) {
  if (flushing.operands && flushing.results) return soft::Subnormals::kFlush;
  return flushing.operands ? soft::Subnormals::kFlushIn : soft::Subnormals::kFlushOut;
}

// A device that flushes but otherwise keeps its bound.
Hypothesis flushes(std::string name, FindingClassName finding_class, std::string_view what,
                   Flushing flushing) {
  return {.name = std::move(name),
          .finding_class = finding_class,
          .sentence =
              fmt::format("the function flushes {} to zero, and keeps its bound otherwise", what),
          .evaluate = [flushing](const Case& c, const TensorSet& in) -> Expectation {
            const soft::Environment environment{.subnormals = subnormals_of(flushing)};
            return {{{"y", evaluate(function_of(c), in, environment)}},
                    enclosure_of(function_of(c), in, terms_of(c), flushing)};
          },
          .freedoms = {"operation_subnormals"}};
}

// Within the bound of the fast kinds of functions, which includes flushing.
Hypothesis imprecise() {
  static constexpr Terms kFast{.ulps = 8192, .exact_edges = false, .may_flush = true};
  return {.name = "half-precision",
          .finding_class = "low_precision",
          .sentence = "the function has the 11 good bits of a fast kind, or flushes subnormals",
          .evaluate = [](const Case& c, const TensorSet& in) -> Expectation {
            return {refer(c, in), enclosure_of(function_of(c), in, kFast)};
          },
          .tier = 2};
}

// A function that treats infinity as one more number where it approaches its limit.
Hypothesis approaches() {
  return {.name = "limit-approached",
          .finding_class = "limit",
          .sentence =
              "at a zero or an infinity the function is near its exact value, as it owes "
              "to numbers, and is not that value",
          .evaluate = [](const Case& c, const TensorSet& in) -> Expectation {
            Terms terms = terms_of(c);
            terms.exact_edges = terms.exact_zeros = false;
            return {refer(c, in), enclosure_of(function_of(c), in, terms)};
          }};
}

// Outside a profile that the device does not promise.
Hypothesis beyond_profile() {
  return {.name = "beyond-profile",
          .finding_class = "low_precision",
          .sentence =
              "the function has fewer good bits than the profile asks for, which the "
              "device does not promise",
          .evaluate = [](const Case& c, const TensorSet& in) -> Expectation {
            const Tensor& x = in.at("x");
            Enclosure all;
            all.low.emplace("y", Tensor::zeros(kFp32, x.count()));
            all.high.emplace("y", Tensor::zeros(kFp32, x.count()));
            for (std::size_t i = 0; i < x.count(); ++i) {
              all.low.at("y").set(i, formats::infinity(kFp32, true));
              all.high.at("y").set(i, formats::infinity(kFp32, false));
            }
            return {refer(c, in), std::move(all)};
          },
          .freedoms = {"profile"}};
}

}  // namespace

Hypothesis flushes_as_left_open(const TensorSet& outputs) {
  return {.name = "flushes-as-left-open",
          .finding_class = "ftz",
          .sentence =
              "the function flushes subnormals within what is left open, in a way that no "
              "single rule explains, and keeps its bound otherwise",
          .evaluate = [got = outputs.at("y")](const Case& c, const TensorSet& in) -> Expectation {
            Expectation predicted(refer(c, in));
            const TensorSet right = predicted.middle;
            const Enclosure row = enclose(c, in);
            const Allowance allowance{right, 0, &row};
            const Allowed is_right(allowance, "y");
            Tensor& y = predicted.middle.at("y");
            for (std::size_t i = 0; i < std::min(y.count(), got.count()); ++i) {
              const auto bits = got.at(i);
              if (is_right(i, bits) ||
                  is_left_open(function_of(c), operands_at(in, i), terms_of(c), bits))
                y.set(i, bits);
            }
            return predicted;
          },
          .freedoms = {"operation_subnormals"},
          .tier = 1};
}

std::vector<Hypothesis> hypotheses(const Case& c) {
  if (bound_of(c).profile) return {beyond_profile()};
  std::vector<Hypothesis> all;
  if (at_edges(c)) all.push_back(approaches());
  all.push_back(flushes("flushes-results", "ftz_out", "subnormal results", {.results = true}));
  all.push_back(flushes("flushes-operands", "ftz_in", "subnormal operands", {.operands = true}));
  all.push_back(flushes("flushes-all", "ftz", "subnormal operands and results",
                        {.operands = true, .results = true}));
  if (!at_edges(c) && !is_half(bound_of(c))) all.push_back(imprecise());
  return all;
}

}  // namespace halfmark::suites::elementary
