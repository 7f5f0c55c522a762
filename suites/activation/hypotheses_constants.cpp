// SPDX-License-Identifier: Apache-2.0
// GELU with a constant of too few digits: the factor of the cube, or that of the argument. Decides
// which roundings of a constant are tried: to decimal digits, as code is written, and to formats.
#include <fmt/format.h>

#include <set>
#include <string>
#include <utility>

#include "suites/activation/elements.hpp"

namespace halfmark::suites::activation {
namespace {

// A constant as digits / 10^places.
struct Constant {
  std::string_view key, words;
  std::int64_t digits;
  int places;
  double Departure::* member;
};

constexpr Constant kCubic{"cubic", "the factor of the cube is", 44715, 6, &Departure::cubic};
constexpr Constant kSlope{"slope", "sqrt(2/pi) is", 797884561, 9, &Departure::slope};
constexpr Constant kRoot{"slope", "1/sqrt(2) is", 707106781, 9, &Departure::slope};

constexpr std::int64_t power_of_ten(int exponent) {
  return exponent == 0 ? 1 : 10 * power_of_ten(exponent - 1);
}

// The decimal fraction, rounded once.
double quotient(std::int64_t digits, int places) {
  return static_cast<double>(digits) / static_cast<double>(power_of_ten(places));
}

Hypothesis with_constant(const Constant& constant, const std::string& text, double value) {
  Departure departure;
  departure.*constant.member = value;
  return {.name = fmt::format("{}-{}", constant.key, text),
          .finding_class = "scalar_precision",
          .sentence = fmt::format("{} taken for {}", constant.words, text),
          .evaluate = [departure](const Case& c, const TensorSet& in) -> Expectation {
            const Enclosure all = intervals(bind(c), in, departure);
            return {middles(all), all};
          },
          .pointwise = true};
}

// Rounded and cut to each number of decimal places.
void add_decimals(std::vector<Hypothesis>& list, const Constant& constant) {
  std::set<std::string> texts;
  for (int places = 1; places < constant.places; ++places) {
    const std::int64_t lost = power_of_ten(constant.places - places);
    for (const std::int64_t digits :
         {(constant.digits + lost / 2) / lost, constant.digits / lost}) {
      if (digits == 0) continue;
      std::string text = fmt::format("0.{:0{}}", digits, places);
      while (text.ends_with('0')) text.pop_back();
      if (!texts.insert(text).second) continue;
      list.push_back(with_constant(constant, text, quotient(digits, places)));
    }
  }
}

void add_formats(std::vector<Hypothesis>& list, const Constant& constant) {
  const double right = quotient(constant.digits, constant.places);
  for (const formats::Format* f : {&formats::kFp16, &formats::kBf16}) {
    const double value = through(f, right);
    list.push_back(with_constant(constant, std::string(f->name), value));
    list.back().name = fmt::format("{}-in-{}", constant.key, f->name);
    list.back().sentence = fmt::format("{} rounded to {}", constant.words, f->name);
  }
}

}  // namespace

std::vector<Hypothesis> constants(const Case& c) {
  const Binding b = bind(c);
  std::vector<Hypothesis> list;
  if (!b.bounded()) return list;
  const bool is_tanh =
      b.row->operation == Operation::kGeluTanh || b.row->operation == Operation::kGeluTanhBackward;
  const Constant& slope = is_tanh ? kSlope : kRoot;
  if (is_tanh) add_decimals(list, kCubic);  // hypotheses.cpp has it in formats
  add_formats(list, slope);
  add_decimals(list, slope);
  return list;
}

}  // namespace halfmark::suites::activation
