// SPDX-License-Identifier: Apache-2.0
// What implementations of activations have been seen to do instead of what is promised.
#include <array>
#include <bit>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "reference/operators/elementary.hpp"
#include "reference/soft/soft.hpp"
#include "suites/activation/elements.hpp"
#include "suites/core/diagnose/mistakes.hpp"

namespace halfmark::suites::activation {
namespace {

using formats::Bits;
using formats::Format;
using formats::Tensor;
using models::Machine;

bool is_gelu(Operation operation) {
  return operation != Operation::kRelu && operation != Operation::kReluBackward &&
         operation != Operation::kMax;
}

bool is_tanh(Operation operation) {
  return operation == Operation::kGeluTanh || operation == Operation::kGeluTanhBackward;
}

Expectation enclosed(const Enclosure& all) { return {middles(all), all}; }

Operation other_form_of(Operation operation) {
  switch (operation) {
    case Operation::kGelu:
      return Operation::kGeluTanh;
    case Operation::kGeluTanh:
      return Operation::kGelu;
    case Operation::kGeluBackward:
      return Operation::kGeluTanhBackward;
    case Operation::kGeluTanhBackward:
      return Operation::kGeluBackward;
    case Operation::kRelu:
    case Operation::kReluBackward:
    case Operation::kMax:
      break;
  }
  return operation;
}

Hypothesis other_form(bool tanh) {
  const auto inner = [](const Case& c, const TensorSet& in) {
    Binding b = bind(c);
    OperationRow row = *b.row;
    row.operation = other_form_of(row.operation);
    b.row = &row;
    return intervals(b, in, {});
  };
  return {
      .name = tanh ? "erf-form" : "tanh-form",
      .finding_class = "formula",
      .sentence = tanh ? "the erf form is evaluated" : "the tanh form is evaluated",
      .evaluate = [inner](const Case& c, const TensorSet& in) { return enclosed(inner(c, in)); }};
}

Bits flushed(const Format& f, Bits bits) {
  return formats::is_subnormal(f, bits) ? formats::zero(f, formats::sign(f, bits)) : bits;
}

// Subnormal results are flushed, whatever operation made them.
Hypothesis flushed_results() {
  const auto flush = [](TensorSet set) {
    for (auto& [name, tensor] : set) {
      for (std::size_t i = 0; i < tensor.count(); ++i) {
        tensor.set(i, flushed(*tensor.format, tensor.at(i)));
      }
    }
    return set;
  };
  return {.name = "results-flushed",
          .finding_class = "ftz_out",
          .sentence = "subnormal results become zero",
          .evaluate = [flush](const Case& c, const TensorSet& in) -> Expectation {
            const std::optional<Enclosure> allowed = enclose(c, in);
            return {flush(refer(c, in, {})), Enclosure{flush(allowed->low), flush(allowed->high)}};
          },
          .freedoms = {"operation_subnormals"}};
}

// Any number in place of a NaN: what is left of it depends on where it is lost.
Hypothesis number_of_nan() {
  return {.name = "nan-is-a-number",
          .finding_class = "nan_dropped",
          .sentence = "a NaN becomes a number",
          .evaluate =
              [](const Case& c, const TensorSet& in) {
                Enclosure all = *enclose(c, in);
                for (auto& [name, low] : all.low) {
                  const Format& f = *low.format;
                  for (std::size_t i = 0; i < low.count(); ++i) {
                    if (!formats::is_nan(f, low.at(i))) continue;
                    low.set(i, formats::infinity(f, true));
                    all.high.at(name).set(i, formats::infinity(f));
                  }
                }
                TensorSet middle = middles(all);
                for (auto& [name, tensor] : middle) {
                  const Format& f = *tensor.format;
                  for (std::size_t i = 0; i < tensor.count(); ++i)
                    if (formats::is_nan(f, in.at("x").at(i))) tensor.set(i, formats::zero(f));
                }
                return Expectation{std::move(middle), std::move(all)};
              },
          .freedoms = {"nan_operands"},
          .tier = 1};
}

// Below the normal range toward zero, elsewhere to nearest even.
Bits cut_below_normal(const Format& f, double value) {
  const Bits cut = soft::convert(formats::kFp64, f, std::bit_cast<Bits>(value),
                                 {.rounding = soft::Rounding::kTowardZero})
                       .bits;
  const bool is_below =
      formats::is_finite(f, cut) && formats::magnitude(f, cut) < formats::min_normal(f);
  return is_below ? cut : nearest(f, value);
}

Hypothesis cut_subnormals() {
  return {.name = "subnormals-cut",
          .finding_class = "cvt_round",
          .sentence = "subnormal results are truncated",
          .evaluate = [](const Case& c, const TensorSet& in) {
            return enclosed(intervals(bind(c), in, {}, cut_below_normal));
          }};
}

// Reinterprets the bits in the format of the preceding call.
TensorSet as_before(const Binding& b, TensorSet set, const Format& as) {
  for (auto& [name, tensor] : set) {
    if (tensor.format == b.format || tensor.format == &b.format_before()) tensor.format = &as;
  }
  return set;
}

Hypothesis kernel_of_another_format() {
  const auto inner = [](const Case& c, const TensorSet& in) {
    Binding b = bind(c);
    const TensorSet seen = as_before(b, in, b.format_before());
    b.format = &b.format_before();
    if (b.bounded()) return intervals(b, seen, {});
    const TensorSet only =
        each(b, seen, [&](Bits x, Bits second) { return selected(b, Machine{}, x, second); });
    return Enclosure{only, only};
  };
  return {.name = "kernel-of-another-format",
          .finding_class = "fmt_subst",
          .sentence = "the kernel of the call before is used, which was made for another format",
          .evaluate = [inner](const Case& c, const TensorSet& in) -> Expectation {
            const Binding b = bind(c);
            const Enclosure all = inner(c, in);
            return {as_before(b, middles(all), *b.format),
                    Enclosure{as_before(b, all.low, *b.format), as_before(b, all.high, *b.format)}};
          }};
}

enum class Side : std::uint8_t { kBoth, kFirst, kSecond };

// Ignores a NaN on that side.
template <Side kDropped>
Bits without_nan(const Binding& b, Bits x, Bits second) {
  const Format& f = *b.format;
  const bool drops_first = kDropped != Side::kSecond && formats::is_nan(f, x);
  if (b.row->operation == Operation::kMax) {
    if (drops_first) return second;
    if (kDropped != Side::kFirst && formats::is_nan(f, second)) return x;
  }
  if (b.row->operation == Operation::kRelu && drops_first) return 0;
  return selected(b, Machine{}, x, second);
}

// A library that leaves both open may do both.
Bits flushed_without_nan(const Binding& b, Bits x, Bits second) {
  return flushed(*b.format, without_nan<Side::kBoth>(b, x, second));
}

Bits passing_at_zero(const Binding& b, Bits x, Bits second) {
  return formats::is_zero(*b.format, x) ? second : selected(b, Machine{}, x, second);
}

struct Selection {
  std::string_view name;
  FindingClassName finding_class;
  std::string_view sentence;
  Bits (*evaluate)(const Binding&, Bits x, Bits second);
  std::array<std::string_view, 2> freedoms = {};  // empty: none
};

constexpr Selection kDropsNan{"nan-dropped",
                              "nan_dropped",
                              "a NaN loses against a number",
                              without_nan<Side::kBoth>,
                              {"nan_operands"}};
constexpr Selection kDropsNanAndFlushes{
    "nan-dropped-and-flushed",
    "nan_dropped",
    "a NaN loses against a number, and subnormal results become zero",
    flushed_without_nan,
    {"nan_operands", "operation_subnormals"}};
constexpr Selection kDropsNanOnOneSide[] = {
    {"first-nan-dropped",
     "nan_dropped",
     "a NaN in the first operand loses against a number",
     without_nan<Side::kFirst>,
     {"nan_operands"}},
    {"second-nan-dropped",
     "nan_dropped",
     "a NaN in the second operand loses against a number",
     without_nan<Side::kSecond>,
     {"nan_operands"}},
};

// The comparison treats subnormal operands as zero; the selected operand is copied unchanged. The
// kernel compares in fp32, where numbers of fp16 are normal, and a library in whatever format.
Bits compared_flushed(const Binding& b, Bits x, Bits second) {
  const Machine machine;
  const operators::Fp32 op(machine);
  const Format& f = *b.format;
  const auto seen = [&](Bits bits) {
    return flushed(formats::kFp32, op.load(f, b.portable ? bits : flushed(f, bits)));
  };
  const Operation operation = b.row->operation;
  if (operation == Operation::kRelu) return operators::Fp32::greater(0, seen(x)) ? 0 : x;
  if (operation == Operation::kReluBackward)
    return operators::Fp32::greater(seen(x), 0) ? second : 0;
  if (formats::is_nan(f, x) || formats::is_nan(f, second)) return selected(b, Machine{}, x, second);
  return operators::Fp32::greater(seen(second), seen(x)) ? second : x;
}
constexpr Selection kComparesFlushed{"comparison-flushes-operands",
                                     "ftz_in",
                                     "comparisons take subnormal operands as zero",
                                     compared_flushed,
                                     {"operation_subnormals"}};

Bits of_flushed(const Binding& b, Bits x, Bits second) {
  return selected(b, Machine{}, flushed(*b.format, x), flushed(*b.format, second));
}
constexpr Selection kReadsFlushed{"operands-read-as-zero",
                                  "ftz_in",
                                  "subnormal operands are read as zero",
                                  of_flushed,
                                  {"conversion_subnormals"}};

// The gate opens by the sign of the gradient.
Bits gated_by_gradient(const Binding& b, Bits, Bits second) {
  return selected(b, Machine{}, second, second);
}
constexpr Selection kGatedByGradient{"gate-by-gradient", "formula",
                                     "the gradient passes where it is itself above zero",
                                     gated_by_gradient};

// As two's complement orders them: of two negative numbers the smaller one.
Bits compared_as_integers(const Binding& b, Bits x, Bits second) {
  const Format& f = *b.format;
  if (formats::is_nan(f, x) || formats::is_nan(f, second)) return selected(b, Machine{}, x, second);
  const bool negative = formats::sign(f, x);
  if (negative != formats::sign(f, second)) return negative ? second : x;
  return x < second ? second : x;
}
constexpr Selection kComparedAsIntegers{"compared-as-integers", "decode",
                                        "encodings are compared as signed integers",
                                        compared_as_integers};

// Uses the sum and the difference instead of a comparison.
Bits selected_by_sum(const Binding& b, Bits x, Bits second) {
  const Format& f = *b.format;
  const bool is_max = b.row->operation == Operation::kMax;
  const Bits other = is_max ? second : formats::zero(f);
  const Bits distance = formats::magnitude(f, soft::sub(f, x, other).bits);
  const Bits sum = soft::add(f, soft::add(f, x, other).bits, distance).bits;
  return soft::ldexp(f, sum, -1).bits;
}
constexpr Selection kSelectedBySum{
    "selected-by-sum", "overflow",
    "the greater of two is half of their sum and distance, rounded step by step", selected_by_sum};

constexpr Selection kPassesAtZero{"gradient-passes-at-zero", "formula",
                                  "the gradient passes where x is zero", passing_at_zero};

Hypothesis selection(const Selection& row) {
  std::vector<std::string> freedoms;
  for (const std::string_view freedom : row.freedoms)
    if (!freedom.empty()) freedoms.emplace_back(freedom);
  return {.name = std::string(row.name),
          .finding_class = row.finding_class,
          .sentence = std::string(row.sentence),
          .evaluate =
              [evaluate = row.evaluate](const Case& c, const TensorSet& in) {
                const Binding b = bind(c);
                return each(b, in, [&](Bits x, Bits second) { return evaluate(b, x, second); });
              },
          .freedoms = std::move(freedoms)};
}

// What a loop over whole vectors leaves in place of a result.
Hypothesis last_is_copied() {
  const auto copy = [](TensorSet set, const TensorSet& in) {
    Tensor& y = set.begin()->second;
    const Tensor& x = in.at("x");
    if (y.count() > 0 && y.format == x.format) y.set(y.count() - 1, x.at(x.count() - 1));
    return set;
  };
  return {.name = "last-is-copied",
          .finding_class = "edge_tile",
          .sentence = "the last element is x",
          .evaluate = [copy](const Case& c, const TensorSet& in) -> Expectation {
            const std::optional<Enclosure> allowed = enclose(c, in);
            return {copy(refer(c, in, {}), in),
                    Enclosure{copy(allowed->low, in), copy(allowed->high, in)}};
          }};
}

}  // namespace

std::vector<Hypothesis> hypotheses(const Case& c) {
  const Binding b = bind(c);
  std::vector<Hypothesis> list;
  if (b.bounded()) {
    add_gelu(list, b.row->operation);
    list.push_back(other_form(is_tanh(b.row->operation)));
    list.push_back(cut_subnormals());
    list.push_back(number_of_nan());
  } else if (b.row->operation == Operation::kReluBackward) {
    list.push_back(selection(kPassesAtZero));
    list.push_back(selection(kGatedByGradient));
    if (!b.portable) list.push_back(selection(kReadsFlushed));
  } else {
    list.push_back(selection(kDropsNan));
    list.push_back(selection(kDropsNanAndFlushes));
    list.push_back(selection(kSelectedBySum));
    if (b.row->operation == Operation::kMax) {
      for (const Selection& row : kDropsNanOnOneSide) list.push_back(selection(row));
      list.push_back(selection(kComparedAsIntegers));
    }
  }
  if (!is_gelu(b.row->operation)) list.push_back(selection(kComparesFlushed));
  if (!b.portable) {
    list.push_back(flushed_results());
    list.push_back(last_is_copied());
  }
  if (b.fill == "second") list.push_back(kernel_of_another_format());
  return list;
}

}  // namespace halfmark::suites::activation
