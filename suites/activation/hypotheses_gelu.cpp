// SPDX-License-Identifier: Apache-2.0
// Departures of GELU and its gradient: rows of a table, each an interval of its own.
#include <span>
#include <string>

#include "suites/activation/elements.hpp"

namespace halfmark::suites::activation {
namespace {

struct GeluRow {
  std::string_view name;
  FindingClassName finding_class;
  std::string_view sentence;
  bool tanh, erf;
  Departure departure;
  int tier = 0;
};

const GeluRow kGeluDepartures[] = {
    {"tanh-by-exp-2z",
     "nan_made",
     "tanh is (e - 1) / (e + 1) with e = exp(2z), which overflows",
     true,
     false,
     {.exp_limit = 44.3614}},
    {"tanh-by-exp-z",
     "nan_made",
     "tanh is formed of exp(z) and exp(-z), which overflow",
     true,
     false,
     {.exp_limit = 88.7228}},
    {"cube-in-fp16",
     "overflow",
     "the cube of x is rounded to fp16, where it overflows",
     true,
     false,
     {.cube_in_half = true}},
    {"tail-in-fp16",
     "cancel",
     "1 plus tanh or erf is rounded to fp16",
     true,
     true,
     {.tail_in_half = true}},
    {"nan-at-infinity", "nan_made", "NaN at infinity", true, true, {.nan_at_infinity = true}},
    {"cut-at-1", "ftz_const", "tanh or erf is 1 from 1 on", true, true, {.tanh_limit = 1}},
    {"cut-at-1.044",
     "ftz_const",
     "tanh or erf is 1 from 1.044 on",
     true,
     true,
     {.tanh_limit = value_of(formats::kFp32, 0x3f85a1cb)}},
    {"cut-at-2", "ftz_const", "tanh or erf is 1 from 2 on", true, true, {.tanh_limit = 2}},
    {"cut-at-3", "ftz_const", "tanh or erf is 1 from 3 on", true, true, {.tanh_limit = 3}},
    {"cut-at-4", "ftz_const", "tanh or erf is 1 from 4 on", true, true, {.tanh_limit = 4}},
    {"cut-at-4.97", "ftz_const", "tanh or erf is 1 from 4.97 on", true, true, {.tanh_limit = 4.97}},
};

// For gradients only.
const GeluRow kGradientDepartures[] = {
    {"no-second-term",
     "formula",
     "the derivative lacks the term in which x multiplies the density",
     true,
     true,
     {.no_second_term = true}},
    {"no-inner-derivative",
     "formula",
     "the derivative lacks that of the argument of tanh or erf",
     true,
     true,
     {.no_inner = true}},
    {"no-growth",
     "formula",
     "the derivative takes the argument of tanh as linear in x",
     true,
     false,
     {.no_growth = true}},
    {"no-three",
     "formula",
     "the derivative of the cube lacks its factor 3",
     true,
     false,
     {.no_three = true}},
    {"derivative-in-fp16",
     "early_round",
     "the derivative is rounded to fp16 before it is multiplied by dy",
     true,
     true,
     {.gradient_in = &formats::kFp16}},
    {"derivative-in-bf16",
     "early_round",
     "the derivative is rounded to bf16 before it is multiplied by dy",
     true,
     true,
     {.gradient_in = &formats::kBf16}},
};
// Abramowitz and Stegun, Handbook of Mathematical Functions, 7.1.26: |error| <= 1.5e-7.
const GeluRow kShortErf[] = {
    {"short-erf-about-a-half",
     "cancel",
     "the derivative is off by up to 1.5e-7, as where it is a sum about 1/2 "
     "with a short erf",
     false,
     true,
     {.erf_error = 1.5e-7},
     1}};
const GeluRow kForwardDepartures[] = {
    {"sigmoid-form",
     "formula",
     "x times the logistic function of 1.702 x is evaluated",
     true,
     true,
     {.sigmoid = true}},
};
const GeluRow kConstantDepartures[] = {
    {"cubic-in-bf16",
     "scalar_precision",
     "the factor 0.044715 is rounded to bf16",
     true,
     false,
     {.cubic_in = &formats::kBf16}},
    {"cubic-in-fp16",
     "scalar_precision",
     "the factor 0.044715 is rounded to fp16",
     true,
     false,
     {.cubic_in = &formats::kFp16}},
};

Hypothesis gelu_hypothesis(const GeluRow& row) {
  return {.name = std::string(row.name),
          .finding_class = row.finding_class,
          .sentence = std::string(row.sentence),
          .evaluate =
              [d = row.departure](const Case& c, const TensorSet& in) {
                const Enclosure all = intervals(bind(c), in, d);
                return Expectation{middles(all), all};
              },
          .tier = row.tier};
}

}  // namespace

void add_gelu(std::vector<Hypothesis>& list, Operation operation) {
  const bool tanh = operation == Operation::kGeluTanh || operation == Operation::kGeluTanhBackward;
  const bool backward =
      operation == Operation::kGeluBackward || operation == Operation::kGeluTanhBackward;
  const auto add = [&](std::span<const GeluRow> rows) {
    for (const GeluRow& row : rows) {
      if (tanh ? row.tanh : row.erf) list.push_back(gelu_hypothesis(row));
    }
  };
  add(kGeluDepartures);
  if (backward) {
    add(kGradientDepartures);
    add(kShortErf);
  } else {
    add(kForwardDepartures);
  }
  add(kConstantDepartures);
}

}  // namespace halfmark::suites::activation
