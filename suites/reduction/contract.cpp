// SPDX-License-Identifier: Apache-2.0
// What the contract promises for reductions.
#include <fmt/format.h>

#include <array>
#include <optional>

#include "reference/operators/elementary.hpp"
#include "reference/operators/lanes.hpp"
#include "suites/core/identify/recipe.hpp"
#include "suites/reduction/rows.hpp"

namespace halfmark::suites::reduction {
namespace {

using formats::Bits;
using formats::kFp32;
using models::Machine;
using operators::Fp32;

// No document says whether a mean divides before or after it adds, or how wide a sum is, unless it
// states an accuracy.
constexpr Freedom kExactFreedoms[] = {kSelectionFreedoms[0],
                                      {"mean_scaling", "operators.accuracy"},
                                      {"accuracy", "operators.accuracy"}};

constexpr std::array kRows{
    ContractRow{.id = "reduction.specified",
                .tier = Tier::kSpecified,
                .promise = "every result has the bits of the specified sequence",
                .source = "Halfmark kernel specification, kernels/reduction.hk: order and rounding "
                          "of every addition; IEEE 754-2019, 5.4.1 and 4.3.1",
                .freedoms = kFp32Freedoms},
    ContractRow{.id = "reduction.exact",
                .tier = Tier::kExact,
                .promise = "where fp32 holds every partial sum, in whatever order, the sum is "
                           "exact and rounded once, the mean off by the rounding of one division; "
                           "NaN and infinities as in IEEE 754; nothing sums to 0, and has no mean",
                .source = "The value is unique; IEEE 754-2019, 5.4.1, 6.1 and 6.2",
                .freedoms = kExactFreedoms},
    ContractRow{.id = "reduction.max.exact",
                .tier = Tier::kExact,
                .promise = "the maximum is the greatest element of the row, and NaN where one "
                           "is NaN; zeros of either sign are equal",
                .source = "The value is unique; IEEE 754-2019, 9.6 maximum",
                .freedoms = kSelectionFreedoms},
    ContractRow{.id = "reduction.bound",
                .tier = Tier::kBounded,
                .promise = "fp32 sums in any order, and one rounding to the format of the result",
                .source = "Higham, Accuracy and Stability of Numerical Algorithms, 2nd edition, "
                          "4.2: |error| <= (n - 1) u sum |x| (1 + O(u)), u = 2^-24",
                .freedoms = kFunctionFreedoms},
    ContractRow{.id = "reduction.related",
                .tier = Tier::kExact,
                .promise = "elements times 8 give 8 times the sum or mean, bit for bit; of the "
                           "first, the case's other row holds",
                .source = "IEEE 754-2019, 4.3.1: rounding is relative where nothing is subnormal, "
                          "so powers of two go through every sum of rounded additions, in whatever "
                          "order and width; Higham, Accuracy and Stability of Numerical "
                          "Algorithms, 2nd edition, 2.1. (Not so through sums in bins at fixed "
                          "powers of two: Ahrens, Demmel and Nguyen, ACM Trans. Math. Softw. 46, "
                          "2020)"},
    ContractRow{.id = "reduction.modelled",
                .tier = Tier::kModelled,
                .promise = kRecipePromise,
                .source = kRecipeSource},
};

consteval const ContractRow& row(std::string_view id) { return row_with_id(kRows, id); }

constexpr NotAssertedRow kNotAsserted[] = {
    {"the greatest element of nothing", "frameworks refuse, or give -infinity"},
    {"the sign of a zero result", "it depends on the order, which libraries leave open"},
};

Bits larger(Bits a, Bits b) {
  if (formats::is_nan(kFp32, a)) return a;
  return Fp32::greater(b, a) || formats::is_nan(kFp32, b) ? b : a;
}

Bits specified(const Binding& b, const Row& x, const Machine& machine) {
  const Fp32 op(machine);
  const auto value = [&](std::size_t i) { return op.load(*b.format, x.at(i)); };
  if (b.operation == Operation::kMax) {
    return operators::reduce_lanes(
        b.width, Fp32::kMinusInfinity, [&](Bits m, std::size_t i) { return larger(m, value(i)); },
        larger);
  }
  const auto add = [&](Bits s, Bits v) { return op.add(s, v); };
  const Bits sum = operators::reduce_lanes(
      b.width, 0, [&](Bits s, std::size_t i) { return add(s, value(i)); }, add);
  if (b.operation == Operation::kSum) return sum;
  return op.div(sum, soft::from_int(kFp32, static_cast<std::int64_t>(b.width)).bits);
}

Interval allowed(const Binding& b, const Row& x) {
  if (b.operation == Operation::kMax) {
    const double value = value_of(*b.format, greatest(x, [](std::size_t) { return true; }));
    return {value, value};
  }
  const Sum sum = sum_of(x);
  if (b.operation == Operation::kSum) return around(sum.value, sum.radius);
  const auto count = static_cast<double>(b.width);
  const double mean = sum.value / count;
  // A division, or a product with a rounded reciprocal.
  return around(mean, sum.radius / count + std::abs(mean) * kRoundoff * 2.5);
}

}  // namespace

std::span<const ContractRow> contract() { return kRows; }
const ContractRow& modelled_row() { return row("reduction.modelled"); }
std::span<const NotAssertedRow> not_asserted() { return kNotAsserted; }

const ContractRow& contract_row(const Case& c, const backends::DeviceInfo&) {
  const Binding b = bind(c);
  if (b.portable) return row("reduction.specified");
  if (b.operation == Operation::kMax) return row("reduction.max.exact");
  const bool rounds = b.fill == "normal" || b.fill == "related";
  return rounds ? row("reduction.bound") : row("reduction.exact");
}

std::optional<Relation> relation(const Case& c) {
  const Binding b = bind(c);
  if (b.fill != "related") return std::nullopt;
  const char* const name = b.operation == Operation::kSum ? "sum" : "mean";
  return Relation{.row = &row("reduction.related"),
                  .first = fmt::format("8 {}(x)", name),
                  .second = fmt::format("{}(8 x)", name),
                  .operands = {{.tensor = "x", .exponent = 3}},
                  .results = {{.tensor = "y", .exponent = 3}},
                  .unpromised = "that a sum has no fixed grid"};
}

TensorSet refer(const Case& c, const TensorSet& inputs, const Machine& machine) {
  return each(c, inputs, [&](const Binding& b, const Row& x) {
    if (!b.portable) {
      return nearest(*b.output, allowed(b, x).middle());
    }
    return Fp32(machine).store(*b.output, specified(b, x, machine));
  });
}

std::optional<Enclosure> enclose(const Case& c, const TensorSet& inputs) {
  const Binding b = bind(c);
  if (b.portable) return std::nullopt;
  return enclosure_of("y", *b.output, b.rows,
                      [&](std::size_t row) { return allowed(b, Row(b, inputs.at("x"), row)); });
}

}  // namespace halfmark::suites::reduction
